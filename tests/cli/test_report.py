"""The page that `openworld report` writes of runs; test_report_files.py has that of files."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from command import json_of, refused, run, succeed
from data import write_npz
from page import Page
from pets import png
from runs import DATASETS, SKILLS, predictions, write_run, write_runs

SECTIONS = ["Results", "Differences", "Choose a threshold", "Samples", "Classes", "What a threshold trades", "Classification against detection",
            "What each stage costs", "What it costs", "How this was made"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def written(runs, tmp_path_factory):
    """The text of the page, and what --json said of it."""
    out = tmp_path_factory.mktemp("report") / "report.html"
    said = json_of("report", *runs, "--out", out, "--title", "A <b> & c")
    return out.read_text(), said


@pytest.fixture(scope="module")
def page(written):
    return Page(written[0])


def report(folder, *args):
    out = folder / "report.html"
    succeed("report", *args, "--out", out)
    return Page(out.read_text())


def test_json(written, runs):
    text, said = written
    assert said["schema"] == "openworld.report/2"
    assert said["bytes"] == len(text.encode())
    assert (said["runs"], said["pictures"], said["files"], said["studies"]) == (18, 48, [], [])
    assert said["labels"] == list(SKILLS) and said["datasets"] == list(DATASETS)


def test_is_one_file(written, page):
    """Nothing from elsewhere: not even the name of a host, but for that in the name of SVG."""
    text, _ = written
    assert "link" not in page.tags and "iframe" not in page.tags and "img" not in page.tags
    assert page.tags.count("script") == 2 and len(page.scripts) == 2
    rest = text.replace("http://www.w3.org/2000/svg", "").replace('url("#hatch")', "")
    assert "://" not in rest and "url(" not in rest and "@import" not in rest
    for value in page.pictures():
        assert value.startswith("data:image/")
    for value in page.of("a", "href"):
        assert value.startswith("#")


def test_policy(written):
    """The browser runs the page's own script, applies its own style, and loads nothing."""
    text, _ = written
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    hashes = {name: base64.b64encode(hashlib.sha256(
        re.search(f"<{name}>(.*?)</{name}>", text, re.S)[1].encode()).digest()).decode() for name in ("script", "style")}
    assert policy == (f"default-src 'none'; script-src 'sha256-{hashes['script']}'; style-src 'sha256-{hashes['style']}'; "
                      "img-src data:; base-uri 'none'; form-action 'none'")
    assert " style=" not in text and " onclick=" not in text


def test_finding(page, runs):
    """One sentence says what was found and how sure it is, with the numbers of eval."""
    gmop = json_of("eval", *runs)["differences"][-1]["metrics"]["openworld_auc"]
    text = "".join(page.text)
    low, high = (100 * gmop["interval"][end] for end in ("low", "high"))
    assert (f": {100 * gmop['difference']:+.2f} points, 95 % interval {low:+.2f} to {high:+.2f}, "
            f"p = {gmop['p_value_holm']:.4f}.") in text
    assert text.index("gmop raises OpenworldAUC on average over 2 datasets from ") < text.index("Results")


def test_sections_are_listed(page):
    ids = page.of("h2", "id")
    assert page.of("a", "href") == [f"#{name}" for name in ids]
    text = "".join(page.text)
    assert len(ids) == len(SECTIONS)
    for heading in SECTIONS:
        assert text.count(heading) >= 2
    assert "A <b> & c" in text


def test_both_schemes(written):
    assert "prefers-color-scheme: dark" in written[0]
    assert "color-scheme: light;" in written[0] and "color-scheme: dark;" in written[0]


def value_cells(result, dataset=None):
    """The table that the page has to show, from the JSON of eval."""
    rows = []
    for method in result["methods"]:
        cells = [method["label"]]
        for metric in method["metrics"].values():
            if dataset:
                metric = metric["by_dataset"][dataset]
            reach = (metric["interval"]["high"] - metric["interval"]["low"]) / 2
            cells.append(f"{100 * metric['value']:.2f} ±{100 * reach:.2f}")
        rows.append(cells)
    return rows


def test_numbers_are_those_of_eval(page, runs):
    result = json_of("eval", *runs)
    arrows = str.maketrans("", "", "▲▼")
    for table, dataset in zip(page.tables, (None, *DATASETS)):
        assert table[0] == ["method", "BaseAcc", "NewAcc", "HM", "AUROC", "OpenworldAUC"]
        shown = [[cell.translate(arrows) for cell in row] for row in table[1:]]
        assert shown == value_cells(result, dataset)
    for table, row in zip(page.tables[3:5], result["differences"]):
        assert table[0][0] == f"{row['label']} against zero-shot"
        for cells, metric in zip(table[1:], row["metrics"].values()):
            arrow = ("▲" if metric["difference"] > 0 else "▼") if metric["significant"] else ""
            assert cells[1] == f"{100 * metric['difference']:+.2f}{arrow}"
            low, high = (100 * metric["interval"][end] for end in ("low", "high"))
            assert cells[2] == f"[{low:+.2f}, {high:+.2f}]"
            assert cells[3] == f"{metric['p_value_holm']:.4f}"


def test_stages(page, runs):
    diagnosis = json_of("eval", *runs, "--diagnose", "--ci", "none")["diagnosis"]
    table = next(table for table in page.tables if "if g were perfect" in table[0])
    for cells, (label, mine) in zip(table[1:], diagnosis.items(), strict=True):
        values = [mine["openworld_auc"], *mine["cost"].values(), *mine["if_perfect"].values()]
        assert cells == [label, *(f"{100 * value:.2f}" for value in values)]


def test_costs(page):
    table = next(table for table in page.tables if "parameters learned" in table[0])
    assert table[1:] == [["zero-shot", "0", "80", "20", "13.5", "0.250", "2"],
                         ["coop", "16384", "80", "20", "6.0", "0.250", "2"],
                         ["gmop", "16384", "80", "20", "6.0", "0.250", "2"]]


def test_figures(page):
    """Curves of every dataset, a point of every method and dataset beside the means, and forests of differences."""
    drawings = [label for label in page.of("svg", "aria-label")]
    assert sum(label.startswith("HitRate over MissRate") for label in drawings) == 2
    assert sum(label.startswith("Differences in ") for label in drawings) == 5
    assert page.tags.count("polyline") == 6
    # Trade-off, and of two methods five differences and one by dataset.
    assert page.tags.count("circle") == 3 * (2 + 1) + 2 * (5 + 2)
    assert "miss rate of base samples, %" in "".join(page.text)
    for points in page.of("polyline", "points"):
        xs, ys = zip(*(map(float, point.split(",")) for point in points.split()))
        assert list(xs) == sorted(xs) and max(xs) == 464
        assert min(xs) >= 58 and min(ys) >= 12 and max(ys) <= 370
    # The axes are as long as the longest curve and no longer than the next tick.
    highest = min(float(point.split(",")[1]) for points in page.of("polyline", "points")
                  for point in points.split())
    assert 12 <= highest <= 12 + (370 - 12) / 4


def test_pictures_are_the_samples(page):
    """PNGs of Doodles, and beside each whose it is and what every method says of it, whatever the true side."""
    assert len(page.pictures()) == 48
    for image in page.pictures():
        assert base64.b64decode(image.split(",")[1], validate=True).startswith(b"\x89PNG")
    for dataset, samples in enumerate(page.samples()):
        rows = np.array(samples["row"])
        assert len(set(rows)) == 24 and set(samples["side"]) == {0, 1}
        assert (np.array(samples["label"]) == rows // 30).all()
        for method, skill in enumerate(SKILLS.values()):
            mine, arrays = samples["methods"][method], predictions(*skill, dataset, 1)
            assert np.allclose(mine["r"], arrays["score"][rows], rtol=1e-5, atol=0)
            assert mine["base"] == arrays["base_logits"].argmax(1)[rows].tolist()
            assert mine["new"] == (5 + arrays["new_logits"].argmax(1)[rows]).tolist()
            assert mine["rank"] == [int((arrays["score"] > r).sum()) for r in arrays["score"][rows]]


def test_scores_are_stored_exactly(page):
    """Sides, whether the answer is right, and scores, in the order of falling scores."""
    for dataset, group in enumerate(page.data["groups"]):
        assert group["name"] == DATASETS[dataset] and len(group["runs"]) == 9
        for run in group["runs"]:
            arrays = predictions(*list(SKILLS.values())[run["method"]], dataset, run["seed"])
            order = np.argsort(-arrays["score"], kind="stable")
            logits = np.where(arrays["side"][:, None] == 0, arrays["base_logits"], arrays["new_logits"])
            wrong = logits.argmax(1) != arrays["label"]
            codes = np.frombuffer(base64.b64decode(run["codes"]), np.uint8)
            assert run["bits"] == 2  # no ties, nothing unknown
            codes = np.stack([codes >> shift & 3 for shift in range(0, 8, 2)], 1).ravel()[:run["n"]]
            assert (codes == (2 * arrays["side"] + wrong)[order]).all()
            assert (np.frombuffer(base64.b64decode(run["values"]), "<f4") == arrays["score"][order].astype("f4")).all()


def test_classes(page):
    """Right answers of each class over seeds, and the most frequent wrong ones among all names."""
    group = page.data["groups"][1]
    right, wrong = np.zeros(10, int), {}
    for seed in (1, 2, 3):
        arrays = predictions(*SKILLS["gmop"], 1, seed)
        truth = np.arange(300) // 30
        logits = np.where(arrays["side"][:, None] == 0, arrays["base_logits"], arrays["new_logits"])
        right += np.bincount(truth[logits.argmax(1) == arrays["label"]], minlength=10)
        for pair in zip(truth, np.hstack([arrays["base_logits"], arrays["new_logits"]]).argmax(1)):
            wrong[pair] = wrong.get(pair, 0) + (pair[0] != pair[1])
    assert group["perClass"]["right"][2] == right.tolist() and group["repeats"] == 3
    assert [row[2] for row in group["confusions"][2]] == sorted(wrong.values(), reverse=True)[:30]
    for row in group["confusions"][2]:
        assert wrong[row[0], row[1]] == row[2] and row[3] == 90


def test_training_loss(folder):
    """From log.jsonl, where a run has one."""
    run = write_run(folder / "a", "coop")
    lines = [{"step": 10 * i, "epoch": i, "loss": 1 / i} for i in range(1, 6)]
    (run / "log.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\nbroken")
    page = report(folder, run)
    assert page.data["loss"] == [{"method": 0, "group": 0, "seed": 1,
                                  "points": [[line["step"], float(f"{line['loss']:.6g}")] for line in lines]}]
    assert "Training" in "".join(page.text)


def test_begins_at_the_threshold_of_the_run(folder):
    run = write_run(folder / "a", "gmop")
    assert "own" not in report(folder, run).data["groups"][0]["runs"][0]
    threshold = json_of("threshold", "--run", run, "--max-miss", 0.6)["threshold"]
    scores = predictions(*SKILLS["gmop"], 1, 1)["score"]
    assert report(folder, run).data["groups"][0]["runs"][0]["own"] == (scores > threshold).sum()


def test_same_bytes(written, runs, folder):
    out = folder / "again.html"
    succeed("report", *runs, "--out", out, "--title", "A <b> & c", "--threads", 1)
    assert out.read_text() == written[0]


def test_flags(folder, runs):
    page = report(folder, *runs, "--against", "gmop", "--metrics", "auroc", "--ci", "none",
                  "--samples", 0)
    assert page.tables[0][0] == ["method", "AUROC"]
    assert page.samples() == [] and "Samples" not in "".join(page.text)
    assert any(table[0][0] == "coop against gmop" for table in page.tables)
    assert "±" not in "".join(page.text)


def test_one_run(folder):
    page = report(folder, write_run(folder / "a", "gmop"))
    assert len(page.pictures()) == 24
    assert "Differences" not in "".join(page.text)


def test_hostile_names(folder):
    a = write_run(folder / "a", "coop", changed={"x": "</td><script>"})
    text = json.loads((a / "run.json").read_text())
    text["title"] = "<img src=x>"
    (a / "run.json").write_text(json.dumps(text))
    page = report(folder, a)
    assert page.tags.count("script") == 2
    assert "coop x=</td><script>" in "".join(page.text) and page.data["methods"] == ["coop x=</td><script>"]


def test_dataset_that_is_gone(folder):
    arrays = predictions(*SKILLS["gmop"], 0, 1)
    page = report(folder, write_run(folder / "a", "gmop", data="gone", arrays=arrays), "--data",
                  "gone")
    assert page.why()["gone"].startswith("no pictures, [open_dataset] gone")
    assert page.pictures() == []


@pytest.mark.parametrize("named", [False, True])
def test_a_run_does_not_choose_what_is_shown(folder, named):
    """Files that a run.json names are read only if the user names them too."""
    images = folder / "private"
    for i in range(10):
        (images / f"secret {i}").mkdir(parents=True)
        for k in range(30):
            (images / f"secret {i}" / f"{k}.png").write_bytes(png(np.full((2, 2, 3), i, np.uint8)))
    arrays = predictions(*SKILLS["gmop"], 0, 1)
    del arrays["classes"]
    run = write_run(folder / "a", "gmop", data=str(images), arrays=arrays)
    text = json.loads((run / "run.json").read_text())
    text["data"]["test_split"] = ""
    (run / "run.json").write_text(json.dumps(text))
    flags = ("--data", images) if named else ()
    page = report(folder, run, *flags)
    assert bool(page.pictures()) == named
    assert ("secret" in json.dumps(page.data["groups"][0]["classes"])) == named
    if not named:
        said = json_of("report", run, "--out", folder / "report.html")
        assert said["without_pictures"] == [{"dataset": str(images), "why": page.why()[str(images)]}]
        assert page.why()[str(images)] == ("no pictures, images are read only from datasets that are named for this page, "
                                           "with --data or data=")
        assert f"{images}: no pictures, images are read only" in succeed("report", run, "--out", folder / "report.html")


def write_pictures(folder, count=300):
    """A dataset of ten classes with the samples of predictions()."""
    for i in range(10):
        (folder / f"class {i}").mkdir(parents=True)
        for k in range(count // 10):
            (folder / f"class {i}" / f"{k:02}.png").write_bytes(png(np.full((2, 2, 3), i, np.uint8)))
    return folder


def list_hash(folder):
    lines = "".join(f"{path.relative_to(folder)}\t{path.parent.name[-1]}\n" for path in sorted(folder.glob("*/*")))
    return hashlib.sha256(lines.encode()).hexdigest()


def test_pictures_of_chosen_base_classes(folder):
    """They come first in the predictions, whatever their place in the dataset."""
    images = write_pictures(folder / "images")
    arrays = predictions(*SKILLS["gmop"], 0, 1)
    odd_first = [1, 3, 5, 7, 9, 0, 2, 4, 6, 8]
    label = np.argsort(odd_first)[np.repeat(np.arange(10), 30)]
    arrays.update(side=(label >= 5).astype("i1"), label=(label % 5).astype("i4"),
                  classes=np.array([f"class {i}" for i in odd_first]))
    run = write_run(folder / "a", "gmop", data="images", arrays=arrays)
    text = json.loads((run / "run.json").read_text())
    text["data"].update(test_split="")
    (run / "run.json").write_text(json.dumps(text))
    words = ["report", run, "--out", "page.html", "--samples", "8", "--data", images]
    assert json_of(*words, cwd=folder)["pictures"] == 8
    arrays.update(classes=np.array([f"class {i}" for i in range(10)]))
    (run / "predictions.npz").unlink()
    write_npz(run / "predictions.npz", arrays)
    (missing,) = json_of(*words, cwd=folder)["without_pictures"]
    assert missing["why"].endswith("row 0 has another label than the dataset")


def test_data_that_were_moved(folder):
    """They are known by their list of images, and named by the user; what is without pictures says why."""
    run = write_run(folder / "a", "gmop", data="work/pictures", arrays=predictions(*SKILLS["gmop"], 0, 1))
    text = json.loads((run / "run.json").read_text())
    moved, other = write_pictures(folder / "moved"), write_pictures(folder / "other", 290)
    text["data"].update(test_split="", test_sha256=list_hash(moved))
    (run / "run.json").write_text(json.dumps(text))

    def said(*flags):
        words = ["report", run, "--out", "page.html", "--samples", "8", *flags]
        result = json_of(*words, cwd=folder)
        for missing in result["without_pictures"]:
            assert f"{missing['dataset']}: {missing['why']}\n" in succeed(*words, cwd=folder)
        return result["pictures"], [missing["why"] for missing in result["without_pictures"]]

    assert said("--data", other, "moved") == (8, [])
    assert said() == (0, ["no pictures, images are read only from datasets that are named for this page, with "
                          "--data or data="])
    assert said("--data", other) == (0, ["no pictures, none of the datasets that --data or data= names is at its "
                                         "place or lists its images"])
    for path in moved.glob("*/*"):
        path.write_bytes(b"no picture")
    pictures, (why,) = said("--data", moved)
    assert pictures == 0 and why.startswith("8 pictures left out: they are gone")


def test_dataset_that_has_changed(folder):
    """No picture is shown beside another's name."""
    arrays = predictions(*SKILLS["gmop"], 0, 1)
    moved = {**arrays, "label": np.roll(arrays["label"], 1)}
    fewer = {name: value[:200] if name not in ("classes", "meta") else value
             for name, value in arrays.items()}
    listed = {**fewer, "meta": json.dumps({"data": {"samples": list(range(200, 400))}})}
    for name, spoiled, says in (
            ("moved", moved, "row 0 has another label than the dataset"),
            ("fewer", fewer, "has 200 rows, and the dataset 300 samples"),
            ("listed", listed, "meta lists samples that the dataset does not have")):
        page = report(folder, write_run(folder / name, "gmop", arrays=spoiled))
        assert re.search(f"no pictures, .*{says}", page.why()["doodles:shapes"])
        assert page.pictures() == []


def test_samples_that_could_be_read(folder):
    """Rows are the samples that meta lists."""
    arrays = predictions(*SKILLS["gmop"], 0, 1)
    keep = [i for i in range(300) if i % 7]
    some = {name: value[keep] if name not in ("classes", "meta") else value
            for name, value in arrays.items()}
    some["meta"] = json.dumps({"data": {"samples": keep}})
    page = report(folder, write_run(folder / "a", "gmop", arrays=some))
    assert len(page.pictures()) == 24


def test_undefined(folder):
    """Without new samples there is no AUROC, no curve and no diagnosis, and the page says why."""
    n = 300
    arrays = {"side": np.zeros(n, "i1"), "score": np.arange(n) / n, "correct": np.arange(n) % 2}
    page = report(folder, write_run(folder / "a", "gmop", arrays=arrays))
    text = "".join(page.text)
    assert "No figure: gmop on doodles:shapes with seed 1: " in text
    assert "nan" not in text.lower().replace("nance", "")


def test_results_of_before_are_read(folder):
    """Where the cost of a run was under the key run."""
    new = write_run(folder / "a", "coop")
    now = report(folder, new)
    result = json.loads((new / "result.json").read_text())
    cost = result.pop("cost")
    (new / "result.json").write_text(
        json.dumps({**result, "schema": "openworld.tune/1", "run": cost}))
    before = report(folder, new)
    assert before.text == now.text
    assert "6.0" in "".join(now.text)  # seconds of training


def test_refusals(folder, runs):
    out = folder / "x.html"
    (folder / "empty").mkdir()
    refused("report", runs[0], folder / "empty", "--out", out,
            says=["empty: not a run folder; expected one with a run.json, or predictions"])
    refused("report", runs[0], says=["--out is required"])
    refused("report", runs[0], "--out", folder / "none" / "x.html", says=["[report]", "x.html"])
    refused("report", *runs, "--out", out, "--against", "x", says=["no run has the label 'x'"])
    write_run(folder / "b", "coop", finished=False)
    refused("report", folder / "b", "--out", out, says=["[report]", "b: not finished"])
    bad = write_run(folder / "c", "coop")
    result = json.loads((bad / "result.json").read_text())
    (bad / "result.json").write_text(json.dumps({**result, "parameters": -1}))
    refused("report", bad, "--out", out,
            says=["c/result.json: parameters is -1; expected a number from 0 to 2^53"])
    (bad / "result.json").write_text(json.dumps(result))
    write_npz(bad / "predictions.npz", {"side": np.zeros(3)})
    refused("report", bad, "--out", out, says=["c/predictions.npz: "])
    assert not out.exists()
    assert run("report", "--help").code == 0
