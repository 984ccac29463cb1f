"""Slow twins of variants, skews and local best response: plain recursions over the states of a game."""

from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import CALL


def bonus_payoffs(state, bonus, of):
    """Chips of both seats at the end of a hand when the winner gets more than the loser pays."""
    matched = min(state.spent)
    result = []
    for won in state.payoffs():
        extra = 0.0
        if of == "win" and won > 0:
            extra = bonus * won
        if of == "pot" and won > 0:
            extra = bonus * 2 * matched
        if of == "pot" and won == 0:
            extra = bonus * matched
        result.append(won + extra)
    return result


def looked_up(game, behaviours):
    """``probabilities(seat, label)`` for the functions below, from a compiled game and behaviours."""

    def probabilities(seat, label):
        tree = game.trees[seat]
        return behaviours[seat][tree.sequences(tree.index(label))]

    return probabilities


def expected_payoffs(state, probabilities, payoffs):
    """Both seats' mean payoffs; ``probabilities(seat, label)`` is one number per legal action."""
    if state.player == TERMINAL:
        return payoffs(state)
    if state.player == CHANCE:
        branches = [(chance, state.apply(card)) for card, chance in state.chance_outcomes()]
    else:
        sigma = probabilities(state.player, state.information(state.player))
        branches = [
            (chance, state.apply(action)) for chance, action in zip(sigma, state.legal_actions(), strict=True)
        ]
    total = [0.0, 0.0]
    for chance, after in branches:
        if chance > 0:
            first, second = expected_payoffs(after, probabilities, payoffs)
            total[0] += chance * first
            total[1] += chance * second
    return total


def action_frequencies(state, probabilities, frequencies, reach=1.0):
    """Add to ``frequencies[seat, round, action]`` how often a hand sees each action."""
    if state.player == TERMINAL:
        return
    if state.player == CHANCE:
        for card, chance in state.chance_outcomes():
            action_frequencies(state.apply(card), probabilities, frequencies, reach * chance)
        return
    sigma = probabilities(state.player, state.information(state.player))
    for chance, action in zip(sigma, state.legal_actions(), strict=True):
        if chance > 0:
            frequencies[state.player, state.round, action] += reach * chance
            action_frequencies(state.apply(action), probabilities, frequencies, reach * chance)


def local_best_response_value(game, seat, probabilities, first_round=0):
    """Exact mean of what local best response wins in a limit game of few cards, by walking every hand.

    ``probabilities(seat, label)`` is the opponent's behaviour. Ranges, equities and values are worked out
    from single states, one hand of the opponent at a time.
    """
    return _lbr_walk(game.start(), seat, probabilities, first_round)


def _lbr_walk(state, seat, probabilities, first_round):
    if state.player == TERMINAL:
        return state.payoffs()[seat]
    if state.player == CHANCE:
        return sum(
            chance * _lbr_walk(state.apply(card), seat, probabilities, first_round)
            for card, chance in state.chance_outcomes()
        )
    if state.player == seat:
        action = CALL if state.round < first_round else lbr_action(state, probabilities)
        return _lbr_walk(state.apply(action), seat, probabilities, first_round)
    sigma = probabilities(state.player, state.information(state.player))
    return sum(
        chance * _lbr_walk(state.apply(action), seat, probabilities, first_round)
        for chance, action in zip(sigma, state.legal_actions(), strict=True)
        if chance > 0
    )


def lbr_action(state, probabilities):
    """What local best response does; one hole card per seat."""
    seat, rules = state.player, state.rules
    own, board = state.hole(seat)[0], state.board
    villains = [card for card in rules.deck if card != own and card not in board]

    def swapped(now, card):
        """The same betting with another card in the opponent's hand."""
        other = now.game.start()
        cards = list(now.cards)
        cards[1 - seat] = card
        dealt, played = iter(cards), iter(now.actions)
        while len(other.actions) < len(now.actions) or (other.player == CHANCE and now.player != CHANCE):
            other = other.apply(next(dealt) if other.player == CHANCE else next(played)[1])
        return other

    def likelihood(card):
        chance, now = 1.0, state.game.start()
        dealt = iter([card if i == 1 - seat else c for i, c in enumerate(state.cards)])
        played = list(state.actions)
        while played or now.player == CHANCE:
            if now.player == CHANCE:
                now = now.apply(next(dealt))
                continue
            who, action = played.pop(0)
            if who != seat:
                sigma = probabilities(who, now.information(who))
                chance *= sigma[list(now.legal_actions()).index(action)]
            now = now.apply(action)
        return chance

    def share(card):
        missing = sum(rules.board_cards) - len(board)
        rest = [c for c in rules.deck if c not in (own, card, *board)]
        boards = [(*board, c) for c in rest] if missing else [tuple(board)]
        total = 0.0
        for full in boards:
            mine, his = rules.showdown((own,), full), rules.showdown((card,), full)
            total += 1.0 if mine > his else 0.5 if mine == his else 0.0
        return total / len(boards)

    weights = {card: likelihood(card) for card in villains}
    total = sum(weights.values())
    pot, asked = state.pot, state.to_call
    w = sum(weights[card] * share(card) for card in villains) / total
    values = {1: w * pot - (1 - w) * asked}
    if 0 in state.legal_actions():
        values[0] = 0.0
    if 2 in state.legal_actions():
        after = state.apply(2)
        bet = max(after.spent) - max(state.spent)
        raised = 0.0
        for card in villains:
            if weights[card]:
                there = swapped(after, card)
                fold = probabilities(1 - seat, there.information(1 - seat))[0]
                called = share(card) * (pot + bet) - (1 - share(card)) * (asked + bet)
                raised += weights[card] / total * (fold * pot + (1 - fold) * called)
        values[2] = raised
    return max(sorted(values), key=lambda action: round(values[action], 12))
