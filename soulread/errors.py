"""Every error a user can cause. Each message says what came, what was expected, and where."""


class SoulreadError(ValueError):
    """Root of soulread's errors; the command line prints it in one line and exits with 2."""


class ParseError(SoulreadError):
    """Text that is not what it should be: a card, a range, a hand, a game or agent name."""


class IllegalAction(SoulreadError):
    """An action the rules do not allow at this point of the hand."""


class ShapeError(SoulreadError):
    """An array made for another game, another player or another abstraction."""


class NotFitted(SoulreadError):
    """A model was asked before it had seen anything."""
