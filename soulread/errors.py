"""Every error a user can cause. Each message says what was given, what was expected, and where."""

from soulread.words import printable


class SoulreadError(ValueError):
    """Base class of soulread's errors; the command line prints the message in one line and exits with 2.

    The text of an error is `printable`, also in a traceback, since it may quote what other people wrote.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


class ParseError(SoulreadError):
    """Text that cannot be read as what it should be: a card, a range, a hand, a game or an agent name."""


class IllegalAction(SoulreadError):
    """An action that the rules do not allow at this point of the hand."""


class ShapeError(SoulreadError):
    """An array of the wrong shape, usually made for another game, player or abstraction."""


class NotFitted(SoulreadError):
    """A model was asked before it had seen anything."""


class DamagedFile(SoulreadError):
    """A file of soulread whose content is not what was written; the cache makes such a file again."""
