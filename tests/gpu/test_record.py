"""The JSON file, the plot of it, and what is left out."""

import json

import pytest

from tests.benchmarks.gpu import counts, measuring, plot, record, run, workloads

#: Made up, for tests: no measurement.
MACHINE = {"date": "2000-01-02T03:04:05+00:00", "device": "Made-Up GPU (0 GB)", "capability": "sm_00", "driver": "0",
           "cuda": "0.0", "python": "3.0", "torch": "0.0", "triton": None, "commit": None}  # fmt: skip


def made_up() -> dict:
    results = []
    for i, w in enumerate(workloads.plan()):
        if w.k_len == 16_384:
            results.append({**w.sizes(), "skipped": "no time: 0 s were left"})
            continue
        ours, theirs = 1.5 + i, 1.0 + i
        ways = {
            "Triton": {"milliseconds": ours, "best": ours, "n": 5, "error": 0.001, **counts.rates(w, ours)},
            "SDPA flash": {"milliseconds": theirs, "best": theirs, "n": 5, "error": 0.001, **counts.rates(w, theirs)},
            "SDPA cuDNN": {"cannot": "made up"},
        }
        sums = {"flops": counts.flops(w), "bytes": counts.read_and_written(w)}
        results.append({**w.sizes(), **sums, "ways": ways, **measuring.compared(ways)})
    ceilings = {"tflops": 100.0, "gb_per_s": 1000.0, "measured_by": "nothing"}
    return {"dry_run": False, "machine": dict(MACHINE), "ceilings": ceilings, "results": results}


def test_a_record_is_written_and_read(tmp_path):
    paths = run.save(made_up(), tmp_path)
    assert [path.name for path in paths] == ["made-up-gpu-0-gb-2000-01-02.json", "made-up-gpu-0-gb-2000-01-02.svg"]
    assert record.read(paths[0]) == made_up()
    text = paths[1].read_text()
    for said in ("Made-Up GPU", "MLA, backward, causal", "a big copy", "a product", "Triton"):
        assert f"<!-- {said}" in text, said
    assert ", 2000-01-02 -->" in text


def test_a_dry_run_says_that_it_is_none(tmp_path):
    found = made_up()
    path = run.save(found | {"dry_run": True, "results": found["results"][:1]}, tmp_path)[1]
    assert path.name == "dry-run.svg" and "no measurement" in path.read_text()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda r: r.pop("ceilings"), "record: ceilings is missing"),
        (lambda r: r["machine"].update(torch=None), "machine: torch is None"),
        (lambda r: r["results"][3].update(heads=1.5), "results[3]: heads is 1.5"),
        (lambda r: r["results"][3].pop("flops"), "results[3]: flops is missing"),
        (lambda r: r["results"][3]["ways"]["Triton"].pop("n"), "results[3].ways['Triton']: n is missing"),
        (lambda r: r["results"][3].update(batch=True), "results[3]: batch is True"),
    ],
)
def test_a_record_that_lacks_something_is_refused(tmp_path, spoil, said):
    spoiled = made_up()
    spoil(spoiled)
    assert record.problems(spoiled) == [said]
    with pytest.raises(ValueError, match="not complete"):
        run.save(spoiled, tmp_path)
    (tmp_path / "x.json").write_text(json.dumps(spoiled))
    with pytest.raises(ValueError, match="is not a record of this benchmark"):
        record.read(tmp_path / "x.json")
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_the_panels_hold_each_rate_once():
    panels = plot.panels(made_up())
    first = made_up()["results"][0]
    title = f"{first['group']}, {first['direction']}" + (", causal" if first["causal"] else "")
    assert panels[title]["Triton"][0] == (512, first["ways"]["Triton"]["tflops"])
    assert [n for n, _ in panels["GQA, forward, causal"]["Triton"]] == [512, 1024, 2048, 4096, 8192]  # one was skipped
    decode = next(r for r in made_up()["results"] if r["direction"] == "decode" and r["batch"] == 64)
    assert panels["decode, batch 64"]["SDPA flash"][0] == (1024, decode["ways"]["SDPA flash"]["gb_per_s"])
    assert all("SDPA cuDNN" not in ways for ways in panels.values())


def test_without_matplotlib_there_is_the_json_alone(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_svg", None)
    assert [path.suffix for path in run.save(made_up(), tmp_path)] == [".json"]


def test_the_rival_is_the_first_that_could():
    ways = {"Triton": {"milliseconds": 4.0}, "SDPA flash": {"cannot": "x"}, "SDPA cuDNN": {"milliseconds": 3.0}}
    assert measuring.compared(ways) == {"rival": "SDPA cuDNN", "speed_beside_rival": {"Triton": 0.75}}
    assert measuring.compared({"Triton": {"milliseconds": 4.0}})["rival"] is None


def test_wrong_numbers_fail_the_run_and_a_rival_that_cannot_does_not():
    found = made_up()
    assert record.missed(found) == []
    found["results"][0]["ways"]["Triton"] = {"wrong": "differs by 1", "error": 1.0}
    assert record.missed(found)[0].endswith("Triton is wrong, differs by 1")
    found["results"][0]["ways"]["Triton"] = {"cannot": "crash"}
    assert record.missed(found)[0].endswith("Triton could not run: crash")


def test_what_there_is_no_time_or_memory_for_is_left_out_with_the_reason():
    short, long = workloads.plan()[0], workloads.plan()[-1]
    assert run.skip_because(short, 100.0, {}, None) is None
    assert run.skip_because(short, 4.0, {}, None) == "no time: 4 s were left"  # nothing known yet: five seconds
    assert run.skip_because(long, 11.0, {8192: 3.0}, None) == "no time: 11 s were left"  # four times as long
    assert run.skip_because(long, 13.0, {8192: 3.0}, None) is None
    assert run.skip_because(long, 100.0, {}, 10**6).startswith("no memory:")
