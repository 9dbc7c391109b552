"""How many test samples and seeds an interval needs, from a pilot of files and of runs."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from command import json_of, refused, succeed
from data import write_npz
from runs import SKILLS, predictions, write_run, write_runs
from scipy import stats

SVG = "{http://www.w3.org/2000/svg}"
Z = stats.norm.ppf(0.975)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One method on one dataset, five seeds."""
    folder, = write_runs(tmp_path_factory.mktemp("runs"), ["coop"], ["doodles:shapes"],
                         seeds=range(1, 6))
    return folder


def test_of_a_file(examples):
    """The half-width of the pilot is that of its DeLong interval, which doubles the pair term and is
    symmetric on the logit scale."""
    result = json_of("samplesize", examples / "gmop.npz", "--half-width", 0.01)
    interval = json_of("eval", examples / "gmop.npz", "--metrics", "openworld_auc")["metrics"][
        "openworld_auc"]["interval"]
    half = (interval["high"] - interval["low"]) / 2
    assert result["schema"] == "openworld.samplesize/1"
    assert result["metric"] == "openworld_auc"
    assert result["pilot"]["half_width"] == pytest.approx(half, rel=0.01)
    plan = result["plan"]
    assert result["reached"] and 0.0099 < plan["half_width"] <= 0.01
    assert plan["base"] == plan["open"]  # the pilot's ratio
    assert plan["base"] == pytest.approx(960 * (half / 0.01) ** 2, rel=0.02)
    parts = result["components"]
    for study in (plan, result["cheapest"]):
        variance = (parts["base"]["shared"] / study["base"] + parts["open"]["shared"] / study["open"]
                    + parts["pairs"] / (study["base"] * study["open"]))
        assert study["half_width"] == pytest.approx(Z * np.sqrt(variance), rel=1e-9)
    cheapest = result["cheapest"]
    assert cheapest["base"] + cheapest["open"] <= plan["base"] + plan["open"]
    assert cheapest["open"] / cheapest["base"] == pytest.approx(
        np.sqrt(parts["open"]["shared"] / parts["base"]["shared"]), rel=0.001)
    assert parts["seed"] is None and result["by_seeds"] == []


def test_what_is_given_stays(examples):
    def plan(*flags):
        return json_of("samplesize", examples / "gmop.npz", "--half-width", 0.02, *flags)["plan"]

    assert plan("--base", 5000)["base"] == 5000
    assert plan("--new", 5000)["open"] == 5000
    half = plan("--ratio", 0.5)
    assert half["open"] == pytest.approx(half["base"] / 2, abs=1)
    whole = json_of("samplesize", examples / "gmop.npz", "--half-width", 0.02, "--base", 100,
                    "--new", 200)
    assert not whole["reached"] and whole["plan"]["half_width"] > 0.02
    assert "wider than asked for" in succeed("samplesize", examples / "gmop.npz", "--half-width",
                                             0.02, "--base", 100, "--new", 200)


def test_of_one_side(examples):
    plan = json_of("samplesize", examples / "gmop.npz", "--half-width", 0.02, "--metric",
                   "base_acc")["plan"]
    assert plan["open"] == 0 and plan["base"] > 1000


def test_of_runs(runs):
    """A folder of seeds, or the seeds by name."""
    result = json_of("samplesize", runs, "--half-width", 0.05, "--metric", "hm")
    again = json_of("samplesize", *sorted(runs.iterdir()), "--half-width", 0.05, "--metric", "hm")
    assert again["plan"] == result["plan"]
    assert result["pilot"]["seeds"] == 5 and len(result["sources"]) == 5
    values = [json_of("eval", path, "--metrics", "hm")["metrics"]["hm"]["value"]
              for path in sorted(runs.iterdir())]
    parts = result["components"]
    assert result["value"] == pytest.approx(np.mean(values), abs=1e-14)
    assert parts["between_seeds"] == pytest.approx(np.var(values, ddof=1), abs=1e-14)
    own = parts["base"]["own"] / 150 + parts["open"]["own"] / 150
    assert parts["seed"] == pytest.approx(max(0, parts["between_seeds"] - own), abs=1e-14)
    seeds = [study["seeds"] for study in result["by_seeds"]]
    samples = [study["base"] for study in result["by_seeds"]]
    assert seeds == sorted(seeds) and samples == sorted(samples, reverse=True) and len(seeds) > 2
    one = json_of("samplesize", runs / "seed-1", "--half-width", 0.05, "--metric", "hm")
    assert one["pilot"]["seeds"] == 1 and one["components"]["seed"] is None


def test_text(runs, examples):
    text = succeed("samplesize", runs, "--half-width", 0.05)
    for fragment in ("OpenworldAUC", "asked for: \u00b15.00 at 95 %", "pilot", "plan", "cheapest",
                     "other seeds", "the mean over seeds", "their own variance is taken as 0"):
        assert fragment in text
    text = succeed("samplesize", examples / "gmop.npz", "--half-width", 0.05)
    assert "covers no other seeds" in text and "other seeds  " not in text


@pytest.mark.parametrize("flags", [[], ["--seeds", 8], ["--base", 4000], ["--metric", "base_acc"],
                                   ["--base", 300, "--new", 300]])
def test_curve(runs, folder, flags):
    """Within the frame, falling, and through the plan."""
    picture = folder / "curve.svg"
    text = succeed("samplesize", runs, "--half-width", 0.06, "--curve", picture, *flags)
    assert f"wrote {picture}" in text
    root = ElementTree.parse(picture).getroot()
    labels = [element.text for element in root.iter(f"{SVG}text")]
    assert {"pilot", "plan", "asked for: \u00b16"} <= set(labels)
    line = root.find(f".//{SVG}polyline").get("points")
    x, y = np.array([point.split(",") for point in line.split()], float).T
    assert (np.diff(x) >= 0).all() and (np.diff(y) >= 0).all() and y.max() > y.min()  # y points down
    assert x.min() >= 58 and x.max() <= 464 and y.min() >= 40 and y.max() <= 370
    plan = root.findall(f".//{SVG}circle")[1]
    at = np.interp(float(plan.get("cx")), x, y)
    assert float(plan.get("cy")) == pytest.approx(at, abs=1.5)


@pytest.mark.parametrize("flags, says", [
    (["--half-width", 0], ["half-width is 0; expected a number between 0 and 0.5"]),
    (["--half-width", -0.1], ["half-width is -0.1"]),
    (["--half-width", 0.5], ["half-width is 0.5"]),
    (["--half-width", "nan"], ["half-width is nan"]),
    (["--half-width", "wide"], ["--half-width", "wide"]),
    (["--half-width", 0.1, "--level", 95], ["--level", "expected a number between 0 and 1"]),
    (["--half-width", 0.1, "--metric", "overall_acc"],
     ["overall_acc has no variance components; expected one of openworld_auc,", "hm"]),
    (["--half-width", 0.1, "--metric", "aupr_base"], ["aupr_base has no variance components"]),
    (["--half-width", 0.1, "--metric", "aurok"], ["unknown metric 'aurok'; did you mean auroc?"]),
    (["--half-width", 0.1, "--seeds", 3],
     ["3 seeds asked for and a pilot of one", "expected runs of two seeds or more"]),
    (["--half-width", 0.1, "--seeds", 0], ["seeds is 0"]),
    (["--half-width", 0.1, "--seeds", -3], ["--seeds", "expected a whole number"]),
    (["--half-width", 0.1, "--base", 1], ["base is 1; expected two samples or more"]),
    (["--half-width", 0.1, "--ratio", 0], ["ratio is 0; expected a number above 0"]),
    (["--half-width", 0.1, "--ratio", 2, "--new", 10], ["both a ratio and a number of samples"]),
    (["--half-width", 0.001, "--base", 50], ["50 base samples are too few"]),
    (["--half-width", 1e-9], ["samples; expected a half-width that 1e15 can give"]),
    ([], ["--half-width", "required"]),
])
def test_refused(examples, flags, says):
    refused("samplesize", examples / "gmop.npz", *flags, says=["samplesize", *says])


def test_refused_pilots(runs, folder, examples):
    half = ["--half-width", 0.05]
    arrays = {"side": np.zeros(30, int), "score": np.arange(30.0), "correct": np.arange(30) % 2}
    alone = write_npz(folder / "base.npz", arrays)
    refused("samplesize", alone, *half,
            says=[str(alone), "openworld_auc is undefined: no new samples"])
    refused("samplesize", examples / "gmop.npz", examples / "coop.npz", *half, says=["run"])
    other = write_run(folder / "gmop", "gmop", "doodles:shapes", seed=9)
    refused("samplesize", runs / "seed-1", other, *half,
            says=["runs of 2 methods (coop, gmop); expected runs that differ in their seeds alone"])
    elsewhere = write_run(folder / "instruments", "coop", "doodles:instruments", seed=9)
    refused("samplesize", runs / "seed-1", elsewhere, *half, says=["runs of 2 datasets"])
    refused("samplesize", runs / "seed-1", runs / "seed-1", *half, says=["expected one run of each"])


def test_seeds_that_differ(folder):
    """Three models that separate base from new unequally well: two seeds cannot do."""
    for seed, lift in ((1, 0.4), (2, 0.8), (3, 1.2)):
        arrays = predictions(SKILLS["coop"][0], lift, 1, seed)
        write_run(folder / "runs" / f"seed-{seed}", "coop", seed=seed, arrays=arrays)
    result = json_of("samplesize", folder / "runs", "--half-width", 0.05, "--metric", "auroc")
    deviation = np.sqrt(result["components"]["seed"])
    assert deviation > 0.05

    def part(seeds):
        return stats.t.ppf(0.975, seeds - 1) * deviation / np.sqrt(seeds)

    least = next(seeds for seeds in range(2, 1000) if part(seeds) < 0.05)
    refused("samplesize", folder / "runs", "--half-width", 0.05, "--metric", "auroc", "--seeds", 2,
            says=[f"2 seeds give a half-width of at least {part(2):.4g}", f"expected {least} seeds or more"])
    chosen = result["plan"]["seeds"]  # not the pilot's three, which cannot do either
    assert part(chosen) ** 2 <= 0.05**2 / 2 < part(chosen - 1) ** 2
    assert "standard deviation on unlimited samples is" in succeed(
        "samplesize", folder / "runs", "--half-width", 0.05, "--metric", "auroc")
