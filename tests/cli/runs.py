"""Run folders to test with: what `openworld tune` writes, with made-up predictions."""

import json

import numpy as np
from data import write_npz

# Doodles has 30 test drawings a class, class after class; both have ten classes.
DATASETS = ("doodles:instruments", "doodles:shapes")
CLASSES, PER_CLASS = 10, 30
# How well a method classifies, and how well it separates base from new.
SKILLS = {"zero-shot": (1.0, 0.3), "coop": (1.3, 0.8), "gmop": (1.8, 1.4)}


def predictions(skill, lift, dataset, seed):
    """Logits and scores on every test drawing of a dataset. What a drawing is like is shared by all
    methods and seeds; the first half of the classes is base."""
    hard = np.random.default_rng([7, dataset])
    own = np.random.default_rng([dataset, seed, int(1000 * skill)])
    half, n = CLASSES // 2, CLASSES * PER_CLASS
    label = np.repeat(np.arange(CLASSES), PER_CLASS)
    logits = (hard.normal(0, 1, (n, CLASSES)) + own.normal(0, 0.4, (n, CLASSES))).astype("f4")
    logits[np.arange(n), label] += skill
    side = (label >= half).astype("i1")
    score = hard.normal(0, 1, n) + own.normal(0, 0.4, n) + lift * (1 - side)
    return {"side": side, "label": (label % half).astype("i4"), "score": score,
            "base_logits": logits[:, :half], "new_logits": logits[:, half:],
            "classes": np.array([f"class {i}" for i in range(CLASSES)]), "meta": "{}"}


def write_run(folder, method, data=DATASETS[1], seed=1, arrays=None, changed=None, finished=True,
              shots=16):
    """One run folder."""
    folder.mkdir(parents=True)
    dataset = DATASETS.index(data) if data in DATASETS else 9
    if arrays is None:
        arrays = predictions(*SKILLS[method], dataset, seed)
    run = {"schema": "openworld.run/1", "method": method, "title": method.title(), "options": {},
           "changed": changed or {}, "seed": seed, "shots": shots, "model": {"path": "pocket"},
           "data": {"path": data, "train_split": "train", "test_split": "test", "image_root": "",
                    "names": "", "format": ""},
           "templates": ["a doodle of a {}."], "base_classes": CLASSES // 2,
           "new_classes": CLASSES // 2, "classes": [f"class {i}" for i in range(CLASSES)]}
    (folder / "run.json").write_text(json.dumps(run))
    write_npz(folder / "predictions.npz", arrays)
    if finished:
        result = {"schema": "openworld.tune/2", "method": method, "title": method.title(),
                  "changed": changed or {}, "seed": seed, "data": data,
                  "parameters": 0 if method == "zero-shot" else 4096 * len(method),
                  "train_images": 80, "test_images": len(arrays["side"]), "epochs": 20,
                  "steps": 100, "loss": None if method == "zero-shot" else 0.5, "metrics": {},
                  "cost": {"train_seconds": 1.5 * len(method), "encode_seconds": 0.5,
                           "score_seconds": 0.1, "seconds_per_image": 0.00025, "seconds": 3.0,
                           "peak_memory_bytes": 2 << 20, "version": "0.1.0"}}
        (folder / "result.json").write_text(json.dumps(result))
    return folder


def write_runs(folder, methods=tuple(SKILLS), datasets=DATASETS, seeds=(1, 2, 3)):
    """A folder of seed-N folders per method and dataset; their paths, methods in order."""
    paths = []
    for method in methods:
        for data in datasets:
            path = folder / f"{method}-{data.split(':')[1]}"
            for seed in seeds:
                write_run(path / f"seed-{seed}", method, data, seed)
            paths.append(path)
    return paths
