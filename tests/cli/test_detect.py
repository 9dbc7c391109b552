"""openworld detect: the same numbers as a rendering of pycocotools in NumPy, the open-set test, and
files that are refused."""

import json

import numpy as np
import pytest
from command import json_of, metric, refused, succeed, without_cost
from detections import RESULTS, TRUTH, coco_oracle, openset, results, truth, write, write_all


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("detections"))


def detect(folder, annotations, detections, *flags):
    return json_of("detect", "--annotations", write(folder / "a.json", annotations), "--results",
                   write(folder / "r.json", detections), "--ci", "none", *flags)


# The numbers.


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("grid", [None, 0.05])
def test_the_twelve_numbers_are_those_of_the_oracle(folder, seed, grid):
    """To the last digit, with many equal scores and without."""
    annotations, detections = coco_oracle.synthetic(30, 4, 150, 900, seed=seed, grid=grid,
                                                    crowds=0.1)
    expected = coco_oracle.evaluate(annotations, detections)[0]
    assert detect(folder, annotations, detections)["stats"] == expected.tolist()


def test_more_than_a_hundred_detections_an_image(folder):
    annotations, detections = coco_oracle.synthetic(2, 1, 20, 700, seed=9)
    expected = coco_oracle.evaluate(annotations, detections)[0]
    assert detect(folder, annotations, detections)["stats"] == expected.tolist()


def fill(polygon, height, width):
    """A polygon as COCO's mask API fills it: corners on a grid of fifths of pixels, the outline
    walked point by point, each crossing of the middle of a column toggles the pixels from there on.
    """
    corners = [int(5 * c + 0.5) for c in polygon]
    points = []
    for i in range(0, len(corners), 2):
        (x0, y0), (x1, y1) = corners[i:i + 2], (corners + corners)[i + 2:i + 4]
        steps = max(abs(x1 - x0), abs(y1 - y0))
        for step in range(steps + 1):
            if abs(x1 - x0) >= abs(y1 - y0):
                low, high = ((x0, y0), (x1, y1)) if x0 <= x1 else ((x1, y1), (x0, y0))
                t = step if x0 <= x1 else steps - step
                slope = (high[1] - low[1]) / steps if steps else 0
                points.append((low[0] + t, int(low[1] + slope * t + 0.5)))
            else:
                low, high = ((x0, y0), (x1, y1)) if y0 <= y1 else ((x1, y1), (x0, y0))
                t = step if y0 <= y1 else steps - step
                points.append((int(low[0] + (high[0] - low[0]) / steps * t + 0.5), low[1] + t))
    flat = np.zeros(height * width + 1, int)
    for (u0, v0), (u, v) in zip(points, points[1:]):
        if u == u0:
            continue
        x = ((u if u < u0 else u - 1) + 0.5) / 5 - 0.5
        if x != np.floor(x) or not 0 <= x <= width - 1:
            continue
        y = np.ceil(np.clip((min(v, v0) + 0.5) / 5 - 0.5, 0, height))
        flat[int(x) * height + int(y)] ^= 1
    return (np.cumsum(flat[:-1]) % 2 == 1).reshape(width, height).T


def runs(mask):
    flat = mask.T.reshape(-1).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flat]))).tolist()
    lengths = np.diff([0, *edges, flat.size]).tolist()
    return {"size": list(mask.shape), "counts": lengths}


def test_masks(folder):
    rng = np.random.default_rng(3)
    size, masks, polygons = 60, {}, {}
    annotations, detections = coco_oracle.synthetic(6, 2, 30, 80, seed=3, crowds=0.1, canvas=size)

    def polygon(box):
        x, y, w, h = box
        angles = np.sort(rng.random(7)) * 2 * np.pi
        return np.round(np.stack([x + w / 2 * (1 + np.cos(angles)),
                                  y + h / 2 * (1 + np.sin(angles))], 1).reshape(-1), 2).tolist()

    for i, item in enumerate(annotations["annotations"] + detections):
        shape = polygon(item["bbox"])
        masks[id(item)] = fill(shape, size, size)
        if i % 2 or item.get("iscrowd"):
            item["segmentation"] = runs(masks[id(item)])
        else:
            item["segmentation"] = [shape]
        item["area"] = float(masks[id(item)].sum()) if "iscrowd" in item else None
        polygons[id(item)] = shape
    for item in detections:
        del item["bbox"], item["area"]
    expected = coco_oracle.evaluate(annotations, detections, "segm", lambda a: masks[id(a)])[0]
    got = detect(folder, annotations, detections, "--type", "segm")["stats"]
    assert got == expected.tolist()
    assert got[0] > 0


def test_text_is_that_of_summarize(files):
    text = succeed("detect", "--annotations", "truth.json", "--results", "results.json", "--ci",
                   "none", "--per-class", cwd=files)
    assert (" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0."
            in text)
    assert " Average Recall     (AR) @[ IoU=0.50:0.95 | area= large | maxDets=100 ] = -1.000" in text
    assert "3 images, 2 objects (0 crowds), 3 detections" in text
    assert "dog" in text
    text = succeed("detect", "--annotations", "truth.json", "--results", "results.json", "--per-class",
                   "--level", 0.9, "--resamples", 20, cwd=files)
    assert "90 % interval" in text and "95 %" not in text


def test_undefined_is_null_with_a_reason(files):
    result = json_of("detect", "--annotations", "truth.json", "--results", "results.json",
                     "--resamples", 20, cwd=files)
    assert result["stats"][5] == -1
    assert result["metrics"]["coco_ap_large"] == {
        "value": None, "interval": None, "why": "no objects with a large area"}
    assert len(result["stats"]) == len(result["metrics"]) == 12
    assert result["metrics"]["coco_ap_small"]["why"] is None


def test_intervals_hold_the_value(folder):
    annotations, detections = coco_oracle.synthetic(60, 3, 300, 1500, seed=1)
    files = [write(folder / "a.json", annotations), write(folder / "r.json", detections)]
    result = json_of("detect", "--annotations", files[0], "--results", files[1], "--resamples", 200)
    for name in ("coco_ap", "coco_ap50", "coco_ar_100"):
        interval = result["metrics"][name]["interval"]
        assert interval["low"] < result["metrics"][name]["value"] < interval["high"]
        assert interval["method"] == "bootstrap_bca"
    again = json_of("detect", "--annotations", files[0], "--results", files[1], "--resamples", 200,
                    "--threads", 1)
    assert without_cost(result) == without_cost(again)


def test_two_detectors(folder):
    annotations, detections = coco_oracle.synthetic(80, 3, 400, 2000, seed=1)
    worse = [dict(d, score=d["score"] * 0.5 if i % 2 else 1 - d["score"])
             for i, d in enumerate(detections)]
    paths = [write(folder / name, value) for name, value in
             [("a.json", annotations), ("good.json", detections), ("bad.json", worse)]]
    result = json_of("detect", "--annotations", paths[0], "--results", paths[1], paths[2],
                     "--resamples", 200)
    (comparison,) = result["comparisons"]
    ap = comparison["metrics"]["coco_ap"]
    assert ap["difference"] == pytest.approx(
        result["results"][1]["stats"][0] - result["results"][0]["stats"][0], abs=1e-12)
    assert ap["interval"]["high"] < 0 and ap["p_value"] < 0.05
    assert "bad against good" in succeed("detect", "--annotations", paths[0], "--results", paths[1],
                                         paths[2], "--resamples", 20)


def test_scores_of_any_size(folder):
    annotations, detections = coco_oracle.synthetic(10, 2, 40, 200, seed=4)
    logits = [dict(d, score=20 * d["score"] - 7) for d in detections]
    assert (detect(folder, annotations, logits, "--any-score")["stats"]
            == coco_oracle.evaluate(annotations, logits)[0].tolist())


def test_the_id_0_is_said(folder):
    annotations = truth()
    annotations["annotations"][0]["id"] = 0
    result = detect(folder, annotations, results())
    assert "number annotations from 1" in result["notes"][0]
    assert result["stats"] == coco_oracle.evaluate(annotations, results())[0].tolist()


# The open-set test.


def openset_world(seed, images=40):
    annotations, detections = coco_oracle.synthetic(images, 5, 200, 800, seed=seed, crowds=0.1,
                                                    grid=0.05)
    rng = np.random.default_rng(seed)
    names = {c["id"]: c["name"] for c in annotations["categories"]}
    objects = {}
    for o in annotations["annotations"]:
        x, y, w, h = o["bbox"]
        objects.setdefault(o["image_id"], []).append(
            ([x, y, x + w, y + h], names[o["category_id"]], o["iscrowd"]))
    file = {"unc-types": [["scores", "low"], ["entropy", "high"]], "detections": {}}
    for image in annotations["images"]:
        if image["id"] not in objects:
            continue
        mine = [d for d in detections if d["image_id"] == image["id"]]
        closed = {"boxes": [[d["bbox"][0], d["bbox"][1], d["bbox"][0] + d["bbox"][2],
                             d["bbox"][1] + d["bbox"][3]] for d in mine],
                  "labels": [names[d["category_id"]] for d in mine],
                  "scores": [d["score"] for d in mine],
                  "entropy": rng.random(len(mine)).tolist()}
        count = int(rng.integers(0, 6))
        absent = sorted(set(names.values()) - {label for _, label, _ in objects[image["id"]]})
        count = count if absent else 0
        file["detections"][image["file_name"]] = {
            "all": closed,
            "open-set": {"boxes": [[0, 0, 5, 5]] * count,
                         "labels": rng.choice(absent, count).tolist() if count else [],
                         "scores": np.round(rng.random(count) * 0.6, 2).tolist(),
                         "entropy": rng.random(count).tolist()}}
    return annotations, file, {i["file_name"]: objects.get(i["id"]) for i in annotations["images"]}


@pytest.mark.parametrize("matching", ["corrected", "published"])
@pytest.mark.parametrize("seed", range(3))
def test_openset_is_that_of_the_oracle(folder, seed, matching):
    sklearn = pytest.importorskip("sklearn.metrics")
    annotations, file, objects = openset_world(seed)
    tp, ose = {"scores": [], "entropy": []}, {"scores": [], "entropy": []}
    for name, runs_of in file["detections"].items():
        flags = coco_oracle.openset_true_positives(runs_of["all"], objects[name], matching)
        for measure in tp:
            tp[measure] += np.array(runs_of["all"][measure])[flags].tolist()
            ose[measure] += runs_of["open-set"][measure]
    result = json_of("detect", "--annotations", write(folder / "a.json", annotations), "--openset",
                     write(folder / "p.json", file), "--matching", matching, "--ci", "none")
    assert (result["tp"], result["ose"]) == (len(tp["scores"]), len(ose["scores"]))
    assert result["matching"] == matching
    for measure, sign in (("scores", 1), ("entropy", -1)):
        labels = [1] * len(tp[measure]) + [0] * len(ose[measure])
        scores = sign * np.array(tp[measure] + ose[measure])
        precision, recall, _ = sklearn.precision_recall_curve(labels, scores)
        got = result["measures"][measure]
        assert got["auroc"]["value"] == pytest.approx(sklearn.roc_auc_score(labels, scores), abs=1e-12)
        assert got["aupr"]["value"] == pytest.approx(sklearn.auc(recall, precision), abs=1e-12)
        at = np.argmin(abs(recall - 0.95))
        if abs(recall[at] - 0.95) < 0.01:
            assert got["p_at_95r"]["value"] == pytest.approx(precision[at], abs=1e-12)
        else:
            assert got["p_at_95r"]["value"] is None and "not achieved" in got["p_at_95r"]["why"]
        at = np.argmin(abs(precision - 0.95))
        if abs(precision[at] - 0.95) < 0.01:
            assert got["r_at_95p"]["value"] == pytest.approx(recall[at], abs=1e-12)
        else:
            assert got["r_at_95p"]["value"] is None
    flat = [{"image_id": image["id"], "category_id": int(label.split()[1]), "score": score,
             "bbox": [b[0], b[1], b[2] - b[0], b[3] - b[1]]}
            for image in annotations["images"] if image["file_name"] in file["detections"]
            for b, label, score in zip(*(file["detections"][image["file_name"]]["all"][key]
                                         for key in ("boxes", "labels", "scores")))]
    assert result["stats"] == coco_oracle.evaluate(annotations, flat)[0].tolist()


def test_openset_text_and_predictions(files, folder):
    text = succeed("detect", "--annotations", "truth.json", "--openset", "openset.json",
                   "--resamples", 20, "--out", folder / "p.npz", "--measure", "entropy", cwd=files)
    assert "matching: corrected" in text and "AuPR" in text and "entropy" in text
    result = json_of("detect", "--annotations", "truth.json", "--openset", "openset.json", "--ci",
                     "none", cwd=files)
    assert (result["tp"], result["ose"], result["images"]) == (2, 1, 2)
    assert metric(folder / "p.npz", "auroc") == result["measures"]["entropy"]["auroc"]["value"]


def test_openset_scores_of_any_size(folder):
    file = openset()
    plain = json_of("detect", "--annotations", write(folder / "a.json", TRUTH), "--openset",
                    write(folder / "p.json", file), "--ci", "none")
    for runs_of in file["detections"].values():
        for run_of in runs_of.values():
            run_of["scores"] = [20 * score - 7 for score in run_of["scores"]]
    path = write(folder / "logits.json", file)
    refused("detect", "--annotations", folder / "a.json", "--openset", path, says=["expected 0 to 1"])
    logits = json_of("detect", "--annotations", folder / "a.json", "--openset", path, "--ci", "none",
                     "--any-score")
    assert logits["stats"] == plain["stats"]
    assert logits["measures"]["scores"] == plain["measures"]["scores"]


def test_no_open_set_error_is_undefined(folder):
    file = openset()
    for runs_of in file["detections"].values():
        runs_of["open-set"] = {"boxes": [], "labels": [], "scores": [], "entropy": []}
    result = json_of("detect", "--annotations", write(folder / "a.json", TRUTH), "--openset",
                     write(folder / "p.json", file))
    assert result["ose"] == 0
    assert result["measures"]["scores"]["aupr"] == {
        "value": None, "interval": None, "why": "no open-set error is left"}


def test_negative_queries(folder):
    annotations, file, _ = openset_world(1)
    few = json.loads(json.dumps(file))
    for runs_of in few["detections"].values():
        for key in runs_of["open-set"]:
            runs_of["open-set"][key] = runs_of["open-set"][key][::2]
    paths = [write(folder / "none.json", file), write(folder / "ten.json", few)]
    result = json_of("detect", "--annotations", write(folder / "a.json", annotations), "--openset",
                     *paths, "--negatives", 0, 10, "--ci", "none", "--svg", folder / "t.svg")
    assert [entry["negatives"] for entry in result["results"]] == [0, 10]
    assert result["results"][1]["ose"] < result["results"][0]["ose"]
    picture = (folder / "t.svg").read_text()
    assert picture.startswith("<svg") and "0 to 10 negative queries" in picture


# Files that are refused: one line each, with the file and the entry.


def case(name, change, *says):
    return pytest.param(change, says, id=name)


def entry(**fields):
    """Changes the second of the results; None takes a field away."""
    def change(detections):
        detections[1].update(fields)
        for key in [key for key, value in fields.items() if value is None]:
            del detections[1][key]
        return detections
    return change


def text(old, new):
    return lambda detections: json.dumps(detections).replace(old, new, 1)


@pytest.mark.parametrize("change, says", [
    case("empty_file", lambda r: "", "empty"),
    case("not_json", lambda r: "hello", "no array"),
    case("an_object", lambda r: {"annotations": []}, "is an object", "expected an array"),
    case("truncated", lambda r: json.dumps(r)[:-30], "ends after", "entry"),
    case("truncated_in_a_string", lambda r: json.dumps(r)[:8], "ends after"),
    case("two_documents", lambda r: json.dumps(r) + "[]", "behind the end"),
    case("missing_comma", text("}, {", "} {"), "entry 0", "not valid JSON"),
    case("trailing_comma", text("0.25}]", "0.25},]"), "not valid JSON near entry 3"),
    case("entry_is_a_number", lambda r: [*r, 5], "entry 3", "expected an object"),
    case("nan_box", entry(bbox=[0, 0, float("nan"), 1]), "entry 1", "NaN"),
    case("infinite_box", entry(bbox=[0, 0, float("inf"), 1]), "entry 1", "Infinity"),
    case("huge_number", text("0.9", "1e999"), "entry 0"),
    case("negative_width", entry(bbox=[0, 0, -9, 9]), "entry 1", "-9", "expected 0 or more"),
    case("negative_height", entry(bbox=[0, 0, 9, -1.5]), "entry 1", "-1.5"),
    case("three_sides", entry(bbox=[0, 0, 9]), "entry 1", "[x, y, width, height]"),
    case("box_of_words", entry(bbox=["0", 0, 9, 9]), "entry 1", "bbox[0]"),
    case("box_is_a_number", entry(bbox=4), "entry 1", "bbox is 4"),
    case("no_box", entry(bbox=None), "entry 1", "no bbox"),
    case("unknown_image", entry(image_id=99), "entry 1", "image_id 99", "a.json"),
    case("image_of_half", entry(image_id=1.5), "entry 1", "1.5", "integer"),
    case("image_by_name", entry(image_id="a.jpg"), "entry 1", '"a.jpg"', "integer"),
    case("no_image", entry(image_id=None), "entry 1", "no image_id"),
    case("unknown_category", entry(category_id=2), "entry 1", "category_id 2", "a.json"),
    case("no_category", entry(category_id=None), "entry 1", "no category_id"),
    case("score_above_1", entry(score=1.5), "entry 1", "1.5", "0 to 1"),
    case("score_negative", entry(score=-0.1), "entry 1", "-0.1", "0 to 1"),
    case("score_nan", entry(score=float("nan")), "entry 1", "NaN"),
    case("score_text", entry(score="high"), "entry 1", '"high"'),
    case("no_score", entry(score=None), "entry 1", "no score"),
    case("score_twice", text('"score": 0.9', '"score": 0.9, "score": 0.1'), "entry 0", "twice"),
])
def test_refused_results(folder, change, says):
    annotations = write(folder / "a.json", TRUTH)
    file = write(folder / "r.json", change(results()))
    refused("detect", "--annotations", annotations, "--results", file, says=["r.json", *says])


def annotation(**fields):
    def change(annotations):
        annotations["annotations"][1].update(fields)
        for key in [key for key, value in fields.items() if value is None]:
            del annotations["annotations"][1][key]
        return annotations
    return change


def without(key):
    return lambda annotations: {k: v for k, v in annotations.items() if k != key}


def with_image(**fields):
    return lambda annotations: {**annotations, "images": [*annotations["images"], fields]}


@pytest.mark.parametrize("change, says", [
    case("an_array", lambda a: [], "is an array"),
    case("no_images", without("images"), "no images"),
    case("no_categories", without("categories"), "no categories"),
    case("no_annotations", without("annotations"), "no annotations"),
    case("truncated", lambda a: json.dumps(a)[:-40], "ends after"),
    case("duplicate_annotation", annotation(id=11), "annotation 1", "id 11"),
    case("duplicate_image", with_image(id=1), "two images", "id 1"),
    case("duplicate_category",
         lambda a: {**a, "categories": [*a["categories"], {"id": 7, "name": "wolf"}]},
         "two categories", "id 7"),
    case("image_without_id", with_image(file_name="x"), "image 3", "no id"),
    case("unknown_image", annotation(image_id=8), "annotation 1", "image_id 8"),
    case("unknown_category", annotation(category_id=8), "annotation 1", "category_id 8"),
    case("negative_size", annotation(bbox=[0, 0, -1, 1]), "annotation 1", "-1"),
    case("no_area", annotation(area=None), "annotation 1", "no area"),
    case("negative_area", annotation(area=-3), "annotation 1", "-3"),
    case("crowd_of_two", annotation(iscrowd=2), "annotation 1", "iscrowd is 2"),
])
def test_refused_annotations(folder, change, says):
    file = write(folder / "a.json", change(truth()))
    detections = write(folder / "r.json", RESULTS)
    refused("detect", "--annotations", file, "--results", detections, says=["a.json", *says])


@pytest.mark.parametrize("segmentation, says", [
    ([[1, 2, 3, 4]], ["4 coordinates"]),
    ([[1, 2, 3, 4, 5]], ["5 coordinates"]),
    ([], ["empty"]),
    ([[0, 0, 1e7, 0, 5, 5]], ["coordinate 2"]),
    ({"size": [20, 31], "counts": [620]}, ["20 x 31", "20 x 30"]),
    ({"size": [20, 30], "counts": [599]}, ["599", "600"]),
    ({"size": [20, 30], "counts": "!!"}, ["RLE text"]),
    ({"size": [20, 30], "counts": [-1, 601]}, ["counts[0]"]),
    ({"counts": [600]}, ["size"]),
    (None, ["no segmentation"]),
], ids=str)
def test_refused_masks(folder, segmentation, says):
    file = write(folder / "a.json", annotation(segmentation=segmentation)(truth()))
    detections = write(folder / "r.json", RESULTS)
    refused("detect", "--annotations", file, "--results", detections, "--type", "segm",
            says=["a.json", "annotation 1", *says])


def image_b(run_name, **fields):
    def change(file):
        file["detections"]["b.jpg"][run_name].update(fields)
        return file
    return change


@pytest.mark.parametrize("change, says", [
    case("an_array", lambda p: [], "is an array"),
    case("no_types", without("unc-types"), "no unc-types"),
    case("no_detections", without("detections"), "no detections"),
    case("a_type_of_three", lambda p: {**p, "unc-types": [["a", "b", "c"]]}, "unc-types[0]"),
    case("a_direction", lambda p: {**p, "unc-types": [["scores", "up"]]}, '"low" or "high"'),
    case("unknown_image", lambda p: {**p, "detections": {"x.jpg": {}}}, '"x.jpg"', "a.json"),
    case("image_without_objects",
         lambda p: {**p, "detections": {"empty.jpg": p["detections"]["a.jpg"]}},
         '"empty.jpg"', "no object"),
    case("image_twice", lambda p: json.dumps(p).replace('"b.jpg"', '"a.jpg"'), '"a.jpg"', "twice"),
    case("no_open_set", lambda p: {**p, "detections": {"a.jpg": {"all": {}}}}, '"a.jpg"'),
    case("unknown_label", image_b("all", labels=["dog", "unicorn"]), '"b.jpg"', '"unicorn"'),
    case("too_few_scores", image_b("all", scores=[0.3]), '"b.jpg"', "scores", "expected 2"),
    case("too_few_boxes", image_b("all", boxes=[[0, 0, 1, 1]]), '"b.jpg"', "boxes"),
    case("score_above_1", image_b("all", scores=[0.3, 3]), '"b.jpg"', "scores[1]", "0 to 1"),
    case("negative_box", image_b("all", boxes=[[0, 0, 9, 9], [5, 5, 1, 9]]), "boxes[1]", "-4"),
    case("no_uncertainty", lambda p: {**p, "unc-types": [["margin", "low"]]}, '"margin"'),
    case("nan", image_b("all", entropy=[0.1, float("nan")]), "image 1", "NaN"),
    case("two_numbers", image_b("all", entropy=[0.1, [1, 2]]), "entropy[1]", "array of 2"),
])
def test_refused_openset(folder, change, says):
    annotations = write(folder / "a.json", TRUTH)
    file = write(folder / "p.json", change(openset()))
    refused("detect", "--annotations", annotations, "--openset", file, says=["p.json", *says])


@pytest.mark.parametrize("flags, says", [
    ([], ["no detections", "--results"]),
    (["--results", "results.json", "--openset", "openset.json"], ["--openset", "--results"]),
    (["--results", "nowhere.json"], ["nowhere.json", "cannot open"]),
    (["--results", "."], ["directory"]),
    (["--results", "results.json", "--type", "keypoints"], ["--type", "keypoints"]),
    (["--results", "results.json", "--svg", "x.svg"], ["--svg", "--openset"]),
    (["--openset", "openset.json", "--negatives", "1", "2"], ["--negatives", "one for each"]),
    (["--openset", "openset.json", "--out", "x.npz", "--measure", "margin"], ['"margin"', "scores"]),
    (["--openset", "openset.json", "--matching", "fixed"], ["--matching", "fixed"]),
])
def test_refused_flags(files, flags, says):
    refused("detect", "--annotations", "truth.json", *flags, says=says, cwd=files)
