"""`tune --scenario`: every scenario from the command line, what it writes, and what is refused."""

import json

import numpy as np
import pytest
from command import json_of, needs_models, refused, run, succeed
from tuning import read_json

pytestmark = needs_models

POCKET = ("tune", "--method", "zero-shot", "--model", "pocket", "--data", "doodles:shapes",
          "--shots", "2", "--no-cache", "--threads", "1")
# Other datasets of the scenarios that have some; levels as in `openworld ls scenarios`.
OTHERS = {"looks": ("--looks", "chalk"), "targets": ("--targets", "instruments@chalk"), None: ()}
SCENARIOS = {row["name"]: row for row in json_of("ls", "scenarios")["scenarios"]}


def others(name):
    return OTHERS[SCENARIOS[name]["others"]]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario(tmp_path, name):
    result = json_of(*POCKET, "--scenario", name, *others(name), "--out", "run", cwd=tmp_path)
    shown = json_of("scenario", "show", name, "--data", "doodles:shapes", *others(name))
    assert result["metrics"] == {}
    assert len(result["views"]) == len(shown["views"])
    for view, planned in zip(result["views"], shown["views"]):
        for key in ("world", "level", "t"):
            assert view[key] == planned[key]
        assert view["base_images"] == planned["base"]["images"]
        assert view["new_images"] == planned["new"]["images"]
        # Metrics by their definitions, from the file alone.
        arrays = np.load(tmp_path / "run" / view["file"])
        side, metrics = arrays["side"], view["metrics"]
        known = side >= 0
        assert metrics["overall_acc"]["value"] == pytest.approx(
            arrays["overall_correct"][known].mean())
        for metric, here in (("base_acc", side == 0), ("new_acc", side == 1)):
            if here.any():
                assert metrics[metric]["value"] == pytest.approx(arrays["correct"][here].mean())
            else:
                assert metrics[metric]["value"] is None and metrics[metric]["why"]
        pairs = arrays["score"][side == 0][:, None] > arrays["score"][side == 1][None, :]
        right = arrays["correct"][side == 0][:, None] & arrays["correct"][side == 1][None, :]
        if pairs.size:
            assert metrics["openworld_auc"]["value"] == pytest.approx((pairs & right).mean())
        else:
            assert metrics["openworld_auc"]["value"] is None
    spec = read_json(tmp_path / "run" / "run.json")["scenario"]
    assert (spec["name"], spec["version"]) == (name, SCENARIOS[name]["version"])
    assert spec["options"] == shown["options"]

    # The same again from the files: a row for each level, and one file like any other.
    table = succeed("eval", "run", "--ci", "none", cwd=tmp_path)
    for view in result["views"]:
        assert f"{view['world']}, {view['level']} " in table
    one = json_of("eval", "run/view-000.npz", "--metrics", "overall_acc", cwd=tmp_path)
    assert one["metrics"]["overall_acc"] == result["views"][0]["metrics"]["overall_acc"]


def test_recognition_is_plain_tuning(tmp_path):
    json_of(*POCKET, "--out", "plain", cwd=tmp_path)
    json_of(*POCKET, "--scenario", "recognition", "--out", "view", cwd=tmp_path)
    plain, view = np.load(tmp_path / "plain/predictions.npz"), np.load(
        tmp_path / "view/view-000.npz")
    for name in ("side", "label", "score"):
        assert np.array_equal(plain[name], view[name])
    assert np.array_equal(plain["base_logits"].argmax(1), view["predicted"])


def test_text_and_curves(tmp_path):
    for method in ("zero-shot", "coop"):
        args = [*POCKET, "--scenario", "emerging", "--scenario-set", "levels=0,0.5,1", "--seeds",
                "1-2", "--out", method]
        args[args.index("--method") + 1] = method
        text = succeed(*args, *(["--epochs", "1"] if method == "coop" else []), cwd=tmp_path)
        assert text.count("overall_acc") == 2
    curves = json_of("drc", "zero-shot", "coop", "--zero-shot", "zero-shot", cwd=tmp_path)
    results = {m: [read_json(tmp_path / m / f"seed-{s}/result.json") for s in (1, 2)]
               for m in ("zero-shot", "coop")}

    def mean(method, level):
        return np.mean([r["views"][level]["metrics"]["overall_acc"]["value"]
                        for r in results[method]])

    text = json.dumps(curves)
    for method in results:
        acc = [mean(method, level) for level in range(3)]
        area = (acc[0] + 2 * acc[1] + acc[2]) / 4
        assert any(abs(value - area) < 1e-12 for value in numbers(curves)), text


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, (int, float)) else []


def test_resumes_a_finished_run_and_refuses_another(tmp_path):
    first = succeed(*POCKET, "--scenario", "emerging", "--out", "run", cwd=tmp_path)
    again = run(*POCKET, "--scenario", "emerging", "--out", "run", cwd=tmp_path)
    assert again.code == 0 and again.out == first and "is finished" in again.err
    for other in (("--scenario", "varying-ratio"), ("--scenario", "emerging", "--scenario-set",
                                                    "levels=0,1"), ()):
        refused(*POCKET, *other, "--out", "run", says=["holds a run"], cwd=tmp_path)


@pytest.mark.parametrize("args, message", [
    (("--scenario", "emergin"), "did you mean emerging?"),
    (("--scenario", "emerging", "--looks", "chalk"), "expected the source alone"),
    (("--scenario", "domain", "--targets", "food@chalk"), "expected looks"),
    (("--scenario", "emerging", "--scenario-set", "level=1"), "levels"),
    (("--scenario", "emerging", "--scenario-set", "levels=2"), "numbers from 0 to 1"),
    (("--looks", "chalk"), "--scenario"),
    (("--scenario-set", "levels=1"), "--scenario"),
    (("--scenario", "recognition", "--base", "all"), "--base"),
])
def test_refused(tmp_path, args, message):
    refused(*POCKET, *args, "--out", "run", says=[message], cwd=tmp_path)
    assert not (tmp_path / "run").exists()


def test_commands_refuse_what_is_not_one_view(tmp_path):
    for seed in ("1", "2"):
        succeed(*POCKET, "--scenario", "recognition", "--seed", seed, "--out", f"run{seed}",
                cwd=tmp_path)
    one = "a run of the scenario recognition"
    for args, says in ((("curve", "run1"), "view-000.npz"),
                       (("threshold", "run1", "--max-miss", "0.3"), "view-000.npz"),
                       (("eval", "run1", "run2"), one),
                       (("report", "run1", "run2", "--out", "page.html"), one),
                       (("drc", "run1", "--zero-shot", "zero-shot"), "not a number")):
        refused(*args, says=[says], cwd=tmp_path)
    # Damage is found by the hash.
    (tmp_path / "run1/view-000.npz").write_bytes(b"")
    refused("eval", "run1", says=["SHA-256"], cwd=tmp_path)
