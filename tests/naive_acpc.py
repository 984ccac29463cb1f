"""A dealer and a player of the ACPC protocol, written from its description alone, slow and obvious.

Nothing here uses soulread. A game is the text of a ``.game`` file. The position of a hand is found by playing
its betting string from the start; hands are compared by trying all sets of five cards.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "cdhs"

KUHN = """GAMEDEF
limit
numPlayers = 2
numRounds = 1
blind = 1 1
raiseSize = 1
firstPlayer = 1
maxRaises = 1
numSuits = 1
numRanks = 3
numHoleCards = 1
numBoardCards = 0
END GAMEDEF
"""
LEDUC = """GAMEDEF
limit
numPlayers = 2
numRounds = 2
blind = 1 1
raiseSize = 2 4
firstPlayer = 1 1
maxRaises = 2 2
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 0 1
END GAMEDEF
"""
LIMIT = """GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""
NOLIMIT = """GAMEDEF
nolimit
numPlayers = 2
numRounds = 4
stack = 20000 20000
blind = 100 50
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""


def ring(text: str, players: int) -> str:
    """The definition of limit or no-limit hold'em for more than two players."""
    small, big = (5, 10) if "raiseSize" in text else (50, 100)
    blinds = " ".join(map(str, (small, big, *(0,) * (players - 2))))
    text = re.sub("numPlayers = .*", f"numPlayers = {players}", text)
    text = re.sub("blind = .*", f"blind = {blinds}", text)
    text = re.sub("stack = .*", "stack =" + " 20000" * players, text)
    return re.sub("firstPlayer = .*", "firstPlayer = 3 1 1 1", text)


def numbers(text: str, key: str) -> list[int]:
    """The numbers of a key of a definition."""
    found = re.search(rf"^{key} = (.*)$", text, re.MULTILINE)
    return [int(number) for number in found[1].split()] if found else []


def deck(text: str) -> list[str]:
    """The cards of a game: the top ranks and the top suits."""
    ranks, suits = numbers(text, "numRanks")[0], numbers(text, "numSuits")[0]
    return [rank + suit for rank in RANKS[-ranks:] for suit in SUITS[-suits:]]


def best_five(cards: Sequence[str]) -> tuple[int, ...]:
    """The value of the best five cards, or of all if there are fewer; larger is better."""
    return max(value_of(five) for five in combinations(cards, min(5, len(cards))))


def value_of(cards: Sequence[str]) -> tuple[int, ...]:
    """The value of up to five cards."""
    ranks = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    counts = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    shape = tuple(count for _, count in counts)
    order = tuple(rank for rank, _ in counts)
    if len(cards) == 5:
        flush = len({card[1] for card in cards}) == 1
        wheel = ranks == [12, 3, 2, 1, 0]
        straight = wheel or (len(set(ranks)) == 5 and ranks[0] - ranks[4] == 4)
        high = (3,) if wheel else (ranks[0],)
        if straight:
            return (8 if flush else 4, *high)
        kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
        return (5 if flush and shape not in ((4, 1), (3, 2)) else kinds.get(shape, 0), *order)
    return (1 if shape[0] == 2 else 0, *order)


class Position:
    """Where a hand stands after a betting string: found by playing it from the start."""

    def __init__(self, text: str, betting: str) -> None:
        self.text = text
        self.players = numbers(text, "numPlayers")[0]
        self.rounds = numbers(text, "numRounds")[0]
        self.limit = "nolimit" not in text
        self.stacks = numbers(text, "stack") or [10**9] * self.players
        self.blinds = (numbers(text, "blind") + [0] * self.players)[: self.players]
        self.spent = list(self.blinds)
        self.out = [False] * self.players
        self.round = 0
        self.over = False
        self._begin_round()
        self.string = ""
        for action in re.findall("[fc]|r[0-9]*", betting):
            self.act(action)
        assert self.string == betting, (self.string, betting)

    def _begin_round(self) -> None:
        self.raises = 0
        self.acted = [False] * self.players
        first = numbers(self.text, "firstPlayer")[self.round] - 1
        self.step = max(self.blinds)
        self.turn = first
        self._skip()

    def can_act(self, seat: int) -> bool:
        """Whether a seat is still in and has chips."""
        return not self.out[seat] and self.spent[seat] < self.stacks[seat]

    def _skip(self) -> None:
        for _ in range(self.players):
            if self.can_act(self.turn):
                return
            self.turn = (self.turn + 1) % self.players

    def raises_to(self) -> tuple[int, int] | None:
        """The smallest and the largest total to raise to; None if no raise is legal."""
        top = max(self.spent)
        if self.limit:
            if self.raises >= numbers(self.text, "maxRaises")[self.round]:
                return None
            total = top + numbers(self.text, "raiseSize")[self.round]
            return total, total
        others = [seat for seat in range(self.players) if seat != self.turn and self.can_act(seat)]
        stack = self.stacks[self.turn]
        if stack <= top or not others:
            return None
        return min(stack, top + self.step), stack

    def legal(self) -> list[str]:
        """Some legal actions: all, but of the raises only a few."""
        found = ["c"]
        if self.spent[self.turn] < max(self.spent):
            found.append("f")
        sizes = self.raises_to()
        if sizes is not None and self.limit:
            found.append("r")
        elif sizes is not None:
            found += [f"r{size}" for size in {sizes[0], (sizes[0] + sizes[1]) // 2, sizes[1]}]
        return found

    def act(self, action: str) -> None:
        """The seat whose turn it is acts."""
        assert not self.over
        seat, top = self.turn, max(self.spent)
        self.string += action
        self.acted[seat] = True
        if action == "f":
            self.out[seat] = True
        elif action == "c":
            self.spent[seat] = min(top, self.stacks[seat])
        else:
            sizes = self.raises_to()
            assert sizes is not None
            total = sizes[0] if self.limit else int(action[1:])
            assert sizes[0] <= total <= sizes[1]
            self.step = max(self.step, total - top)
            self.spent[seat] = total
            self.raises += 1
            self.acted = [other == seat for other in range(self.players)]
        if self.out.count(False) == 1:
            self.over = True
            return
        waiting = [other for other in range(self.players) if self.can_act(other) and not self.acted[other]]
        if waiting:
            self.turn = (self.turn + 1) % self.players
            while self.turn not in waiting:
                self.turn = (self.turn + 1) % self.players
            return
        while self.round + 1 < self.rounds:
            self.round += 1
            self.string += "/"
            if sum(self.can_act(other) for other in range(self.players)) > 1:
                self._begin_round()
                return
        self.over = True

    def showdown(self) -> bool:
        """Whether the cards decide."""
        return self.over and self.out.count(False) > 1

    def values(self, hole: Sequence[str], board: str, chip: int = 1) -> list[int]:
        """Net chips of each position; all have put in the same, or have folded, or one has the rest back.

        A pot is shared in units of ``chip``; what is left of it goes to the first winner.
        """
        pot = sum(self.spent)
        stay = [seat for seat in range(self.players) if not self.out[seat]]
        if len(stay) > 1:
            strength = {seat: best_five(re.findall("..", hole[seat] + board)) for seat in stay}
            stay = [seat for seat in stay if strength[seat] == max(strength.values())]
        share = pot // chip // len(stay) * chip
        won = [(share if seat in stay else 0) - self.spent[seat] for seat in range(self.players)]
        won[stay[0]] += pot - share * len(stay)
        return won


def board_text(text: str, cards: Sequence[str], round_: int) -> str:
    """The board of a line: "/2c8c3h/9d"."""
    place, found = 0, ""
    for count in numbers(text, "numBoardCards")[1 : round_ + 1]:
        found += "/" + "".join(cards[place : place + count])
        place += count
    return found


def state_line(
    text: str, number: int, position: int, betting: str, hole: Sequence[str], board: Sequence[str]
) -> str:
    """What a dealer sends to a position."""
    now = Position(text, betting)
    shown = [
        cards if seat == position or (now.showdown() and not now.out[seat]) else ""
        for seat, cards in enumerate(hole)
    ]
    return f"MATCHSTATE:{position}:{number}:{betting}:{'|'.join(shown)}{board_text(text, board, now.round)}"


Send = Callable[[int, str], None]
Ask = Callable[[int], str]


class NaiveDealer:
    """Deals hands by the description: ``deals`` has the hole cards and the board of each."""

    def __init__(
        self, text: str, names: Sequence[str], deals: Sequence[tuple[list[str], list[str]]], chip: int = 1
    ) -> None:
        self.text = text
        self.chip = chip
        self.names = list(names)
        self.deals = deals
        self.log: list[str] = []
        self.totals = [0] * len(names)

    def play(self, send: Send, ask: Ask, first: int = 0) -> None:
        """Play all hands from number ``first`` on; ``send`` and ``ask`` take the number of a player."""
        count = len(self.names)
        for number, (hole, board) in enumerate(self.deals, start=first):
            player_at = [(seat + number) % count for seat in range(count)]
            betting = ""
            while True:
                now = Position(self.text, betting)
                lines = [state_line(self.text, number, seat, betting, hole, board) for seat in range(count)]
                for seat in range(count):
                    send(player_at[seat], lines[seat])
                if now.over:
                    break
                reply = ask(player_at[now.turn])
                state, _, action = reply.rpartition(":")
                assert state == lines[now.turn], (reply, lines[now.turn])
                assert re.fullmatch("f|c|r" if now.limit else "f|c|r[1-9][0-9]*", action), reply
                now.act(action)
                betting = now.string
            won = now.values(hole, "".join(board), self.chip)
            for seat in range(count):
                self.totals[player_at[seat]] += won[seat]
            names = "|".join(self.names[player] for player in player_at)
            values = "|".join(map(str, won))
            cards = "|".join(hole) + board_text(self.text, board, now.round)
            self.log.append(f"STATE:{number}:{betting}:{cards}:{values}:{names}")
        self.log.append(f"SCORE:{'|'.join(map(str, self.totals))}:{'|'.join(self.names)}")


class NaivePlayer:
    """A player who follows the description, checks every line it gets, and picks actions by ``choose``."""

    def __init__(self, text: str, choose: Callable[[list[str]], str]) -> None:
        self.text = text
        self.choose = choose
        self.lines: list[str] = []
        self.last: tuple[int, str] = (-1, "")

    def receive(self, line: str) -> str | None:
        """The reply to a line, if it is our turn."""
        self.lines.append(line)
        found = re.fullmatch(
            r"MATCHSTATE:([0-9]):(0|[1-9][0-9]*):([fcr0-9/]*):([2-9TJQKAcdhs|]*)((?:/[2-9TJQKAcdhs]+)*)", line
        )
        assert found, line
        position, number, betting, holes = int(found[1]), int(found[2]), found[3], found[4].split("|")
        now = Position(self.text, betting)
        size = 2 * numbers(self.text, "numHoleCards")[0]
        for seat, cards in enumerate(holes):
            seen = seat == position or (now.showdown() and not now.out[seat])
            assert len(cards) == (size if seen else 0), line
        cards = re.findall("..", "".join(holes) + found[5].replace("/", ""))
        assert set(cards) <= set(deck(self.text)), line
        assert len(set(cards)) == len(cards), line
        assert found[5].count("/") == now.round
        before, told = self.last
        if before == number:  # an event after the other: nothing is left out
            assert re.fullmatch(re.escape(told) + r"(f|c|r[0-9]*)/*", betting), (told, betting)
        else:
            assert betting == "", line
        self.last = number, betting
        if now.over or now.turn != position:
            return None
        return f"{line}:{self.choose(sorted(now.legal()))}"
