"""The JSON file: what must be in it, read and written."""

import json
from pathlib import Path
from typing import Any

HEAD = {"date": str, "device": str, "capability": (str, type(None)), "driver": (str, type(None)),
        "cuda": (str, type(None)), "python": str, "torch": str, "triton": (str, type(None)),
        "commit": (str, type(None))}  # fmt: skip
RESULT = {"group": str, "direction": str, "batch": int, "heads": int, "kv_heads": int, "q_len": int, "k_len": int,
          "head_dim": int, "v_head_dim": int, "causal": bool, "dtype": str}  # fmt: skip
MEASURED = {"flops": int, "bytes": int, "ways": dict, "rival": (str, type(None)), "speed_beside_rival": dict}
WAY = {"milliseconds": float, "best": float, "n": int, "error": float, "tflops": float, "gb_per_s": float}


def problems(record: dict[str, Any]) -> list[str]:
    """What a record lacks or has of the wrong type, one line each."""
    found = _fields(record, {"dry_run": bool, "machine": dict, "ceilings": dict, "results": list}, "record")
    if found:
        return found
    found = _fields(record["machine"], HEAD, "machine")
    found += _fields(record["ceilings"], {"tflops": float, "gb_per_s": float, "measured_by": str}, "ceilings")
    for i, result in enumerate(record["results"]):
        where = f"results[{i}]"
        found += _fields(result, RESULT, where)
        if "skipped" in result:
            continue
        wrong = _fields(result, MEASURED, where)
        found += wrong
        for name, way in ({} if wrong else result["ways"]).items():
            if not {"cannot", "wrong"} & set(way):
                found += _fields(way, WAY, f"{where}.ways[{name!r}]")
    return found


def _fields(record: dict[str, Any], fields: dict[str, Any], where: str) -> list[str]:
    found = []
    for name, kind in fields.items():
        if name not in record:
            found.append(f"{where}: {name} is missing")
        elif not isinstance(record[name], kind) or (isinstance(record[name], bool) and kind is not bool):
            found.append(f"{where}: {name} is {record[name]!r}")
    return found


def write(record: dict[str, Any], path: Path) -> None:
    """Refuses a record with problems: what is written can be read by the plot."""
    if found := problems(record):
        raise ValueError("the record is not complete: " + "; ".join(found[:5]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    """A record, checked."""
    record = json.loads(path.read_text(encoding="utf-8"))
    if found := problems(record):
        raise ValueError(f"{path} is not a record of this benchmark: {'; '.join(found[:5])}")
    return record


def missed(record: dict[str, Any]) -> list[str]:
    """Wrong numbers, and workloads that none of the library's ways could do: reasons to fail the run."""
    found = []
    for r in (r for r in record["results"] if "skipped" not in r):
        where = f"{r['group']}, {r['direction']}, {r['k_len']} keys"
        ours = {name: way for name, way in r["ways"].items() if not name.startswith("SDPA")}
        found += [f"{where}: {name} is wrong, {way['wrong']}" for name, way in ours.items() if "wrong" in way]
        if all("cannot" in way for way in ours.values()):
            found += [f"{where}: {name} could not run: {way['cannot']}" for name, way in ours.items()]
    return found
