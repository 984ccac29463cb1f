"""Messages about files without the files' text, for imports that must not name anybody.

A message of a reader is made of soulread's own words, numbers, and quotations: names, lines, paths. Readers
quote what is not their own. Still nothing depends on that: a word stays only if it is one of `WORDS`.
"""

import re

_QUOTED = re.compile(r"""(?<!\w)(['"])(?:\\.|(?!\1).)*(?:\1|$)""", re.DOTALL)
_SIDES = re.compile(r"^([(\[]*)(.*?)([)\],.;:]*)$", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,/]*%?")
_LEFT_OUT = "..."
_SEVERAL = re.compile(r"\.\.\.(?:,? \.\.\.)+")
_GAP = re.compile(r"(?<=[(\[]) | (?=[,.;:)\]](?!\.))")

WORDS = frozenset(
    """
    a about acpc act action actions acts add after again all allowed already among amount amounts an
    and another ante antes apart archive are as at bad be before begins being bet bets betting big
    blind blinds board boards both but by bytes call called can cannot card cards chain changed char
    character characters check checking checks checksum chip chips closed collected collects column
    columns come comes compressed condition conserved content corrupt count counts crc cut damaged
    data date dealer deals dealt decimals deck decompressing deep definition delimiter denied depth
    differ different differs digit digits directory disk do does done double due during each early
    else empty enclosed encoding end end-of-stream ended ends entries entry error every example
    exist exists expected expecting extra failed fails false field fields file filename files
    finished first fit fits flag flop fold folded folder folds for format found four from full game
    games give given go goes grow grown grows had hand hands has have having header headers here
    history hold hole id illegal in input inside into invalid irc is it its join json key keys known
    large larger last later least left legal length less letters level levels limit line lines list
    lists log long longer made magic many mark marker match may means member members memory method
    missing more most move moves much mucked multiple name named names need needs negative neither
    never next no nobody none nor not nothing number numbered numbers object observer of off often
    on once one only open opened or other out over own packed paid part parted parts password past
    path payoffs permission phh phhs places play played player players plays poker pokerstars
    positions post posted posts pot power pre-flop price property put quotes raise raised raises
    rake rank reached read reader reading reads record refused replay replayed rest river room rooms
    round rounds row rule rules run runs same say says seat seats second seen separated set several
    short show showdown shown side sights sit size sizes small so some something soulread source
    stack stacks stakes stand standard start starts stays still stop stopped straddle stream street
    strings such suit sum summary table tables take taken than that the their them then there these
    they third this three time times to together told toml too total tournament true truncated turn
    twice two unexpected unit unpacked unsupported until up used uses value values variant version
    was we were when where which who whole whose with within without word words write written wrong
    year years zero zip zone
    """.split()
)
"""Soulread's own words in messages about hands and files."""


def discreet(message: str) -> str:
    """A message in which every quotation, and every word that is not one of `WORDS`, is "..."."""
    unquoted = _QUOTED.sub(f" {_LEFT_OUT} ", message)
    shown = " ".join(map(_word, unquoted.split()))
    return _SEVERAL.sub(_LEFT_OUT, _GAP.sub("", shown))


def _word(token: str) -> str:
    found = _SIDES.match(token)
    assert found is not None
    before, word, after = found.groups()
    own = not word or word.lower() in WORDS or _NUMBER.fullmatch(word)
    return token if own else before + _LEFT_OUT + after
