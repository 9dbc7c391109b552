"""Prediction files on the page that `openworld report` writes: of open-set tests, and others."""

import json

import numpy as np
import pytest
from command import json_of, refused, succeed
from data import compact, full, write_csv, write_npz
from page import Page
from runs import write_run

METRICS = {"auroc": "AuROC", "aupr": "AuPR", "p_at_95r": "P@95R", "r_at_95p": "R@95P"}
FLAGS = ("--measures", "published", "--sizes", "3,8", "--seeds", 3, "--resamples", 60, "--pairs")


def write_logits(path, noise=0.0, n=300, classes=8, negatives=15):
    random = np.random.default_rng(1)
    label = random.integers(0, classes, n)
    logits = random.normal(20, 3, (n, classes + negatives))
    logits[np.arange(n), label] += random.normal(6, 3, n)
    logits += np.random.default_rng(2).normal(0, 1, logits.shape) * noise
    names = np.array([f"query <{i}>" for i in range(classes + negatives)])
    return write_npz(path, {"logits": logits, "label": label, "negatives": negatives,
                            "names": names})


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Predictions of two models, and what `openworld openset` said of them."""
    folder = tmp_path_factory.mktemp("place")
    said = {}
    for name, noise, measure in (("sharp", 0, "softmax"), ("noisy", 4, "entropy")):
        logits = write_logits(folder / f"{name}_logits.npz", noise)
        said[name] = json_of("openset", "--logits", logits, "--measure", measure, "--out",
                             folder / f"{name}.npz", *FLAGS)
    return folder, said


def report(folder, *args):
    """The page and its JSON."""
    out = folder / "report.html"
    said = json_of("report", *args, "--out", out)
    return Page(out.read_text()), said


def without_result(path, to):
    """A file as it was before results were stored in it."""
    arrays = dict(np.load(path))
    meta = json.loads(str(arrays["meta"]))
    del meta["result"]
    return write_npz(to, {**arrays, "meta": json.dumps(meta)})


def with_meta(path, to, change):
    arrays = dict(np.load(path))
    meta = json.loads(str(arrays["meta"]))
    change(meta)
    return write_npz(to, {**arrays, "meta": json.dumps(meta)})


def cell(metric):
    """A metric of the JSON as a cell of the page."""
    if metric["value"] is None:
        return "-"
    text = f"{100 * metric['value']:.2f}"
    if metric["interval"]:
        text += " [{:.2f}, {:.2f}]".format(*(100 * metric["interval"][e] for e in ("low", "high")))
    return text


def table_of(page, first):
    return next(table for table in page.tables if table[0][0] == first)


def titles(page):
    """Names of what can be pointed at in figures."""
    return [text for text in page.text if text]


def test_result_is_stored_whole(place):
    folder, said = place
    stored = json.loads(str(np.load(folder / "sharp.npz")["meta"]))
    printed = {key: value for key, value in said["sharp"].items() if key != "cost"}
    assert stored["result"] == printed
    assert list(stored["result"]) == list(printed)
    assert stored["measure"] == "softmax"


def test_one_file(place, folder):
    where, all_said = place
    said = all_said["sharp"]
    page, listed = report(folder, where / "sharp.npz")
    assert listed["files"] == [{"path": str(where / "sharp.npz"), "label": "sharp",
                                "kind": "open-set"}]
    assert (listed["runs"], listed["labels"], listed["datasets"]) == (0, [], [])
    text = "".join(page.text)
    assert "Open set" in text and "Prediction files" not in text and "Results" not in text
    assert f"{said['tp']} true positives" in text and f"{said['ose']} open-set errors" in text
    measures = table_of(page, "against open-set errors")
    assert measures[0][1:] == list(METRICS.values())
    closed = table_of(page, "against closed-set errors")
    for rows, inner in ((measures, None), (closed, "closed_set")):
        for row, measure in zip(rows[1:], said["measures"].values(), strict=True):
            found = measure[inner] if inner else measure
            assert row[1:] == [cell(found[name]) for name in METRICS]
    further = table_of(page, "negatives, Softmax")
    for row, entry in zip(further[1:], said["by_extra"], strict=True):
        metrics = entry["measures"]["softmax"]
        assert row == [str(entry["count"]), str(entry["tp"]), str(entry["ose"]),
                       f"{100 * entry['accuracy']:.2f}", *(cell(metrics[m]) for m in METRICS)]
    growth = table_of(page, "classes, Softmax")
    for row, entry in zip(growth[1:], said["growth"], strict=True):
        accuracy = entry["accuracy"]
        assert row[:2] == [str(entry["size"]),
                           f"{100 * accuracy['mean']:.2f} ± {100 * accuracy['sd']:.2f}"]
    pairs = table_of(page, "paired")
    assert len(pairs) == 1 + 4 * len(said["pairs"])
    assert pairs[1][4] == f"{100 * said['pairs'][0]['metrics']['auroc']['difference']:+.2f}"
    # Precision-recall, histogram, trade-off, counts, efficacy, growth.
    assert page.figures() == 6
    assert "query <9>" in titles(page)


def points(page):
    return page.of("polyline", "points")


def test_figures_are_those_of_openset(place, folder):
    """The same result drawn from the test itself and from what the file holds."""
    where, _ = place
    direct = folder / "direct.html"
    succeed("openset", "--logits", where / "sharp_logits.npz", "--measure", "softmax", *FLAGS,
            "--html", direct)
    direct = Page(direct.read_text())
    page, _ = report(folder, where / "sharp.npz")
    assert page.tables == direct.tables
    # The file has one measure of three, and not the errors that negative queries caught.
    assert set(points(page)) < set(points(direct))
    assert len(points(direct)) - len(points(page)) == 2 + 2
    assert page.of("circle", "cx") == direct.of("circle", "cx")


def test_two_files(place, folder):
    where, said = place
    page, listed = report(folder, where / "sharp.npz", where / "noisy.npz")
    assert [file["label"] for file in listed["files"]] == ["sharp", "noisy"]
    rows = table_of(page, "file")[1:]
    for row, (label, measure, title) in zip(
            rows, (("sharp", "softmax", "Softmax"), ("noisy", "entropy", "Entropy")), strict=True):
        mine = said[label]
        assert row == [label, title, str(mine["tp"]), str(mine["ose"]),
                       f"{100 * mine['accuracy']:.2f}",
                       *(cell(mine["measures"][measure][m]) for m in METRICS)]
    assert page.figures() == 1 + 2 * 6
    for label, measure in (("sharp", "softmax"), ("noisy", "entropy")):
        aupr = said[label]["measures"][measure]["aupr"]["value"]
        assert f"{100 * aupr:.1f}  {label}" in titles(page)


def test_equal_stems_are_told_apart_by_path(place, folder):
    where, _ = place
    (folder / "a").mkdir()
    other = folder / "a" / "sharp.npz"
    other.write_bytes((where / "sharp.npz").read_bytes())
    _, listed = report(folder, where / "sharp.npz", other)
    assert [file["label"] for file in listed["files"]] == [str(where / "sharp.npz"), str(other)]


def test_runs_and_file(place, folder):
    where, _ = place
    page, listed = report(folder, write_run(folder / "a", "gmop"), where / "sharp.npz")
    assert (listed["runs"], len(listed["files"])) == (1, 1)
    text = "".join(page.text)
    assert "1 method on 1 dataset, 1 run; seed 1; 1 open-set test" in text
    listed_at = [text.index(name) for name in ("Samples", "Open set", "How this was made")]
    assert listed_at == sorted(listed_at)
    assert page.tables[0][0][0] == "method"


def test_file_without_its_result(place, folder):
    """Of files of earlier versions: what the scores give."""
    where, said = place
    page, listed = report(folder, without_result(where / "sharp.npz", folder / "old.npz"))
    assert listed["files"][0]["kind"] == "open-set"
    [table] = page.tables
    mine = said["sharp"]["measures"]["softmax"]
    assert table[0] == ["against open-set errors", *METRICS.values()]
    for shown, name in zip(table[1][1:], METRICS, strict=True):
        value = mine[name]["value"]
        assert shown.split(" ")[0] == ("-" if value is None else f"{100 * value:.2f}")
    assert page.figures() == 2
    assert "not the result of its test" in "".join(page.text)
    both, _ = report(folder, folder / "old.npz", where / "noisy.npz")
    assert table_of(both, "file")[1][4] == "-"


def test_detections(folder, examples):
    out = folder / "boxes.npz"
    succeed("detect", "--annotations", "truth.json", "--openset", "openset.json", "--out",
            out, "--ci", "none", cwd=examples / "detections")
    page, listed = report(folder, out)
    assert listed["files"][0]["kind"] == "open-set"
    assert page.tables[0][0][0] == "against open-set errors"


def test_ordinary_file(folder):
    path = write_npz(folder / "mine.npz", full(n=600))
    page, listed = report(folder, path)
    assert listed["files"][0]["kind"] == "predictions"
    text = "".join(page.text)
    assert "mine: 200 base, 200 new, 200 unknown samples" in text and "Open set" not in text
    metrics = json_of("eval", path)["metrics"]
    [table] = page.tables
    assert table[0] == ["metric", "%", "95 % interval", "method"]
    for row, metric in zip(table[1:], metrics.values(), strict=True):
        assert row[1] == f"{100 * metric['value']:.2f}"
        interval = metric["interval"]
        assert row[2:] == (["[{:.2f}, {:.2f}]".format(100 * interval["low"], 100 * interval["high"]),
                            interval["method"]] if interval else ["", ""])
    assert page.figures() == 1
    area = json_of("curve", path)["curves"][0]["area"]
    assert f"mine: area {100 * area:.2f}" in titles(page)


def test_ordinary_files_in_every_form(folder):
    a = write_npz(folder / "a.npz", compact(n=200))
    b = write_csv(folder / "b.csv", compact(n=200, seed=3))
    page, _ = report(folder, a, b, "--metrics", "auroc,hm", "--ci", "none")
    assert [row[0] for row in page.tables[0]] == ["file", "a", "b"]
    expected = [json_of("eval", f, "--metrics", "auroc,hm", "--ci", "none")["metrics"]
                for f in (a, b)]
    assert page.tables[0][1:] == [
        [name, *(f"{100 * m['value']:.2f}" for m in metrics.values())]
        for name, metrics in zip("ab", expected)]
    assert page.tags.count("polyline") == 2


def test_ordinary_file_without_a_curve(folder):
    """Without new samples there is no HitRate."""
    arrays = {"side": np.r_[np.zeros(20, int), -np.ones(20, int)], "score": np.arange(40.0),
              "correct": np.ones(40, int)}
    page, _ = report(folder, write_npz(folder / "x.npz", arrays))
    assert page.figures() == 0
    assert "x: no curve, " in "".join(page.text)


def test_huge_scores_are_drawn(folder, place):
    """A histogram of numbers that no axis was made for ends, and has no NaN in it."""
    where, _ = place
    for k, score in enumerate((np.full(4, 1e17), [-1e308, 1e308, 0, 1], [1e-320, 0, 0, 0])):
        path = write_npz(folder / f"{k}.npz",
                         {"side": [0, 0, -1, -1], "score": np.array(score),
                          "correct": [1, 1, 0, 0],
                          "meta": json.dumps({"protocol": "open-set, leave one class out",
                                              "measure": "max_logit"})})
        page, _ = report(folder, path)
        assert page.figures() == 2
        assert not any("nan" in value for _, _, value in page.attributes)


def test_text_lists_the_files(place, folder):
    where, _ = place
    out = succeed("report", "sharp.npz", "noisy.npz", "--out", folder / "x.html", cwd=where)
    assert out.startswith("2 open-set tests\nsharp.npz: open-set\nnoisy.npz: open-set\nwrote ")


def test_same_bytes(place, folder):
    where, _ = place
    pages = []
    for threads in (1, 2):
        succeed("report", where / "sharp.npz", write_npz(folder / "c.npz", compact(n=200)),
                "--threads", threads, "--ci", "bootstrap", "--resamples", 50, "--out",
                folder / "x.html")
        pages.append((folder / "x.html").read_bytes())
    assert pages[0] == pages[1]


def test_refusals(place, folder):
    where, _ = place
    out = folder / "x.html"
    sharp = where / "sharp.npz"
    bad = folder / "bad.npz"
    cases = [
        (lambda m: m["result"].update(schema="openworld.openset/9"),
         'bad.npz: meta.result.schema is "openworld.openset/9"; expected openworld.openset/1'),
        (lambda m: m["result"].update(measures={}), "bad.npz: meta.result.measures is {}; expected"),
        (lambda m: m["result"]["growth"][1].update(size=-3),
         "bad.npz: meta.result.growth[1].size is -3; expected a whole number"),
        (lambda m: m["result"].update(tp=m["result"]["tp"] - 1, closed_set_errors=0,
                                      closed_set_rejected=m["result"]["images"]
                                      - m["result"]["tp"] + 1),
         "true positives and"),
        (lambda m: m.update(measure="hope"), 'bad.npz: meta.measure is "hope"; expected one of'),
        (lambda m: m.pop("measure"), "bad.npz: meta has no measure; expected"),
        (lambda m: m.update(result=[1]), "bad.npz: has no meta.result object"),
    ]
    for change, says in cases:
        with_meta(sharp, bad, change)
        refused("report", sharp, bad, "--out", out, says=[says])
    bad.write_bytes(sharp.read_bytes()[:-100])
    refused("report", bad, "--out", out, says=["bad.npz: "])
    refused("report", folder / "gone.npz", "--out", out, says=["gone.npz: "])
    write_npz(bad, {"side": np.zeros(3, int)})
    refused("report", write_run(folder / "a", "gmop"), bad, "--out", out, says=["bad.npz: no score"])
    refused("report", sharp, "--against", "x", "--out", out, says=["--against needs run folders"])
    assert not out.exists()
