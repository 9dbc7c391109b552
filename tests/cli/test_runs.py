"""Run folders where prediction files are expected, and several of them compared."""

import json

import numpy as np
import pytest
from command import json_of, metric, refused, succeed, without_cost
from data import write_npz
from runs import DATASETS, SKILLS, predictions, write_run, write_runs

METRICS = ("base_acc", "new_acc", "hm", "auroc", "openworld_auc")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Three methods, two datasets, three seeds."""
    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def result(runs):
    return json_of("eval", *runs)


def holm(p_values):
    """Holm (1979), from the definition."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, floor = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        floor = max(floor, min(1.0, (len(order) - rank) * p_values[i]))
        adjusted[i] = floor
    return adjusted


def test_a_run_folder_is_its_predictions(runs):
    folder = runs[0] / "seed-1"
    for call in (["eval", "--metrics", "all"], ["curve"], ["sensitivity"],
                 ["threshold", "--max-miss", 0.6]):
        of_folder, of_file = (json_of(call[0], path, *call[1:])
                              for path in (folder, folder / "predictions.npz"))
        assert str(folder / "predictions.npz") in json.dumps(of_file)
        assert without_cost(of_folder) == without_cost(of_file).replace("/predictions.npz", "")


def test_a_folder_of_runs(runs, result):
    """As a glob of it."""
    assert without_cost(json_of("eval", runs[0].parent)) == without_cost(json_of("eval", *sorted(runs)))
    refused("eval", runs[0].parent.parent / "nothing", says=["nothing: cannot open"])


def test_a_folder_that_is_no_run(folder):
    (folder / "photos").mkdir()
    for command in (["eval"], ["curve"], ["threshold", "--max-miss", 0.5]):
        refused(command[0], folder / "photos", *command[1:],
                says=["photos: not a run folder; expected one with a run.json, or predictions with a side.npy"])


def test_compare_takes_run_folders(runs):
    a, b = runs[0] / "seed-1", runs[2] / "seed-1"
    first, second = (json_of("compare", x, y, "--metrics", "auroc")["comparisons"][0]["metrics"]
                     for x, y in ((a, b), (a / "predictions.npz", b / "predictions.npz")))
    assert first == second


def test_values_are_means_over_seeds_and_datasets(runs, result):
    assert result["schema"] == "openworld.runs/2"
    assert result["datasets"] == list(DATASETS)
    assert result["reference"] == "zero-shot"
    assert len(result["runs"]) == 18
    assert [method["label"] for method in result["methods"]] == list(SKILLS)
    for m, method in enumerate(result["methods"]):
        assert tuple(method["metrics"]) == METRICS
        for name in ("hm", "auroc"):
            means = []
            for d, data in enumerate(DATASETS):
                values = [metric(runs[2 * m + d] / f"seed-{seed}", name) for seed in (1, 2, 3)]
                one = method["metrics"][name]["by_dataset"][data]
                assert list(one["by_seed"].values()) == values
                assert one["value"] == pytest.approx(np.mean(values), abs=1e-15)
                means.append(np.mean(values))
            value = method["metrics"][name]
            assert value["value"] == pytest.approx(np.mean(means), abs=1e-15)
            assert value["interval"]["low"] < value["value"] < value["interval"]["high"]
            assert value["interval"]["method"] == "two_way_bootstrap"


def test_the_order_of_runs_does_not_matter(runs, result):
    """A glob sorts by name; zero-shot is the reference wherever it stands, and the draws are the same."""
    expected = {method["label"]: method["metrics"] for method in result["methods"]}
    for order in (sorted(runs, key=str), list(reversed(runs))):
        other = json_of("eval", *order)
        assert other["reference"] == "zero-shot" and other["datasets"] == result["datasets"]
        assert {method["label"]: method["metrics"] for method in other["methods"]} == expected
        assert (sorted(other["differences"], key=lambda row: row["label"])
                == sorted(result["differences"], key=lambda row: row["label"]))
    assert json_of("eval", *(run for run in runs if "zero-shot" not in run.name))["reference"] == "coop"


def test_differences(result):
    values = {method["label"]: method["metrics"] for method in result["methods"]}
    assert [row["label"] for row in result["differences"]] == ["coop", "gmop"]
    for name in METRICS:
        p_values = [row["metrics"][name]["p_value"] for row in result["differences"]]
        for row, adjusted in zip(result["differences"], holm(p_values)):
            assert row["against"] == "zero-shot"
            mine = row["metrics"][name]
            assert mine["difference"] == pytest.approx(
                values[row["label"]][name]["value"] - values["zero-shot"][name]["value"], abs=1e-15)
            assert mine["p_value_holm"] == pytest.approx(adjusted)
            assert mine["significant"] == (adjusted < 0.05)
            assert mine["interval"]["low"] < mine["difference"] < mine["interval"]["high"]
    assert all(m["significant"] for m in result["differences"][1]["metrics"].values())


def test_against_another(runs, result):
    other = json_of("eval", *runs, "--against", "gmop")
    assert other["reference"] == "gmop"
    assert [row["label"] for row in other["differences"]] == ["zero-shot", "coop"]
    assert (other["differences"][0]["metrics"]["hm"]["difference"]
            == -result["differences"][1]["metrics"]["hm"]["difference"])
    assert other["methods"] == result["methods"]


def test_two_runs_are_compared(runs):
    result = json_of("eval", runs[0] / "seed-1", runs[4] / "seed-1", "--metrics", "auroc")
    assert [method["label"] for method in result["methods"]] == ["zero-shot", "gmop"]
    assert result["datasets"] == [DATASETS[0]]
    text = succeed("eval", runs[0] / "seed-1", runs[4] / "seed-1")
    assert "the intervals do not cover other seeds" in text


def test_text(runs):
    text = succeed("eval", *runs)
    assert text.startswith("3 methods on 2 datasets, 18 runs; seeds 1 to 3\n")
    for heading in ("mean over datasets", *DATASETS, "coop against zero-shot",
                    "gmop against zero-shot"):
        assert any(line.startswith(heading) for line in text.split("\n"))
    rows = [line for line in text.split("\n") if line.startswith("gmop  ")]
    assert len(rows) == 3 and all(row.count("*") == 5 and row.count("±") == 5 for row in rows)
    assert "* significant at 5 % after Holm's correction over 2 comparisons" in text


def test_text_of_one_dataset(runs):
    text = succeed("eval", runs[0], runs[2])
    assert "mean over datasets" not in text
    assert sum(line.startswith("coop  ") for line in text.split("\n")) == 1


def test_text_and_json_agree(runs, result):
    line = next(line for line in succeed("eval", *runs).split("\n") if line.startswith("coop  "))
    value = result["methods"][1]["metrics"]["base_acc"]["value"]
    assert line.split()[1] == f"{100 * value:.2f}"


def test_without_intervals(runs):
    result = json_of("eval", *runs, "--ci", "none")
    assert "interval" not in json.dumps(result["methods"])
    assert "p_value" not in json.dumps(result["differences"])
    assert "±" not in succeed("eval", *runs, "--ci", "none")


def test_three_datasets_have_a_second_interval(folder):
    for method in ("coop", "gmop"):
        for d, data in enumerate(("a", "b", "c")):
            write_run(folder / method / data, method, data,
                      arrays=predictions(*SKILLS[method], d, 1))
    paths = sorted(folder.glob("*/*"))
    row = json_of("eval", *paths)["differences"][0]["metrics"]["auroc"]
    by_dataset = [one["difference"] for one in row["by_dataset"].values()]
    # t_{0.975, 2} = 4.302653
    reach = 4.302653 * np.std(by_dataset, ddof=1) / np.sqrt(3)
    assert row["interval_over_datasets"]["high"] == pytest.approx(np.mean(by_dataset) + reach)
    assert row["interval_over_datasets"]["method"] == "student_t"
    assert "over datasets" in succeed("eval", *paths)


def test_diagnose(runs):
    result = json_of("eval", runs[0], runs[4], "--diagnose")
    for method in result["methods"]:
        mine = result["diagnosis"][method["label"]]
        value = method["metrics"]["openworld_auc"]["value"]
        assert mine["openworld_auc"] == pytest.approx(value)
        assert sum(mine["cost"].values()) == pytest.approx(1 - value)
    assert "costs of the stages" in succeed("eval", runs[0], runs[4], "--diagnose")


def test_same_bits(runs, result):
    assert without_cost(json_of("eval", *runs, "--threads", 1)) == without_cost(result)
    assert without_cost(json_of("eval", *runs, "--seed", 1)) != without_cost(result)


def test_labels(folder):
    """What was changed, and shots where they differ."""
    write_run(folder / "a", "coop")
    write_run(folder / "b", "coop", changed={"context": 4, "csc": True, "init": "a b"})
    write_run(folder / "c", "gmop", shots=4)
    write_run(folder / "d", "gmop", shots=16)
    paths = [folder / name for name in "abcd"]
    labels = [method["label"] for method in json_of("eval", *paths, "--ci", "none")["methods"]]
    assert labels == ["coop", 'coop context=4 csc=true init="a b"', "gmop shots=4",
                      "gmop shots=16"]


def test_a_folder_of_seeds_in_order(folder):
    for seed in (10, 9):
        write_run(folder / "x" / f"seed-{seed}", "coop", seed=seed)
    (folder / "x" / ".hidden").write_text("")
    result = json_of("eval", folder / "x")
    assert [run["seed"] for run in result["runs"]] == [9, 10]
    refused("curve", folder / "x", says=["[curve]", "x: holds 2 runs; expected one", "seed-9"])


# Refusals.


def test_unfinished(folder):
    write_run(folder / "a", "coop", finished=False)
    write_run(folder / "b", "gmop")
    says = ["a: not finished, result.json is missing; run the same command again to resume"]
    refused("eval", folder / "a", folder / "b", says=says)
    for call in (["eval"], ["curve"], ["sensitivity"], ["threshold", "--max-miss", 0.5]):
        refused(call[0], folder / "a", *call[1:], says=[f"[{call[0]}]", *says])
    refused("threshold", "--run", folder / "a", "--max-miss", 0.5, says=says)


def test_twice(folder):
    write_run(folder / "a", "coop")
    write_run(folder / "b", "coop")
    refused("eval", folder / "a", folder / "b",
            says=["a and ", "b are both coop on doodles:shapes with seed 1; expected one run"])


def test_missing_path(runs):
    refused("eval", runs[0], "none", says=["[eval] none: does not exist; expected a prediction file or a run folder"])


def test_missing_cell(runs):
    refused("eval", *runs[:5],
            says=["gmop on doodles:shapes with seed 1 is missing, while zero-shot has"])


def test_other_samples(folder):
    write_run(folder / "a", "coop")
    arrays = predictions(*SKILLS["gmop"], 0, 1)
    arrays["side"][3] = 1
    write_run(folder / "b", "gmop", arrays=arrays)
    refused("eval", folder / "a", folder / "b",
            says=["side[3] is 0 in coop on doodles:shapes with seed 1 and 1 in gmop on"])


def test_files_and_runs(runs, good):
    refused("eval", runs[0] / "seed-1", good,
            says=["seed-1 is a run folder and ", "good.npz is not; expected files or run folders"])


def test_flags_of_runs(runs, good):
    refused("eval", *runs, "--against", "gmp",
            says=["no run has the label 'gmp'; did you mean gmop? There are"])
    refused("eval", good, "--against", "gmop", says=["--against needs two or more run folders"])
    refused("eval", *runs, "--per-class", says=["--per-class takes files or one run"])


BAD_FIELDS = {
    "schema": ("openworld.run/2", 'schema is "openworld.run/2"; expected openworld.run/1'),
    "method": ("a\nb", 'method is "a\\nb"; expected a name'),
    "title": (3, "title is 3; expected"),
    "changed": ([], "has no changed object"),
    "seed": (-1, "seed is -1; expected a whole number below 2^64"),
    "shots": (1.5, "shots is 1.5; expected a whole number"),
    "model": (None, "has no model object"),
    "data": ({"path": ""}, 'data.path is ""; expected a name'),
}


@pytest.mark.parametrize("field", BAD_FIELDS)
def test_bad_run_json(folder, field):
    value, says = BAD_FIELDS[field]
    path = write_run(folder / "a", "coop") / "run.json"
    write_run(folder / "b", "gmop")
    run = json.loads(path.read_text())
    run[field] = value
    path.write_text(json.dumps(run))
    refused("eval", folder / "a", folder / "b", says=["[eval]", "a/run.json: ", says])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1, "schema": 2}', "[" * 100])
def test_no_run_json(folder, text):
    path = write_run(folder / "a", "coop") / "run.json"
    write_run(folder / "b", "gmop")
    path.write_text(text)
    refused("eval", folder / "a", folder / "b", says=["[eval]", "a/run.json: "])


def test_bad_predictions_of_a_run(folder):
    write_run(folder / "a", "coop")
    write_run(folder / "b", "gmop")
    write_npz(folder / "b" / "predictions.npz", {"side": np.zeros(3)})
    refused("eval", folder / "a", folder / "b", says=["b/predictions.npz: "])


# openworld threshold --run


def test_threshold_is_kept(folder):
    path = write_run(folder / "a", "gmop")
    shown = json_of("threshold", "--run", path, "--max-miss", 0.6)
    kept = json.loads((path / "threshold.json").read_text())
    assert without_cost(shown) == json.dumps(kept)
    assert "cost" not in kept and kept["max_miss"] == 0.6
    text = succeed("threshold", "--run", path, "--max-miss", 0.5)
    assert text.endswith("threshold.json\n") and "\nwrote " in text
    assert json.loads((path / "threshold.json").read_text())["max_miss"] == 0.5


def test_threshold_for_unknown_samples(folder):
    """Both are kept, counted here again, and the text says which promise is about a batch."""
    arrays = predictions(*SKILLS["gmop"], 0, 1)
    arrays["side"][::9] = -1
    path = write_run(folder / "a", "gmop", arrays=arrays)
    flags = ["--run", path, "--max-miss", 0.6, "--max-unknown", 0.1, "--next", 500]
    shown = json_of("threshold", *flags)
    assert shown["schema"] == "openworld.threshold/3"
    assert without_cost(shown) == json.dumps(json.loads((path / "threshold.json").read_text()))
    fit = np.concatenate([arrays["base_logits"], arrays["new_logits"]], 1).max(1)
    side, unknown = arrays["side"], shown["unknown"]
    low = fit <= unknown["threshold"]
    called = (arrays["score"] <= shown["threshold"]) & low
    assert unknown["unfit_rate"]["count"] == low[side >= 0].sum() == unknown["allowed_unknown"]
    assert unknown["kept_out_rate"]["count"] == called[side == -1].sum()
    for name, value in (("base", 0), ("new", 1), ("unknown", -1)):
        assert unknown["answers"][name]["unknown"] == called[side == value].sum()
        assert sum(unknown["answers"][name].values()) == (side == value).sum()
    missed, most = shown["next"]["most_missed"], unknown["next"]["most_unknown"]

    text = succeed("threshold", *flags)
    assert "With confidence 95 % at most 60 % of base samples are missed" in text
    assert "With confidence 95 % at most 10 % of listed samples, base and new as they are mixed here, are called unknown" in text
    batch = text.split("That is about all samples to come. A batch of them varies around it")[1]
    assert f"- of the next 500 base samples at most {missed} ({missed / 5:.1f} %) are missed\n" in batch
    assert f"- of the next 500 listed samples at most {most} ({most / 5:.1f} %) are called unknown\n" in batch
    assert missed / 500 > shown["miss_rate"]["value"]

    # Without --next nothing is said of a batch, and without --max-unknown nothing of unknown samples.
    text = succeed("threshold", "--run", path, "--max-miss", 0.6)
    assert "batch" not in text and "called unknown" not in text
    assert "unknown" not in json.loads((path / "threshold.json").read_text())
    refused("threshold", "--run", path, "--max-miss", 0.6, "--max-unknown", 0.001,
            says=["listed samples, base and new; to show that at most 0.001 of such are called unknown", "it takes 2995"])


def test_threshold_of_a_file_keeps_nothing(folder):
    path = write_run(folder / "a", "gmop")
    succeed("threshold", path, "--max-miss", 0.6)
    assert not (path / "threshold.json").exists()


def test_threshold_needs_one_of_them(folder, good):
    path = write_run(folder / "a", "gmop")
    refused("threshold", good, "--run", path, "--max-miss", 0.6,
            says=["both FILE and --run; expected one of them"])
    refused("threshold", "--max-miss", 0.6, says=["no predictions; expected FILE or --run RUN"])
    refused("threshold", "--run", good, "--max-miss", 0.6,
            says=["good.npz: not a run folder, it has no run.json"])
    refused("threshold", "--run", folder, "--max-miss", 0.6,
            says=[f"{folder}: not a run folder, it has no run.json; expected a run, such as {path}"])


def test_sides_and_reversed_scores_of_runs(folder):
    """As of files: which metrics compare base with new samples and which with unknown ones, and an AUROC below a half."""
    for method, sign in (("zero-shot", 1), ("gmop", -1)):
        arrays = predictions(*SKILLS["gmop"], 1, 1)
        unknown = np.arange(300) % 30 >= 27
        arrays["side"] = np.where(unknown, -1, arrays["side"]).astype("i1")
        arrays["score"] = sign * arrays["score"]
        write_run(folder / method, method, arrays=arrays)
    paths = folder / "zero-shot", folder / "gmop"
    text = succeed("eval", *paths, "--metrics", "auroc,open_auc")
    sides = "base against new samples: AUROC; base against unknown samples: OpenAUC"
    reversed_ = f"gmop on {DATASETS[1]}: AUROC is below 50 %: the score may be reversed; larger must mean more base-like"
    assert text.endswith(f"- {sides}\n- {reversed_}\n")
    succeed("report", *paths, "--metrics", "auroc,open_auc", "--out", folder / "page.html")
    page = (folder / "page.html").read_text()
    assert f'<p class="note">{sides}.</p>' in page and f'<p class="note">{reversed_}.</p>' in page
    succeed("report", *(path / "predictions.npz" for path in paths), "--metrics", "auroc,open_auc", "--out", folder / "files.html")
    page = (folder / "files.html").read_text()
    assert f'<p class="note">{sides}.</p>' in page and "predictions.npz: AUROC is below 50 %" in page


def test_too_few_resamples_for_any_significance(runs):
    """p of 78 resamples is 2 / 79 or more, and twice that for two comparisons, however large the differences are."""
    said = ("- 78 resamples are too few for 2 comparisons: no p (Holm) can be below 0.0506; 80 or more can show differences "
            "that are significant at 5 %\n")
    assert said in succeed("eval", *runs, "--resamples", 78)
    assert "too few" not in succeed("eval", *runs, "--resamples", 80)
    assert "too few" not in succeed("eval", *runs, "--ci", "none")


def test_the_finding_says_that_resamples_are_too_few(runs, folder):
    succeed("report", *runs, "--resamples", 78, "--out", folder / "page.html")
    page = (folder / "page.html").read_text()
    assert "No method can be shown by so few resamples to be significantly better than zero-shot" in page
    assert "78 resamples are too few for 2 comparisons" in page
