"""Which agents play differently than when their kept matches were played.

A kept result is found by its task's text, in which the version is a number. When one agent or model plays
differently under the same name, raise its number in `REVISIONS`: the matches in which it sits are other tasks
from then on, and all others stay valid. An agent inside another one counts too, as in
``switching:every=3|loki|random`` or ``vexbot:model=som``.
"""

import re
from collections.abc import Iterable, Mapping

REVISIONS: Mapping[str, int] = {
    "loki": 1,
    "poki": 1,
    "gom": 1,
    "som": 1,
    "ponsen": 1,
    "vexbot": 1,
    "contexts": 1,
}
"""How often an agent or a model, by its name, has changed its play."""

_STEP = 1000  # versions of tasks are below it


def version_for(agents: Iterable[str], version: int) -> int:
    """The version of a task in which these agents play, by their texts, if it is ``version`` without them."""
    names = {name for text in agents for name in re.findall(r"[\w-]+", text)}
    return version + _STEP * sum(REVISIONS.get(name, 0) for name in sorted(names))
