"""load, save and evaluate_file."""

import json
import pickle
import subprocess
from pathlib import Path

import numpy as np
import openworld
import pytest
from util import classes, outcomes

SIDE, SCORE, _ = outcomes(100, 5, 30)
LABEL, PREDICTED, CORRECT = classes(SIDE)
ARRAYS = dict(
    label=LABEL,
    predicted=PREDICTED,
    overall_correct=CORRECT,
    base_classes=5,
    new_classes=5,
    classes=[f"class {i}" for i in range(10)],
    meta={"model": "naïve", "seed": 3},
)


def test_memory_limit(tmp_path):
    path = tmp_path / "zeros.npz"
    count = 20_000_000
    np.savez_compressed(path, side=np.zeros(count, np.int8), score=np.zeros(count),
                        correct=np.ones(count, bool))
    with pytest.raises(ValueError, match="needs .* MiB of memory; expected at most"):
        openworld.load(path)
    try:
        openworld.set_memory_limit(1 << 30)
        assert len(openworld.load(path)) == count
    finally:
        openworld.set_memory_limit(None)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="set_memory_limit"):
            openworld.set_memory_limit(wrong)


def test_save_and_load_round_trip(tmp_path):
    path = tmp_path / "p.npz"
    openworld.save(path, SIDE, SCORE, CORRECT, **ARRAYS)
    loaded = openworld.load(path)
    assert len(loaded) == 100 and loaded.path == str(path)
    np.testing.assert_array_equal(loaded.side, SIDE)
    np.testing.assert_array_equal(loaded.score, SCORE)
    assert loaded.score.dtype == np.float32
    np.testing.assert_array_equal(loaded.correct, CORRECT)
    assert loaded.correct.dtype == bool
    np.testing.assert_array_equal(loaded.label, LABEL)
    np.testing.assert_array_equal(loaded.predicted, PREDICTED)
    assert loaded.classes == ARRAYS["classes"] and loaded.meta == ARRAYS["meta"]
    with np.load(path) as archive:  # NumPy reads it too
        np.testing.assert_array_equal(archive["score"], SCORE)


def test_csv(tmp_path):
    openworld.save(tmp_path / "p.csv", SIDE, SCORE, CORRECT)
    loaded = openworld.load(tmp_path / "p.csv")
    np.testing.assert_array_equal(loaded.score.astype(np.float32), SCORE)
    assert loaded.label is None and loaded.predicted is None and loaded.overall_correct is None
    assert loaded.meta is None and loaded.classes == [] and loaded.base_classes == 0


def test_loaded_arrays_are_views_of_the_file(tmp_path):
    openworld.save(tmp_path / "p.npz", SIDE, SCORE, CORRECT)
    loaded = openworld.load(tmp_path / "p.npz")
    first, second = loaded.score, loaded.score
    assert np.shares_memory(first, second) and not first.flags.owndata
    del loaded, second
    np.testing.assert_array_equal(first, SCORE)  # the mapping lives on
    assert not first.flags.writeable


def test_evaluate_file_names_its_source_and_keeps_meta(tmp_path):
    path = tmp_path / "p.npz"
    openworld.save(path, SIDE, SCORE, CORRECT, meta={"model": "m"})
    result = openworld.evaluate_file(path, metrics="auroc", ci=None).to_dict()
    assert result["source"] == str(path) and result["meta"] == {"model": "m"}
    in_memory = openworld.evaluate(SIDE, SCORE, CORRECT, metrics="auroc", ci=None)
    assert result["metrics"] == in_memory.to_dict()["metrics"]


def test_the_command_line_writes_the_same_json(tmp_path):
    command = Path(openworld.__file__).parents[2] / "bin" / "openworld"
    if not command.exists():
        pytest.skip(f"{command} is not built; its JSON was not compared")
    path = tmp_path / "p.npz"
    openworld.save(path, SIDE, SCORE, CORRECT, **ARRAYS)
    options = ["--metrics", "all", "--ci", "bootstrap", "--resamples", "40", "--seed", "3"]
    printed = subprocess.run(
        [command, "eval", path, *options, "--json"], check=True, capture_output=True, text=True
    ).stdout
    result = json.loads(printed)
    del result["cost"]
    evaluation = openworld.evaluate_file(path, metrics="all", ci="bootstrap", resamples=40, seed=3)
    assert result == evaluation.to_dict()


def test_save_predictions_themselves(tmp_path):
    predictions = openworld.Predictions(SIDE, SCORE, CORRECT, **ARRAYS)
    openworld.save(tmp_path / "a.npz", predictions)
    openworld.save(tmp_path / "b.npz", SIDE, SCORE, CORRECT, **ARRAYS)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_predictions_can_be_pickled():
    predictions = openworld.Predictions(SIDE, SCORE, CORRECT, **ARRAYS)
    again = pickle.loads(pickle.dumps(predictions))
    for name in ("side", "score", "correct", "label", "predicted", "overall_correct"):
        np.testing.assert_array_equal(getattr(again, name), getattr(predictions, name))
    assert (again.classes, again.meta, again.base_classes) == (
        predictions.classes,
        predictions.meta,
        5,
    )
    assert "100 samples" in repr(again)


def test_errors_name_the_file(tmp_path):
    with pytest.raises(ValueError, match=r"\[load_predictions\] .*missing\.npz: "):
        openworld.load(tmp_path / "missing.npz")
    np.savez(tmp_path / "bad.npz", side=SIDE, score=SCORE[:3], correct=CORRECT)
    with pytest.raises(ValueError, match=r"bad\.npz: score has 3 rows; expected 100"):
        openworld.load(tmp_path / "bad.npz")
    with pytest.raises(ValueError, match=r"\[save_predictions\] .*p\.txt: unknown ending"):
        openworld.save(tmp_path / "p.txt", SIDE, SCORE, CORRECT)
    with pytest.raises(ValueError, match=r"\[save\] no correct"):
        openworld.save(tmp_path / "p.npz", SIDE, SCORE)
    assert not (tmp_path / "p.npz").exists()
