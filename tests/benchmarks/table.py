"""How a benchmark says what it found: what / ratio / target / met or MISSED."""

from statistics import median

WIDTH = 62

#: Of every line with a target: what it says, and whether it was met. The run's last lines count them.
verdicts: list[tuple[str, bool]] = []


def title(text: str) -> None:
    """What the lines below are about: sizes first, for every number depends on them."""
    print(f"\n\n{text}")


def times(found: dict[str, list[float]]) -> None:
    """What each way took, in milliseconds."""
    for name, seconds in found.items():
        print(f"  {name:{WIDTH}} {1e3 * median(seconds):9.3f} ms   best {1e3 * min(seconds):.3f}")


def ratio(found: dict[str, list[float]], way: str, rival: str, **target) -> None:
    """The time of a way over its rival's. The medians are judged; the best says how much of it was noise."""
    medians = median(found[way]) / median(found[rival])
    line(f"{way} / {rival}", medians, best=min(found[way]) / min(found[rival]), **target)


def line(
    what: str,
    value: float,
    *,
    best: float | None = None,
    at_most: float | None = None,
    expect: str = "",
    unit: str = "",
) -> None:
    """One line: with `at_most` judged, with `expect` only shown beside what is to be expected."""
    end = f"expected: {expect}" if expect else ""
    if at_most is not None:
        verdict = "met" if value <= at_most else "MISSED"
        if value > at_most and best is not None and best <= at_most:
            verdict += " by the medians, met by the best times"
        end = f"{f'<= {at_most:g}{unit}':10} {verdict}"
        verdicts.append((f"{what}: {value:.2f}{unit}, target <= {at_most:g}{unit}", value <= at_most))
    beside = f"best {best:.2f}" if best is not None else ""
    print(f"  {what:{WIDTH}} {f'{value:.2f}{unit}':>9}   {beside:10} {end}".rstrip())
