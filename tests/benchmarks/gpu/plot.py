"""The plot of a record: one panel a kind of call, speed over length, the device's measured ceiling as a line."""

from pathlib import Path
from typing import Any

#: The same colour for a way in every panel; told apart without colours by their markers.
LOOKS = {
    "Triton": ("#0072b2", "o"),
    "Triton decode": ("#009e73", "s"),
    "CUDA C++": ("#cc79a7", "D"),
    "SDPA flash": ("#d55e00", "^"),
    "SDPA cuDNN": ("#e69f00", "v"),
    "SDPA efficient": ("#555555", "x"),
}
COLUMNS = 3


def panels(record: dict[str, Any]) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """By title, by way: (keys, TFLOP/s), for decoding (keys, GB/s). What was skipped or could not run is not there."""
    found: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for result in record["results"]:
        decode = result["direction"] == "decode"
        kind = f"batch {result['batch']}" if decode else result["direction"]
        title = f"{result['group']}, {kind}" + (", causal" if result["causal"] and not decode else "")
        for name, way in result.get("ways", {}).items():
            if "milliseconds" in way:
                rate = way["gb_per_s" if decode else "tflops"]
                found.setdefault(title, {}).setdefault(name, []).append((result["k_len"], rate))
    return {title: {name: sorted(points) for name, points in ways.items()} for title, ways in found.items()}


def save(record: dict[str, Any], path: Path) -> Path:
    """Draw it into a file; the file's path."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    found = panels(record)
    rows = -(-max(1, len(found)) // COLUMNS)
    figure = Figure(figsize=(4.2 * COLUMNS, 2.9 * rows + 0.8), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for ax, (title, ways) in zip(axes, found.items(), strict=False):
        _draw(ax, title, ways, record["ceilings"])
    for ax in axes[len(found) :]:
        ax.set_axis_off()
    machine = record["machine"]
    head = f"{machine['device']}, torch {machine['torch']}, Triton {machine['triton']}, {machine['date'][:10]}"
    figure.suptitle("Dry run on a CPU at tiny sizes: no measurement" if record["dry_run"] else head)
    figure.savefig(path, metadata={"Date": None})
    return path


def _draw(ax, title: str, ways: dict[str, list[tuple[int, float]]], ceilings: dict[str, Any]) -> None:
    decode, exact = title.startswith("decode"), title.startswith("float32")
    for name, points in ways.items():
        colour, marker = LOOKS.get(name, ("#000000", "."))
        ax.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=4, label=name)
    if not exact:  # the product that was measured is one of 16-bit numbers
        ceiling = ceilings["gb_per_s" if decode else "tflops"]
        ax.axhline(ceiling, color="#999999", linestyle="--", linewidth=1, label="a big copy" if decode else "a product")
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0)
    ax.set_title(title, fontsize=10)
    ax.set_xlabel("keys", fontsize=9)
    ax.set_ylabel("GB/s" if decode else "TFLOP/s", fontsize=9)
    ax.tick_params(labelsize=8)
    ax.legend(fontsize=7)
