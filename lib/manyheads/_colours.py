"""The heads' colours: the same head has the same colour in every figure and widget of the course."""

#: Paul Tol's "bright", safe for the colour-blind.
HEAD_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


def head_colour(head: int) -> str:
    """The colour of a head; from the eighth on they come again."""
    return HEAD_COLOURS[head % len(HEAD_COLOURS)]
