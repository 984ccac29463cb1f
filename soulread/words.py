"""Numbers in sentences."""


def plural(count: int, one: str, many: str = "") -> str:
    """``plural(1, "hand")`` is "1 hand", ``plural(2000, "hand")`` is "2,000 hands".

    ``many`` is the plural where it is not ``one`` with an s.
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def percentile_text(percentile: float | None) -> str:
    """A percentile in whole numbers, or a dash; nobody is called the first or the last of a hundred."""
    if percentile is None:
        return "-"
    return "<1" if percentile < 0.5 else ">99" if percentile > 99.5 else f"{percentile:.0f}"
