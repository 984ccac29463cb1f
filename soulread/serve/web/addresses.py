"""Addresses within the page that its parts lead to from each other."""

from urllib.parse import quote, urlencode


def with_query(path: str, /, **fields: object) -> str:
    """A path with the fields that are not empty behind it."""
    told = {name: value for name, value in fields.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(told, quote_via=quote)}" if told else path


def player_address(store: str, player: str, room: str = "", view: str = "") -> str:
    """The page about a player; ``store`` is empty or names hands other than those of the server's store."""
    return with_query("/opponents/player", player=player, room=room, view=view, store=store)


def claim_address(store: str, **fields: str) -> str:
    """The list of the hands behind a claim."""
    return with_query("/opponents/hands", **fields, store=store)


def replay_address(store: str, number: int, player: str = "") -> str:
    """A hand of a store step by step, seen by a player."""
    return with_query(f"/review/store/{number}", player=player, store=store)
