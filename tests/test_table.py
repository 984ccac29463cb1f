"""The dealer and the player as state machines, against a player and a dealer written from the protocol."""

import json
import random
import re
from fractions import Fraction
from pathlib import Path

import naive_acpc as naive
import numpy as np
import pytest
from named import make_agent

from soulread.cards.arrays import deal, deal_many
from soulread.cards.deck import card_name, parse_cards
from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, PokerView, replay
from soulread.hands.formats import acpc
from soulread.hands.formats.gamedef import TableGame, read_definition, table_game
from soulread.hands.hand import Hand
from soulread.play.match.live import LiveHand, play_hand
from soulread.play.opponents.baselines import AlwaysCall, Random
from soulread.play.table.clock import Clock, ClockLimits, Times
from soulread.play.table.dealing import Dealer, MatchTerms
from soulread.play.table.human import (
    HumanPlayer,
    LeftTable,
    choices,
    position_name,
    situation,
    story,
    typed_action,
)
from soulread.play.table.seated import SeatedAgent
from soulread.streams import HandStreams

DEFINITIONS = {
    "kuhn": naive.KUHN,
    "leduc": naive.LEDUC,
    "limit": naive.LIMIT,
    "nolimit": naive.NOLIMIT,
    "limit 3": naive.ring(naive.LIMIT, 3),
    "limit 10": naive.ring(naive.LIMIT, 10),
    "nolimit 3": naive.ring(naive.NOLIMIT, 3),
    "nolimit 6": naive.ring(naive.NOLIMIT, 6),
    "kuhn 3": re.sub(
        "numRanks = 3", "numRanks = 4", naive.KUHN.replace("numPlayers = 2", "numPlayers = 3")
    ).replace("blind = 1 1", "blind = 1 1 1"),
    "leduc without a limit": naive.LEDUC.replace("\nlimit", "\nnolimit")
    .replace("raiseSize = 2 4", "stack = 12 12")
    .replace("maxRaises = 2 2\n", ""),
}
EACH = pytest.mark.parametrize("name", DEFINITIONS)


def at_table(name: str) -> TableGame:
    return table_game(DEFINITIONS[name], name)


def names(game: PokerGame) -> tuple[str, ...]:
    return tuple(f"P{number}" for number in range(game.num_players))


def terms_of(table: TableGame, hands: int, seed: int = 1) -> MatchTerms:
    return MatchTerms(table.game, names(table.game), hands, seed, scale=table.scale)


def players(game: PokerGame, **more: object) -> list[SeatedAgent]:
    return [SeatedAgent(game, Random(), number, **more) for number in range(game.num_players)]  # type: ignore[arg-type]


# By the letter.


@EACH
def test_our_dealer_with_players_from_the_protocol(name: str) -> None:
    """The players verify every line: what it has, what it must not have, and that no event is left out."""
    table, text = at_table(name), DEFINITIONS[name]
    chance = random.Random(name)
    dealer = Dealer(terms_of(table, 60 // table.game.num_players))
    seated = [naive.NaivePlayer(text, chance.choice) for _ in dealer.terms.names]
    log, deals = [], []
    while not dealer.over:
        replies = [player.receive(line) for player, line in zip(seated, dealer.lines(), strict=True)]
        if dealer.hand_over:
            log.append(dealer.log_line())
            deals.append(dealt(log[-1], text))
            dealer.next_hand()
            continue
        assert [number for number, reply in enumerate(replies) if reply] == [dealer.player]
        heard = dealer.receive(replies[dealer.player] or "")
        assert heard.action
        assert not heard.remark
    log.append(dealer.score_line())
    same = naive.NaiveDealer(text, dealer.terms.names, deals, int(table.scale))
    turn = iter(actions_of(log))
    told: dict[int, str] = {}
    same.play(told.__setitem__, lambda player: f"{told[player]}:{next(turn)}")
    assert log == same.log


def dealt(line: str, text: str) -> tuple[list[str], list[str]]:
    """The cards of a line of a log; the board is filled up, for hands that ended early."""
    holes, *boards = line.split(":")[3].split("/")
    hole = holes.split("|")
    board = re.findall("..", "".join(boards))
    used = {*board, *re.findall("..", "".join(hole))}
    spare = [card for card in naive.deck(text) if card not in used]
    return hole, board + spare[: sum(naive.numbers(text, "numBoardCards")) - len(board)]


def actions_of(log: list[str]) -> list[str]:
    return [code for line in log if line[:3] == "STA" for code in acpc.betting_codes(line.split(":")[2])]


@EACH
def test_our_player_at_a_dealer_from_the_protocol(name: str) -> None:
    """The dealer verifies every reply. The player joins at hand 7, and knows in the end what it has won."""
    table, text = at_table(name), DEFINITIONS[name]
    chance = random.Random(name)
    deals = []
    hole, board = (naive.numbers(text, key) for key in ("numHoleCards", "numBoardCards"))
    for _ in range(20):
        cards = chance.sample(naive.deck(text), len(naive.deck(text)))
        taken = ["".join(cards.pop() for _ in range(hole[0])) for _ in range(table.game.num_players)]
        deals.append((taken, cards[: sum(board)]))
    seen: list[Hand] = []
    seated = players(table.game)
    seated[0] = SeatedAgent(table.game, Random(), 5, record=seen.append)
    dealer = naive.NaiveDealer(text, names(table.game), deals, int(table.scale))
    replies: dict[int, str] = {}

    def send(player: int, line: str) -> None:
        reply = seated[player].receive(line)
        if reply is not None:
            replies[player] = reply

    dealer.play(send, lambda player: replies.pop(player), first=7)
    assert not replies
    assert [player.won * table.scale for player in seated] == dealer.totals
    assert [player.ignored for player in seated] == [0] * len(seated)
    assert [hand.id for hand in seen] == [str(number) for number in range(7, 27)]
    for hand, line in zip(seen, dealer.log, strict=False):
        own = hand.eyewitness
        values = [Fraction(value) for value in line.split(":")[4].split("|")]
        assert [amount * table.scale for amount in hand.payoffs] == values
        assert hand.betting == line.split(":")[2]
        assert hand.players[own] == "random"
        for seat, known in enumerate(hand.hole):  # no card was seen that was not shown
            assert (known is not None) == (seat == own or (hand.showdown and not ended(hand, seat)))


def ended(hand: Hand, seat: int) -> bool:
    return (seat, FOLD) in hand.actions


@EACH
def test_lines_and_states_are_those_of_their_twins(name: str) -> None:
    """A line by its twin; the state of a line by playing it anew; what a reader follows by the state anew."""
    table, text = at_table(name), DEFINITIONS[name]
    game = table.game
    dealer = Dealer(terms_of(table, 20 // table.game.num_players, seed=4))
    chance = random.Random(name)
    readers = [acpc.MatchReader(game) for _ in dealer.seating]
    while not dealer.over:
        (hole, board) = dealt(log_of(dealer), text)
        while True:
            state = dealer.hand.state
            for position, player in enumerate(dealer.seating):
                line = dealer.lines()[player]
                assert line == naive.state_line(text, dealer.number, position, state.betting, hole, board)
                assert line == acpc.matchstate_line(dealer.number, position, state)
                seen = acpc.parse_matchstate(line, game)
                anew = acpc.state_of(seen, game)
                assert (anew.betting, anew.spent, anew.folded) == (state.betting, state.spent, state.folded)
                assert anew.view(position) == state.view(position)
                if chance.random() < 0.7 or dealer.hand_over:  # some lines are missed
                    reader = readers[player]
                    following = reader.read(line)
                    assert (reader.position, reader.number) == (position, dealer.number)
                    assert following.view(position) == anew.view(position)
                    if dealer.hand_over:
                        assert following.payoffs() == anew.payoffs() == state.payoffs()
            if dealer.hand_over:
                break
            now = naive.Position(text, state.betting)
            dealer.hand.act(acpc.read_reply(chance.choice(sorted(now.legal())), state)[0])
        dealer.next_hand()


def log_of(dealer: Dealer) -> str:
    """The cards of a hand that has just begun, as in a log."""
    state = dealer.hand.state
    return (
        "STATE:0::"
        + "|".join(acpc.log_cards_name(state.hole(seat), state.game) for seat in range(len(dealer.seating)))
        + "".join(f"/{card}" for card in board_to_come(dealer))
    )


def board_to_come(dealer: Dealer) -> list[str]:
    cards = dealer.hand._cards[dealer.terms.game.num_players * dealer.terms.game.rules.hole_cards :]
    return [acpc.log_cards_name([card], dealer.terms.game) for card in cards]


@EACH
def test_small_decks_have_the_top_ranks(name: str) -> None:
    game = at_table(name).game
    theirs = naive.deck(DEFINITIONS[name])
    ours = sorted(game.rules.deck)
    assert [acpc.log_deck(game)[card] for card in ours] == theirs
    assert [card_name(card + acpc.deck_shift(game)) for card in ours] == theirs
    joined = "".join(theirs)
    assert acpc.log_cards_name(ours, game) == joined
    assert acpc.parse_log_cards(joined, game) == tuple(ours)


def test_the_letter_of_the_protocol() -> None:
    """The lines of its description."""
    limit = parse_game("limit")
    seen = acpc.parse_matchstate("MATCHSTATE:0:0:rrc/:TdAs|/2c8c3h", limit)
    assert (seen.position, seen.number, seen.betting) == (0, 0, "rrc/")
    assert seen.hole[1] is None
    assert acpc.state_of(seen, limit).player == 0
    leduc = acpc.parse_matchstate("MATCHSTATE:0:0:cc/:Qh|/As", parse_game("leduc"))
    assert [card_name(card) for card in (*(leduc.hole[0] or ()), *leduc.board)] == ["Jh", "Ks"]
    assert acpc.parse_version("VERSION:2.0.0") == (2, 0, 0)
    for wrong in ("VERSION:2.0", "version:2.0.0", "HELLO", "VERSION:2.0.0 ", ""):
        assert acpc.parse_version(wrong) is None
    game = parse_game("nolimit:stacks=20000,blinds=50/100")
    (hand,) = acpc.read_log(
        ["STATE:1:r1576r19628r20000c///:9h6s|3d3h/5s3s8h/9d/5c:-20000|20000:Bob|Alice"], game
    ).hands
    assert hand.payoffs == (-20000, 20000)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "is not a state"),
        ("HELLO", "is not a state"),
        ("MATCHSTATE:0:0::Qh|:c", "is not a state"),
        ("MATCHSTATE:2:0::Qh|", "position '2'"),
        ("MATCHSTATE:-1:0::Qh|", "position '-1'"),
        ("MATCHSTATE:0:x::Qh|", "hand 'x'"),
        ("MATCHSTATE:0:0:x:Qh|", "betting 'x'"),
        ("MATCHSTATE:0:0::qh|", "cards 'qh|'"),
        ("MATCHSTATE:0:0::|Qh", "those of position 0 are missing"),
        ("MATCHSTATE:0:0::Qh", "expected 1 for each of 2 seats"),
        ("MATCHSTATE:0:0::QhKh|", "expected 1 for each of 2 seats"),
        ("MATCHSTATE:0:0::2h|", "card '2h' is not in the deck"),
        ("MATCHSTATE:0:0:cc/:Qh|/Qh", "comes twice"),
        ("MATCHSTATE:0:0:cc/:Qh|/AsAh", r"expected \(1,\) cards"),
        ("MATCHSTATE:0:0:cc/:Qh|", "with 0 cards on the board"),
        ("MATCHSTATE:0:0::Qh|/As", "left over"),
        ("MATCHSTATE:0:0:cc:Qh|", "with 0 cards"),
        ("MATCHSTATE:0:0:rrrr:Qh|", "no raise is allowed"),
        ("MATCHSTATE:0:0:f:Qh|", "nothing to call"),
        ("MATCHSTATE:0:0:r5c/:Qh|/As", "is not an action"),
        ("MATCHSTATE:0:0:cc/cc:Qh|/As", "a showdown after 'cc/cc' without the cards"),
    ],
)
def test_lines_that_are_no_states(line: str, message: str) -> None:
    game = parse_game("leduc")
    with pytest.raises(SoulreadError, match=message):
        acpc.state_of(acpc.parse_matchstate(line, game), game)
    player = SeatedAgent(game, Random(), 0)
    assert player.receive(line) is None
    assert player.ignored == (1 if line else 0)


@pytest.mark.parametrize(
    ("game", "betting", "code", "action", "remark"),
    [
        ("leduc", "", "c", "c", ""),
        ("leduc", "", "f", "c", "'f' is not legal; it counts as a call"),
        ("leduc", "r", "f", "f", ""),
        ("leduc", "rr", "r", "c", "'r' is not legal"),
        ("leduc", "", "r2", "c", "'r2' is no action"),
        ("leduc", "", "C", "c", "'C' is no action"),
        ("leduc", "", "", "c", "'' is no action"),
        ("leduc", "r", "f ", "c", "'f ' is no action"),
        ("leduc", "r", "rr", "c", "'rr' is no action"),
        ("leduc", "", "c:c", "c", "'c:c' is no action"),
        ("leduc", "", "x" * 90, "c", "'" + "x" * 60 + "...' is no action"),
        ("nolimit", "", "r", "c", "'r' is no action"),
        ("nolimit", "", "r4", "r4", ""),
        ("nolimit", "", "r3", "r4", "r3 is outside 4 to 200; it counts as r4"),
        ("nolimit", "", "r999999999999999999", "r200", "it counts as r200"),
        ("nolimit", "r200", "r300", "c", "'r300' is not legal"),
        ("nolimit", "", "r0", "c", "'r0' is no action"),
    ],
)
def test_what_replies_mean(game: str, betting: str, code: str, action: str, remark: str) -> None:
    """As with the reference: what is no action is a call, and sizes are brought into their range."""
    dealer = Dealer(MatchTerms(parse_game(game), ("a", "b"), 1, 0))
    dealer.repeat(acpc.betting_codes(betting))
    line = dealer.lines()[dealer.player]
    heard = dealer.receive(f"{line}:{code}")
    assert heard.action == action
    assert remark in heard.remark
    assert bool(remark) == bool(heard.remark)


def test_lines_that_are_no_replies_change_nothing() -> None:
    dealer = Dealer(MatchTerms(parse_game("leduc"), ("a", "b"), 3, 0))
    told = dealer.lines()[dealer.player]
    other = dealer.lines()[1 - dealer.player]
    for line in (
        "",
        "c",
        told,
        f"{told}c",
        f"{other}:c",
        f" {told}:c",
        told.replace(":0:", ":1:") + ":c",
        "VERSION:2.0.0",
    ):
        heard = dealer.receive(line)
        assert heard.action is None
        assert "it is ignored" in heard.remark
    for comment in ("# hello", ";"):
        assert dealer.receive(comment) == dealer.receive("#")
        assert not dealer.receive(comment).remark
    assert dealer.lines()[dealer.player] == told


def test_cards_and_seats_are_those_of_a_match() -> None:
    """The same seed deals the same cards to positions, whoever plays; and as in a duel."""
    game = parse_game("leduc")
    ends = []
    for order in (("a", "b"), ("b", "a")):
        dealer = Dealer(MatchTerms(game, order, 30, seed=9))
        lines = []
        while not dealer.over:
            while not dealer.hand_over:
                dealer.hand.act(CALL)
            lines.append(dealer.log_line())
            dealer.next_hand()
        ends.append((lines, dealer.totals))
    cards = [[line.split(":")[3] for line in lines] for lines, _ in ends]
    assert cards[0] == cards[1]
    assert ends[0][1] == [-won for won in ends[1][1][::-1]] or ends[0][1] == ends[1][1][::-1]
    seated = [line.split(":")[5] for line in ends[0][0]]
    assert seated[:3] == ["a|b", "b|a", "a|b"]
    fixed = MatchTerms(game, ("a", "b"), 3, 0, fixed=True)
    assert [fixed.seating(number) for number in range(3)] == [(0, 1)] * 3
    three = MatchTerms(parse_game("ring-limit:3"), ("a", "b", "c"), 3, 0)
    assert [three.seating(number) for number in range(3)] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    from soulread.play.match.matches import Match

    duel: list[str] = []

    def record(hand: LiveHand) -> None:
        duel.append(acpc.log_line(len(duel), hand.end, hand.players).split(":")[3])

    Match(game, (make_agent("always-call", game), make_agent("always-call", game)), 30).play(9, record=record)
    assert duel == cards[0]


def test_many_deals_at_once_are_those_of_one_by_one() -> None:
    for name in ("kuhn", "nolimit"):
        rules, count = parse_game(name).rules, parse_game(name).num_cards
        one, many = np.random.default_rng(3), np.random.default_rng(3)
        for times in (1, 40):
            expected = [list(deal(one, rules.deck, count)) for _ in range(times)]
            assert deal_many(many, rules.deck, count, times) == expected
    with pytest.raises(SoulreadError, match="cannot deal 4 cards from a deck of 3"):
        deal_many(one, (0, 4, 8), 4, 2)


@pytest.mark.parametrize(
    ("name", "actions", "board", "betting"),
    [
        ("limit", [2, 2, CALL, CALL], "3c4c5c", "rrc/c"),
        ("limit", [CALL, FOLD], "", ""),
        ("nolimit", [6, 200, CALL], "3c4c5c6c7c", "r6r200c///"),
        ("nolimit", [CALL, CALL], "3c", "cc/"),  # the flop is not whole
    ],
)
def test_several_actions_at_once_are_those_of_one_by_one(
    name: str, actions: list[int], board: str, betting: str
) -> None:
    game = parse_game(name)
    state = replay(game, "", "2c2dAsAh")
    if FOLD in actions:  # where there is nothing to call
        with pytest.raises(IllegalAction, match="nothing to call"):
            state.play_on(actions, ())
        return
    played = state.play_on(actions, parse_cards(board))
    assert played == replay(game, betting, f"2c2dAsAh{board}")
    assert (played.betting, played.player) == (betting, replay(game, betting, f"2c2dAsAh{board}").player)
    assert state.betting == ""
    with pytest.raises(IllegalAction, match="1 card left over"):
        played.play_on([], [50])
    if played.player < 0:
        with pytest.raises(IllegalAction, match="nobody is to act"):
            played.play_on([CALL], ())


def test_bad_terms() -> None:
    game = parse_game("leduc")
    for given, message in [
        ((("a",), 1, 0), "2 seats, not 1"),
        ((("a", "a"), 1, 0), "the same name"),
        ((("a", "b|c"), 1, 0), "cannot stand in a log"),
        ((("a", "b\n"), 1, 0), "cannot stand in a log"),
        ((("a", ""), 1, 0), "cannot stand in a log"),
        ((("a", "b"), 0, 0), "at least one hand"),
        ((("a", "b"), 1, -1), "a seed is"),
    ]:
        with pytest.raises(SoulreadError, match=message):
            MatchTerms(game, *given)


# The player.


def test_a_match_by_lines_is_a_match_of_the_same_agents() -> None:
    """Hand by hand: the same actions as a loop over the agents with the same draws."""
    game = parse_game("leduc")
    agents = [make_agent("equilibrium", game), make_agent("loose", game)]
    dealer = Dealer(MatchTerms(game, ("a", "b"), 80, 3))
    seated = [SeatedAgent(game, agent, number) for number, agent in enumerate(agents)]
    streams = [HandStreams(number, "table") for number in range(2)]
    while not dealer.over:
        cards = dealer.hand._cards
        drawn = [streams[player].of_hand(dealer.number) for player in dealer.seating]
        loop = play_hand(game, [agents[player] for player in dealer.seating], cards, drawn)
        while not dealer.hand_over:
            replies = [player.receive(line) for player, line in zip(seated, dealer.lines(), strict=True)]
            assert dealer.receive(replies[dealer.player] or "").action
        for player, line in zip(seated, dealer.lines(), strict=True):
            assert player.receive(line) is None
        assert dealer.hand.state.betting == loop.end.betting
        dealer.next_hand()
    assert [player.won for player in seated] == dealer.totals


class Notes:
    """An agent that keeps what it is told."""

    name = "opponent 1"

    def __init__(self) -> None:
        self.views: list[PokerView] = []
        self.hands: list[Hand] = []

    def reset(self) -> None: ...

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        self.views.append(view)
        return view.legal[int(rng.random() * len(view.legal))]

    def observe(self, hand: Hand) -> None:
        self.hands.append(hand)


def test_odd_lines_are_survived() -> None:
    """Lines that repeat, are missed, or come again after a dealer was resumed; a hand counts once."""
    game = parse_game("leduc")
    notes = Notes()
    remarks: list[str] = []
    player = SeatedAgent(game, notes, 0, remark=remarks.append)
    first = player.receive("MATCHSTATE:0:5::Qh|")
    assert first == player.receive("MATCHSTATE:0:5::Qh|")
    assert len(notes.views) == 1
    assert player.receive("# a comment") is None
    assert player.receive("MATCHSTATE:0:5:x:Qh|") is None
    assert player.receive("MATCHSTATE:0:5:cr:Qh|") is not None  # a line was missed
    for _ in range(2):
        assert player.receive("MATCHSTATE:0:5:crc/cc:Qh|Kh/Ks") is None
    assert (player.hands, player.won, player.ignored) == (1, -3, 1)
    assert len(remarks) == 1
    (hand,) = notes.hands
    assert (hand.id, hand.players, hand.observer) == ("5", ("opponent 1", "opponent"), 0)
    assert player.receive("MATCHSTATE:1:6:r:|Qh") is not None  # in the middle of a hand, at another position
    assert notes.views[-1].players == ("opponent", "opponent 1")
    assert player.receive("MATCHSTATE:1:6:rf:|Qh") is None
    assert player.won == -4


def test_draws_depend_on_the_hand_alone() -> None:
    streams, others = HandStreams(7, "table"), HandStreams(7, "table")
    first = [streams.of_hand(3).random(), streams.of_hand(3).random(), streams.of_hand(4).random()]
    assert others.of_hand(4).random() == first[2]
    assert [others.of_hand(3).random(), others.of_hand(3).random()] == first[:2]
    assert HandStreams(8, "table").of_hand(3).random() != first[0]
    many = np.array([streams.of_hand(number).random() for number in range(4000)])
    assert abs(many.mean() - 0.5) < 0.02
    assert abs(np.corrcoef(many[1:], many[:-1])[0, 1]) < 0.06


def test_earlier_hands_are_learnt_without_the_cards_of_others() -> None:
    game = parse_game("leduc")
    dealer = Dealer(MatchTerms(game, ("a", "b"), 1, 0))
    dealer.repeat(["r", "f"])
    notes = Notes()
    SeatedAgent(game, notes, 0).learn(dealer.hand.seen_by_dealer(), "b")
    (hand,) = notes.hands
    assert hand.observer == 1
    assert hand.hole[0] is None
    assert hand.hole[1] == dealer.hand.state.hole(1)


# Garbage.


def mutated(line: str, chance: random.Random) -> str:
    """A line with a few characters changed, taken out or put in."""
    signs = list(line)
    for _ in range(chance.choice((1, 1, 2, 5))):
        place = chance.randrange(len(signs) + 1)
        what = chance.randrange(4)
        new = chance.choice("MATCHSTATE:0123456789fcr/|QKAhsdc2TJ#; \t\x00\x1bé\u202e")
        if what == 0:
            signs[place : place + 1] = [new]
        elif what == 1:
            signs[place : place + chance.randrange(1, 4)] = []
        elif what == 2:
            signs[place:place] = [new] * chance.choice((1, 3))
        else:
            signs[place:place] = signs[: chance.randrange(len(signs) + 1)]
    return "".join(signs)


@pytest.mark.parametrize("name", ["leduc", "nolimit 3"])
def test_mutated_lines_to_the_dealer(name: str) -> None:
    """5,000 lines each: none crashes it, all end in a legal action or nothing, and no hidden card is told."""
    table, text = at_table(name), DEFINITIONS[name]
    chance = random.Random(1)
    dealer = Dealer(terms_of(table, 10**6))
    checks = [naive.NaivePlayer(text, chance.choice) for _ in dealer.terms.names]
    accepted = 0
    lines = dealer.lines()
    replies = [check.receive(line) for check, line in zip(checks, lines, strict=True)]
    for number in range(5000):
        good = replies[dealer.player]
        assert good is not None
        before = dealer.hand.state
        heard = dealer.receive(good if number % 4 == 0 else mutated(good, chance))
        if heard.action is None:
            assert dealer.hand.state is before
            continue
        accepted += 1
        assert heard.action in acpc.betting_codes(dealer.hand.state.betting)
        while True:
            replies = [check.receive(line) for check, line in zip(checks, dealer.lines(), strict=True)]
            if not dealer.hand_over:
                break
            dealer.next_hand()
    assert accepted > 1300


@pytest.mark.parametrize("name", ["leduc", "nolimit 3"])
def test_mutated_lines_to_the_player(name: str) -> None:
    """5,000 lines each: none crashes it, and whatever it replies echoes a state of the game.

    A reader that follows the match takes and refuses the same lines as one that reads each line anew.
    """
    table, text = at_table(name), DEFINITIONS[name]
    chance = random.Random(2)
    dealer = Dealer(terms_of(table, 10**6))
    notes = Notes()
    player = SeatedAgent(table.game, notes, 0)
    reader = acpc.MatchReader(table.game)
    sent = replied = 0
    while sent < 5000:
        line = dealer.lines()[0]
        for _ in range(3):
            odd = mutated(line, chance)
            reply = player.receive(odd)
            assert followed(reader, odd) == read_anew(odd, table.game)
            sent += 1
            if reply is not None:
                replied += 1
                seen = acpc.parse_matchstate(odd, table.game)
                assert reply.startswith(f"{odd}:")
                assert acpc.read_reply(reply[len(odd) + 1 :], acpc.state_of(seen, table.game))[1] == ""
        reply = player.receive(line)
        assert followed(reader, line) == read_anew(line, table.game) is not None
        assert (reply is not None) == (not dealer.hand_over and dealer.player == 0)
        if dealer.hand_over:
            dealer.next_hand()
        elif reply is not None:
            assert dealer.receive(reply).action
        else:
            now = naive.Position(text, dealer.hand.state.betting)
            told = dealer.lines()[dealer.player]
            assert dealer.receive(f"{told}:{chance.choice(sorted(now.legal()))}").action
    assert player.ignored > 3000
    assert replied
    for view in notes.views:
        assert len(view.hole) == table.game.rules.hole_cards


def test_what_a_reader_keeps_is_that_of_the_position() -> None:
    """A line with the cards of somebody else is refused, also one that came for them."""
    reader = acpc.MatchReader(parse_game("leduc"), (("A", "B"), ("C", "D")))
    for _ in range(2):
        state = reader.read("MATCHSTATE:0:0:cr:Qh|")
        assert (state.betting, reader.position, reader.number) == ("cr", 0, 0)
        assert reader.view().players == ("A", "B")
        for line in ("MATCHSTATE:1:0:cr:Qh|", "MATCHSTATE:2:0:cr:Qh|", "MATCHSTATE:0:x:cr:Qh|"):
            with pytest.raises(ParseError):
                reader.read(line)
        assert (reader.position, reader.view().players) == (0, ("A", "B"))
        reader.read("MATCHSTATE:1:7:cr:|Qh")
        assert (reader.position, reader.number, reader.view().players) == (1, 7, ("C", "D"))


def read_anew(line: str, game: PokerGame) -> object:
    try:
        seen = acpc.parse_matchstate(line, game)
        return seen.number, *told_by(acpc.state_of(seen, game), seen.position)
    except SoulreadError:
        return None


def followed(reader: acpc.MatchReader, line: str) -> object:
    try:
        state = reader.read(line)
        return reader.number, *told_by(state, reader.position)
    except SoulreadError:
        return None


def told_by(state: PokerState, position: int) -> tuple[object, ...]:
    return position, state.view(position), state.payoffs() if state.player == TERMINAL else None


# Clocks and times.


def test_clocks() -> None:
    limits = ClockLimits(decision=10, hand=15, mean=5)
    clock = Clock(limits, 2, hands=5)
    assert clock.left(0) == 10
    assert clock.excess(0) == "10 s for a decision"
    clock.spend(0, 8)
    assert clock.left(0) == 7
    assert clock.excess(0) == "15 s for the decisions of a hand"
    assert clock.left(1) == 10
    clock.next_hand()
    clock.spend(0, 9)
    assert clock.left(0) == 6
    clock.next_hand()
    assert clock.left(0) == 8
    assert clock.excess(0) == "5 s a hand over the match"
    with pytest.raises(SoulreadError, match="limit of 0 s for a hand"):
        ClockLimits(hand=0)


def test_times_are_those_of_a_list() -> None:
    chance = np.random.default_rng(0)
    drawn = chance.lognormal(-5, 2, 3000)
    times = Times()
    for seconds in drawn:
        times.add(float(seconds))
    assert times.number == 3000
    assert times.longest == drawn.max()
    for share in (0.5, 0.99, 1.0):
        exact = np.quantile(drawn, share, method="inverted_cdf")
        assert exact <= times.quantile(share) * (1 + 1e-9) <= 1.0203 * exact
    assert Times().median == 0
    assert "3,000 decisions: median" in times.text


# A person.


def test_a_person_is_shown_the_hand_and_asked_again() -> None:
    game = parse_game("nolimit:stacks=40")
    shown: list[str] = []
    asked: list[str] = []
    typed = iter(["", "x", "r3", "f", "r99", "r", " R12 "])

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return next(typed)

    person = HumanPlayer("Ann", game, ask, shown.append)
    hand = LiveHand(game, ("Ann", "Bob"), range(9))
    hand.act(CALL)
    view = hand.view(0)
    assert person.act(view, np.random.default_rng(0)) == 12
    assert asked == ["c check, r raise to 4-40 (r4, 50%, p pot, a all-in), q leave:"] * 7
    assert shown[:2] == ["preflop  Bob calls 1", "your cards 2♦ 2♣   pot 4   chips left: you 38, Bob 38"]
    assert shown[2:-1] == [f"{one!r} cannot be done here" for one in ("", "x", "r3", "f", "r99")]
    assert shown[-1].startswith("how much?")
    hand.act(12)
    assert "to call 10" in situation(hand.view(1))
    assert choices(hand.view(1)).startswith("f fold, c call 10, r raise to 22-40")
    hand.act(FOLD)
    person.show_end(hand.seen_by(0))
    assert shown[-2:] == ["preflop  Bob calls 1, you raise to 12, Bob folds", "you win 2"]
    with pytest.raises(LeftTable, match="has left the table"):
        HumanPlayer("Ann", game, lambda prompt: "q", shown.append).act(view, np.random.default_rng(0))


def test_where_nobody_else_says_so_a_person_is_told_that_a_hand_begins() -> None:
    """Once for each hand, also for one that ends before it is the person's turn."""
    game = parse_game("nolimit:stacks=40")
    shown: list[str] = []
    person = HumanPlayer("Ann", game, lambda prompt: "c", shown.append, heads=True)
    for seat in (1, 0):
        names = ("Ann", "Bob") if seat == 0 else ("Bob", "Ann")
        hand = play_hand(
            game,
            [person if name == "Ann" else AlwaysCall() for name in names],
            range(9),
            [np.random.default_rng(0)] * 2,
            names,
        )
        person.show_end(hand.seen_by(seat))
    heads = [place for place, line in enumerate(shown) if line.startswith("a new hand")]
    assert [shown[place] for place in heads] == ["a new hand, button, small blind", "a new hand, big blind"]
    assert [shown[place - 1] for place in heads] == ["", ""]
    assert heads[0] == 1
    shown.clear()
    hand = LiveHand(game, ("Ann", "Bob"), range(9))
    hand.act(FOLD)
    person.show_end(hand.seen_by(0))
    assert shown == ["", "a new hand, big blind", "preflop  Bob folds", "you win 1"]


def test_how_a_hand_ended_for_three() -> None:
    game = parse_game("nolimit:players=3,stacks=20")
    shown: list[str] = []
    person = HumanPlayer("Cid", game, lambda prompt: "f", shown.append)
    for betting in ("fr20c", "fcc/cc/cc/cc", "ff"):
        hand = LiveHand(game, ("Ann", "Bob", "Cid"), parse_cards("2c2d AsAh KsKh 3d7h9s4cJd"))
        for code in re.findall("[fc]|r[0-9]+", betting):
            hand.act({"f": FOLD, "c": CALL}.get(code) or int(code[1:] or 0))
        person.show_end(hand.seen_by(2))
    assert shown[:4] == [
        "preflop  you fold, Ann raises to 20, all-in, Bob calls 18, all-in",
        "flop  9♠ 7♥ 3♦",
        "turn  9♠ 7♥ 3♦ 4♣",
        "river  9♠ 7♥ 3♦ 4♣ J♦",
    ]
    assert shown[4] == "you win nothing; Ann 2♣ 2♦; Bob wins 20 A♠ A♥"
    assert shown[-2:] == ["preflop  you fold, Ann folds", "you win nothing; Bob wins 1"]


def told(text: str, betting: str, cards: str = "2c2dAsAh") -> list[str]:
    """What the seat to act is told after some betting."""
    game = parse_game(text)
    count = game.rules.hole_cards * game.num_players + sum(game.rules.board_cards[: betting.count("/") + 1])
    dealt = [*parse_cards(cards), *[None] * count][:count]
    state = replay(game, betting, dealt)
    view = state.view(state.player, ["Ann", "Bob", "Cid"][: game.num_players])
    lines = story(game, view.seat, view.players, view.actions, (), view.hole)
    return [*lines, situation(view), choices(view)]


def test_the_story_of_a_hand_counts_chips_as_people_do() -> None:
    assert told("kuhn", "cr", "KsJs") == [
        "you check, Bob bets 1", "your cards K♠   pot 3   to call 1", "f fold, c call 1, q leave:"
    ]  # fmt: skip
    assert told("leduc", "crrc/r", "KsJs") == [
        "preflop  Ann checks, you bet 2, Ann raises to 4, you call 2",
        "flop  Ann bets 4",
        "your cards J♠   pot 14   to call 4",
        "f fold, c call 4, r raise to 8, q leave:",
    ]
    assert told("limit", "crc/cr")[0] == "preflop  Bob calls 1, you raise to 4, Bob calls 2"
    assert told("limit", "crc/cr")[-1] == "f fold, c call 2, r raise to 4, q leave:"
    assert told("limit", "crc/")[-1] == "c check, r bet 2, q leave:"
    assert told("nolimit", "r6c/r20r60")[1:] == [
        "flop  you bet 14, Bob raises to 54",
        "your cards 2♦ 2♣   pot 80   to call 40   chips left: you 180, Bob 140",
        "f fold, c call 40, r raise to 94-194 (r94, 50%, p pot, a all-in), q leave:",
    ]
    assert told("nolimit:stacks=20", "r20")[0] == "preflop  Bob raises to 20, all-in"
    assert told("nolimit:stacks=20", "r15")[-1] == "f fold, c call 13, a raise to 20 all-in, q leave:"
    assert told("nolimit:players=3,stacks=100,ante=1", "r7f")[:2] == [
        "preflop  Cid raises to 6, Ann folds",
        "your cards A♠ A♥   pot 12   to call 4   chips left: you 97, Cid 93",
    ]


@pytest.mark.parametrize(
    ("betting", "typed", "action"),
    [
        ("r6c/", "r20", 26),  # of this round: 6 went in before it
        ("r6c/", "20", 26),
        ("r6c/", "50%", 12),  # half of 12
        ("r6c/", "1/2", 12),
        ("r6c/", "r1/2", 12),
        ("r6c/", "p", 18),
        ("r6c/", "pot", 18),
        ("r6c/", "200%", 30),
        ("r6c/", "1%", 8),  # too little: the smallest
        ("r6c/", "9999%", 200),  # too much: all there is
        ("r6c/", "a", 200),
        ("r6c/", "k", 1),
        ("r6c/r18", "p", 54),  # 12 to call; the pot is 36 then
        ("r6c/r18", "f", 0),
        ("r6c/", "f", None),
        ("r6c/", "r", None),
        ("r6c/", "1", None),
        ("r6c/", "1/0", None),
        ("r6c/", "r" + "9" * 30, None),
        ("r6c/", "½", None),
        ("r6c/", "²", None),
        ("", "p", 6),  # 1 to call; the pot is 4 then
    ],
)
def test_keys_of_no_limit(betting: str, typed: str, action: int | None) -> None:
    state = replay(parse_game("nolimit"), betting, [None] * (7 if "/" in betting else 4))
    assert typed_action(typed, state.view(state.player)) == action


def test_keys_of_limit() -> None:
    state = replay(parse_game("leduc"), "", [None, None])
    keys = {key: typed_action(key, state.view(0)) for key in ("f", "c", "k", "r", "p", "a", "2", "r2", "50%")}
    assert keys == {**dict.fromkeys(keys), "c": 1, "k": 1, "r": 2}


def test_where_a_person_sits_and_whom_they_meet() -> None:
    three, two = parse_game("nolimit:players=4"), parse_game("limit")
    assert [position_name(three, seat) for seat in range(4)] == [
        "small blind", "big blind", "1 seat before the button", "button",
    ]  # fmt: skip
    assert [position_name(two, seat) for seat in range(2)] == ["big blind", "button, small blind"]
    assert [position_name(parse_game("kuhn"), seat) for seat in range(2)] == ["first to act", "last to act"]
    lines: list[str] = []
    typed = iter("hc")
    person = HumanPlayer("Ann", three, lambda prompt: next(typed), lines.append)
    seated = SeatedAgent(three, person, 0, others=("Bob", "Cid", "Dan"))
    assert seated.receive("MATCHSTATE:3:7:c:|||AsAh") == "MATCHSTATE:3:7:c:|||AsAh:c"
    assert lines[0] == "preflop  Dan calls 2"
    assert lines[1].endswith("chips left: Bob 199, Cid 198, Dan 198, you 200")
    assert lines[2:] == lines[:2]  # h shows the hand once more


# Definitions of games.


@pytest.mark.parametrize(
    ("name", "game", "scale"),
    [
        ("kuhn", "kuhn", 1),
        ("leduc", "leduc", 1),
        ("limit", "limit", 5),
        ("limit 10", "ring-limit:10", 5),
        ("nolimit", "nolimit:stacks=20000,blinds=50/100", 1),
        ("nolimit 6", "nolimit:players=6,stacks=20000,blinds=50/100", 1),
    ],
)
def test_definitions_of_our_games(name: str, game: str, scale: int, tmp_path: Path) -> None:
    path = tmp_path / "x.game"
    path.write_text(DEFINITIONS[name])
    assert read_definition(path) == TableGame(parse_game(game), Fraction(scale))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("leduc", "raiseSize = 2 4", "raiseSize = 2 5"),
        ("leduc", "maxRaises = 2 2", "maxRaises = 2 3"),
        ("leduc", "blind = 1 1", "blind = 2 2"),
        ("leduc", "firstPlayer = 1 1", "firstPlayer = 1 2"),
        ("limit", "blind = 10 5", "blind = 5 10"),
        ("nolimit", "firstPlayer = 2 1 1 1", "firstPlayer = 1 2 2 2"),
    ],
)
def test_definitions_of_other_games_are_played_by_their_own_rules(name: str, old: str, new: str) -> None:
    """A game that only looks like one of ours is not taken for it."""
    text = DEFINITIONS[name].replace(old, new)
    assert text != DEFINITIONS[name]
    found = table_game(text, "other")
    assert found.game.name == "other"
    assert found.scale == 1
    dealer = Dealer(terms_of(found, 10))
    seated = [naive.NaivePlayer(text, random.Random(3).choice) for _ in range(2)]
    while not dealer.over:
        replies = [player.receive(line) for player, line in zip(seated, dealer.lines(), strict=True)]
        if dealer.hand_over:
            dealer.next_hand()
        else:
            assert not dealer.receive(replies[dealer.player] or "").remark


@pytest.mark.parametrize(
    "change",
    [("stack = 20000 20000\n", ""), ("numHoleCards = 2", "numHoleCards = 4"), ("blind = 100 50\n", "")],
)
def test_definitions_that_cannot_be_played(change: tuple[str, str]) -> None:
    text = naive.NOLIMIT.replace(*change)
    with pytest.raises(SoulreadError):
        table_game(text, "x")
    with pytest.raises(SoulreadError):
        table_game(naive.LEDUC.replace("maxRaises = 2 2", "maxRaises = 2 2\nstack = 5 5"), "x")
    with pytest.raises(ParseError):
        table_game(json.dumps({}), "x")
