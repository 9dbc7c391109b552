"""Files of detections for tests of `openworld detect`."""

import copy
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "openworld" / "detection"))
import coco_oracle  # noqa: E402,F401

TRUTH = {
    "images": [{"id": 1, "height": 20, "width": 30, "file_name": "a.jpg"},
               {"id": 2, "height": 20, "width": 30, "file_name": "b.jpg"},
               {"id": 3, "height": 20, "width": 30, "file_name": "empty.jpg"}],
    "categories": [{"id": 1, "name": "cat"}, {"id": 7, "name": "dog"}],
    "annotations": [
        {"id": 11, "image_id": 1, "category_id": 1, "bbox": [2, 3, 10, 8], "area": 80.0,
         "iscrowd": 0, "segmentation": [[2, 3, 2, 11, 12, 11, 12, 3]]},
        {"id": 12, "image_id": 2, "category_id": 7, "bbox": [0, 0, 9, 9], "area": 81.0,
         "iscrowd": 0, "segmentation": {"size": [20, 30], "counts": [0, 9, 11, 9, 571]}}],
}
RESULTS = [
    {"image_id": 1, "category_id": 1, "bbox": [2, 3, 10, 8], "score": 0.9},
    {"image_id": 2, "category_id": 7, "bbox": [0, 0, 9, 8], "score": 0.5},
    {"image_id": 2, "category_id": 1, "bbox": [5, 5, 4, 4], "score": 0.25},
]
OPENSET = {
    "unc-types": [["scores", "low"], ["entropy", "high"]],
    "detections": {
        "a.jpg": {"all": {"boxes": [[2, 3, 12, 11]], "labels": ["cat"], "scores": [0.9],
                          "entropy": [0.2]},
                  "open-set": {"boxes": [[2, 3, 12, 11]], "labels": ["dog"], "scores": [0.4],
                               "entropy": [0.9]}},
        "b.jpg": {"all": {"boxes": [[0, 0, 9, 9], [1, 1, 5, 5]], "labels": ["dog", "cat"],
                          "scores": [0.3, 0.1], "entropy": [[0.8], [1.2]]},
                  "open-set": {"boxes": [], "labels": [], "scores": [], "entropy": []}}},
}


def truth():
    return copy.deepcopy(TRUTH)


def results():
    return copy.deepcopy(RESULTS)


def openset():
    return copy.deepcopy(OPENSET)


def write(path, value):
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def write_all(folder):
    """truth.json, results.json and openset.json."""
    folder.mkdir(exist_ok=True)
    write(folder / "truth.json", TRUTH)
    write(folder / "results.json", RESULTS)
    write(folder / "openset.json", OPENSET)
    return folder
