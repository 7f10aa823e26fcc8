"""Board fields of texts, for random positions."""


def field(squares: list[str]) -> str:
    """The field of 64 squares from a1 to h8, each a man's text or empty."""
    rows = ["".join(man or "1" for man in squares[at : at + 8]) for at in range(0, 64, 8)]
    for length in range(8, 1, -1):
        rows = [row.replace("1" * length, str(length)) for row in rows]
    return "/".join(reversed(rows))
