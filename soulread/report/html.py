"""HTML, written in one way: templates of Jinja2, in which every value is escaped.

A template lies beside the module whose page it is, and is named by its path in the package, such as
``study/profile/profile_page.html``. ``report/page.html`` is a whole page for a file: without any request to
elsewhere, with neither script, font nor image. ``report/parts.html`` has the parts that pages share.

Text stays text: a value is made `printable` and escaped unless it can write itself (``__html__``), which
only drawings (`soulread.report.drawings`) and results of templates do.
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from soulread.words import percent, percentile_text, plural, printable

LAYOUT = "report/page.html"  # what a page extends that is a file of its own


def render(template: str, /, **values: Any) -> Markup:
    """A template with these values."""
    return Markup(environment().get_template(template).render(values))


@lru_cache(maxsize=1)
def environment() -> Environment:
    """All templates of soulread. A name that is not given is an error, not an empty text."""
    made = Environment(
        loader=PackageLoader("soulread", ""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(attributes=_attributes)
    made.globals.update(percent=percent, percentile=percentile_text, plural=plural, sheet=sheet, zip=zip)
    return made


def sheet(path: str) -> Markup:
    """A style sheet of the package, for a page that is one file."""
    return Markup((resources.files("soulread") / path).read_text(encoding="utf-8"))


def _shown(value: Any) -> Any:
    """What a template writes for a value: text is made printable; line breaks and tabs stay."""
    return value if hasattr(value, "__html__") else printable(str(value), keep="\n\t")


def _attributes(values: Mapping[str, object]) -> Markup:
    """Attributes of an element, each with a blank before it; None leaves one out. Names are our own."""
    parts = []
    for name, value in values.items():
        if value is not None:
            # A drawing has thousands of attributes, and most of them are numbers.
            text = value if isinstance(value, int | float) else escape(_shown(value))
            parts.append(f' {name}="{text}"')
    return Markup("".join(parts))
