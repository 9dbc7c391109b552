"""Detections from Python: dicts, paths and arrays, and the drop-in for pycocotools."""

import json
import sys
from pathlib import Path

import numpy as np
import openworld
import pytest
from openworld.compat import COCO, COCOeval

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "openworld" / "detection"))
import coco_oracle  # noqa: E402


@pytest.fixture(scope="module")
def world():
    return coco_oracle.synthetic(30, 4, 150, 900, seed=2, grid=0.05, crowds=0.1)


@pytest.fixture(scope="module")
def expected(world):
    return coco_oracle.evaluate(*world)


@pytest.fixture
def paths(world, tmp_path):
    files = [tmp_path / "a.json", tmp_path / "r.json"]
    for path, value in zip(files, world):
        path.write_text(json.dumps(value))
    return files


def rows(results):
    return np.array(
        [[d["image_id"], *d["bbox"], d["score"], d["category_id"]] for d in results], float
    )


def test_dicts_paths_and_arrays(world, paths, expected):
    annotations, results = world
    for truth, detections in [
        (annotations, results),
        (paths[0], paths[1]),
        (str(paths[0]), rows(results)),
        (COCO(str(paths[0])), results),
    ]:
        found = openworld.detect(truth, detections)
        assert found.stats.tolist() == expected[0].tolist()
    assert found.metrics["coco_ap"].value == expected[0][0]
    assert found.counts["detections"] == 900
    assert [category.id for category in found.categories] == [1, 2, 3, 4]


def test_intervals(world):
    found = openworld.detect(*world, ci="bootstrap", resamples=100)
    ap = found.metrics["coco_ap"]
    assert ap.interval is not None and ap.value in ap.interval
    assert openworld.detect(*world, ci="bootstrap", resamples=100, threads=1).metrics == found.metrics


def test_compare(world):
    annotations, results = world
    half = [dict(d, score=d["score"] / 2 if i % 3 else 1 - d["score"])
            for i, d in enumerate(results)]
    differences = openworld.compare_detections(annotations, results, half, resamples=100)
    ap = differences["coco_ap"]
    assert ap.difference == pytest.approx(ap.second - ap.first)
    assert ap.difference < 0


def test_cocoeval(world, paths, expected, capsys):
    truth = COCO(str(paths[0]))
    evaluation = COCOeval(truth, truth.loadRes(str(paths[1])), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    stats, precision, recall, scores = expected
    assert evaluation.stats.tolist() == stats.tolist()
    assert (evaluation.eval["precision"] == precision).all()
    assert (evaluation.eval["recall"] == recall).all()
    assert (evaluation.eval["scores"] == scores).all()
    assert evaluation.eval["counts"] == [10, 101, 4, 4, 3]
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 12
    assert printed[0] == (" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] "
                          f"= {stats[0]:0.3f}")


def test_cocoeval_params(world):
    """Fewer images and categories are as if the others were not there."""
    annotations, results = world
    truth = COCO(annotations)
    evaluation = COCOeval(truth, truth.loadRes(results), "bbox")
    evaluation.params.imgIds = [3, 1, 2, 8, 9]
    evaluation.params.catIds = [2, 4]
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    part = {
        "images": [i for i in annotations["images"] if i["id"] in (1, 2, 3, 8, 9)],
        "categories": [c for c in annotations["categories"] if c["id"] in (2, 4)],
        "annotations": [a for a in annotations["annotations"]
                        if a["image_id"] in (1, 2, 3, 8, 9) and a["category_id"] in (2, 4)],
    }
    kept = [d for d in results
            if d["image_id"] in (1, 2, 3, 8, 9) and d["category_id"] in (2, 4)]
    assert evaluation.stats.tolist() == coco_oracle.evaluate(part, kept)[0].tolist()


def test_cocoeval_without_categories(world):
    """All categories are one, in the order of their ids."""
    annotations, results = world
    truth = COCO(annotations)
    evaluation = COCOeval(truth, truth.loadRes(results), "bbox")
    evaluation.params.useCats = 0
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    one = {
        "images": annotations["images"],
        "categories": [{"id": 1, "name": "all"}],
        "annotations": [dict(a, category_id=1) for a in
                        sorted(annotations["annotations"], key=lambda a: a["category_id"])],
    }
    merged = [dict(d, category_id=1) for d in sorted(results, key=lambda d: d["category_id"])]
    assert evaluation.stats.tolist() == coco_oracle.evaluate(one, merged)[0].tolist()


def test_the_object_of_pycocotools(world, expected):
    """Anything with a dataset will do."""
    class Theirs:
        pass

    annotations, results = world
    truth, detections = Theirs(), Theirs()
    truth.dataset = annotations
    detections.dataset = {"annotations": [
        dict(d, id=i + 1, area=d["bbox"][2] * d["bbox"][3], iscrowd=0, segmentation=[[0.0] * 8])
        for i, d in enumerate(results)]}
    evaluation = COCOeval(truth, detections, "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    assert evaluation.stats.tolist() == expected[0].tolist()


def test_coco_index(world):
    annotations, results = world
    truth = COCO(annotations)
    assert sorted(truth.getImgIds()) == list(range(1, 31))
    assert truth.getCatIds(catNms=["class 2"]) == [2]
    ids = truth.getAnnIds(imgIds=[4], catIds=[1])
    assert all(a["image_id"] == 4 and a["category_id"] == 1 for a in truth.loadAnns(ids))
    detections = truth.loadRes(results)
    assert len(detections.anns) == len(results)
    assert truth.loadCats(3) == [annotations["categories"][2]]


def test_bad_input(world):
    annotations, results = world
    with pytest.raises(ValueError, match=r"\[detect\] results: entry 3: score is 2"):
        openworld.detect(annotations, [*results[:3], dict(results[3], score=2.0)])
    with pytest.raises(ValueError, match="NaN"):
        openworld.detect(annotations, [dict(results[0], score=float("nan"))])
    bad = rows(results)
    bad[7, 3] = -1
    with pytest.raises(ValueError, match=r"results\[7\]: the box has the size -1"):
        openworld.detect(annotations, bad)
    with pytest.raises(ValueError, match="expected 'bbox' or 'segm'"):
        openworld.detect(annotations, results, type="keypoints")
    with pytest.raises(ValueError, match="before evaluate"):
        COCOeval(COCO(annotations), COCO(annotations).loadRes(results), "bbox").accumulate()


def test_openset():
    truth = {
        "images": [{"id": 1, "file_name": "a.jpg"}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 100, 100], "area": 1e4},
            {"id": 2, "image_id": 1, "category_id": 1, "bbox": [200, 0, 100, 100], "area": 1e4},
        ],
    }
    detections = {
        "unc-types": [["scores", "low"]],
        "detections": {"a.jpg": {
            "all": {"boxes": [[0, 0, 100, 90], [200, 0, 300, 80]], "labels": ["cat", "cat"],
                    "scores": [0.9, 0.3]},
            "open-set": {"boxes": [[0, 0, 9, 9]], "labels": ["dog"], "scores": [0.5]}}},
    }
    found = openworld.detect_openset(truth, detections)
    assert (found.tp, found.ose) == (2, 1)
    assert found.measures["scores"]["auroc"].value == 0.5
    assert openworld.detect_openset(truth, detections, matching="published").tp == 1
