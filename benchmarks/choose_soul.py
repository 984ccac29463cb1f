"""Choose settings of `soul`: what it gains over the equilibrium on the opponents for choosing, by setting.

    python benchmarks/choose_soul.py [GAME] [HANDS] [MATCHES] [EACH] [SETTING ...]

Every setting meets the same opponents, with the same cards, in MATCHES matches (2) of HANDS hands (500) each;
what counts is what the strategies are worth. EACH is the most opponents of a family (6; 0: all). A SETTING is
options such as "risk=100,trust=0.8"; without any, the list `SETTINGS` is tried. Prints in mb/g the mean gain
over the equilibrium, the worst opponent, and what was promised and won in hands with a promise.

Only opponents for choosing play here. Results are reported by `soulread reproduce zoo`, which meets only the
opponents for judging. Matches are kept in the same store, so a run that was broken off goes on.
"""

import sys

from soulread.games.named import parse_game
from soulread.play.opponents.zoo import CARDS, equilibrium_text, zoo
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.means import average
from soulread.reproduce.ours.zoo_matches import ZooMatches, some_of_each
from soulread.seqform.abstract import has_abstraction

SEED = 100  # of the matches; the experiment has other seeds and other opponents
SETTINGS = (
    "",
    *(f"risk={risk}" for risk in (50, 100, 500)),
    *(f"trust={trust}" for trust in (0.5, 0.75, 0.98)),
    *(f"sure={sure}" for sure in (0, 0.5, 0.95)),
)


def main() -> int:
    arguments = sys.argv[1:]
    game = parse_game(arguments[0] if arguments else "leduc")
    hands, matches, each = (
        int(arguments[i]) if len(arguments) > i else usual for i, usual in ((1, 500), (2, 2), (3, 6))
    )
    opponents = some_of_each(zoo(game, role="choosing"), each or None)
    players = {"equilibrium": equilibrium_text(game)}
    for setting in arguments[4:] or SETTINGS:
        options = ",".join(part for part in (CARDS if has_abstraction(game) else "", setting) if part)
        players[setting or "as it is"] = f"soul:{options}" if options else "soul"
    print(
        f"{game.name}: {len(opponents)} opponents for choosing, {matches} matches of {hands:,} hands "
        f"with each, seed {SEED}; mb/g, by what the strategies are worth",
        flush=True,
    )
    for player in list(players)[1:]:
        compared = {name: players[name] for name in ("equilibrium", player)}
        found = ZooMatches(game.name, compared, opponents, hands, matches, SEED)
        found.grid.run(RunOptions())
        print(line(player, found), flush=True)
    return 0


def line(player: str, found: ZooMatches) -> str:
    """What a setting brought, in words."""
    gains = {opponent: found.gain(player, opponent) for opponent in found.opponents}
    known = {opponent: gain for opponent, gain in gains.items() if gain is not None}
    mean = average(known.values())
    worst = min(known, key=lambda opponent: known[opponent].mean)
    assert mean is not None
    families = ", ".join(
        f"{family} {part.text(1)}"
        for family in found.families
        if (part := average(known.get(opponent) for opponent in found.members(family))) is not None
    )
    kept = [kept for opponent in found.opponents if (kept := found.kept(player, opponent)) is not None]
    promised = average(part.promised for part in kept)
    won = average(part.won for part in kept)
    promise = "" if promised is None or won is None else f"; promised {promised.mean:.0f}, won {won.text(0)}"
    return (
        f"{player:12s} gain {mean.text(1)} ({families}); worst {worst.label} {known[worst].text(1)}{promise}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
