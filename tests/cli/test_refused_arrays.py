"""Arrays that are missing, misshapen or hold what they must not."""

import numpy as np
import pytest
from command import refused
from data import compact, full, put, write_csv, write_folder, write_npz

C, F = compact(), full()
RECORDS = np.zeros(40, dtype=[("a", "f4"), ("b", "i4")])


def case(name, arrays, *says):
    return pytest.param(arrays, says, id=name)


def without(arrays, *names):
    return {name: array for name, array in arrays.items() if name not in names}


CASES = [
    case("no_side", without(C, "side"), "no side", "0 (base), 1 (new) or -1 (unknown)"),
    case("no_score", without(C, "score"), "no score", "base_logits and new_logits"),
    case("no_correct", without(C, "correct"), "no correct", "expected correct"),
    case("no_label", without(F, "label"), "no label", "to derive correct from the logits"),
    case("no_base_logits", {**without(F, "base_logits"), "score": np.zeros(60)},
         "no base_logits", "side[0] is 0"),
    case("no_new_logits", {**without(F, "new_logits"), "score": np.zeros(60)},
         "no new_logits", "side[1] is 1"),
    case("score_2d", {**C, "score": np.zeros((40, 1))}, "score", "(40, 1)", "expected"),
    case("score_scalar", {**C, "score": np.float64(0.5)}, "score", "()", "expected"),
    case("side_2d", {**C, "side": np.zeros((2, 20), int)}, "side", "(2, 20)", "expected"),
    case("logits_1d", {**F, "base_logits": np.zeros(60)}, "base_logits", "(60,)", "expected"),
    case("logits_3d", {**F, "new_logits": np.zeros((60, 2, 2))}, "new_logits", "(60, 2, 2)"),
    case("logits_without_columns", {**F, "base_logits": np.zeros((60, 0))}, "base_logits"),
    case("score_shorter", {**C, "score": C["score"][:39]}, "score", "39", "expected 40"),
    case("correct_longer", {**C, "correct": np.ones(41, bool)}, "correct", "41", "expected 40"),
    case("label_shorter", {**F, "label": F["label"][:7]}, "label has 7 rows", "expected 60"),
    case("logits_rows_differ", {**F, "new_logits": F["new_logits"][:59]},
         "new_logits has 59 rows", "expected 60"),
    case("no_samples", {name: array[:0] for name, array in C.items()}, "no samples"),
    case("score_nan", {**C, "score": put(C["score"], 17, np.nan)}, "score[17] is NaN", "finite"),
    case("score_inf", {**C, "score": put(C["score"], 3, np.inf)}, "score[3] is inf", "finite"),
    case("score_minus_inf", {**C, "score": put(C["score"], 39, -np.inf)},
         "score[39] is -inf", "finite"),
    case("base_logits_nan", {**F, "base_logits": put(F["base_logits"], (11, 2), np.nan)},
         "base_logits[11, 2] is NaN", "finite"),
    case("new_logits_inf", {**F, "new_logits": put(F["new_logits"], (59, 3), np.inf)},
         "new_logits[59, 3] is inf", "finite"),
    case("logits_nan_fortran",
         {**F, "base_logits": np.asfortranarray(put(F["base_logits"], (11, 2), np.nan))},
         "base_logits[11, 2] is NaN"),
    case("side_2", {**C, "side": put(C["side"], 5, 2)}, "side[5] is 2", "-1 (unknown)"),
    case("side_300", {**C, "side": put(C["side"], 5, 300)}, "side[5] is 300", "-1 (unknown)"),
    case("side_float", {**C, "side": C["side"].astype(float)}, "side", "f8", "integer"),
    case("correct_2", {**C, "correct": put(C["correct"].astype(int), 8, 2)},
         "correct[8] is 2", "0 or 1"),
    case("correct_nan", {**C, "correct": put(C["correct"].astype(float), 8, np.nan)}, "correct"),
    case("label_too_large", {**F, "label": put(F["label"], 3, 5)}, "label[3] is 5", "0 to 4"),
    case("label_negative", {**F, "label": put(F["label"], 4, -1)}, "label[4] is -1", "0 to 3"),
    case("label_beyond_int32", {**F, "label": put(F["label"], 4, 2**40)},
         "label[4] is 1099511627776", "index of a name"),
    case("object", {**C, "score": np.array([{}] * 40, dtype=object)}, "score", "object"),
    case("complex", {**C, "score": C["score"].astype(complex)}, "score", "c16"),
    case("datetime", {**C, "score": np.zeros(40, "datetime64[s]")}, "score", "M8"),
    case("timedelta", {**C, "side": np.zeros(40, "timedelta64[s]")}, "side", "m8"),
    case("structured", {**C, "score": RECORDS}, "score", "structured"),
    case("text", {**C, "score": np.array(["0.5"] * 40)}, "score", "U3"),
    case("long_double", {**C, "score": C["score"].astype(np.longdouble)}, "score", "f16"),
    case("meta_not_json", {**C, "meta": "{"}, "meta", "JSON"),
    case("meta_too_deep", {**C, "meta": "[" * 300000 + "]" * 300000}, "meta", "deep"),
    case("classes_too_few", {**F, "classes": np.array(["a", "b"])}, "classes has 2", "expected 9"),
]


@pytest.mark.parametrize("arrays, says", CASES)
def test_npz(folder, arrays, says):
    file = write_npz(folder / "p.npz", arrays)
    refused("eval", file, says=[str(file), *says])


@pytest.mark.parametrize("arrays, says", CASES)
def test_folder(folder, arrays, says):
    path = write_folder(folder / "p", arrays)
    # Without a side it may also be meant as a run.
    refused("eval", path, says=[str(path), *(says if "side" in arrays else ["run.json", "side.npy"])])


@pytest.mark.parametrize("name", ["score_nan", "side_2", "correct_2", "label_too_large"])
def test_csv(folder, name):
    """A CSV says the same with the line and column of the file."""
    (arrays, _), = [c.values for c in CASES if c.id == name]
    file = write_csv(folder / "p.csv", arrays)
    refused("eval", file, says=[str(file), name.split("_")[0]])


@pytest.mark.parametrize("command", ["eval", "curve", "sensitivity", "samplesize", "threshold",
                                     "compare"])
def test_every_command_reads_alike(folder, good, command):
    file = write_npz(folder / "p.npz", {**C, "score": put(C["score"], 17, np.nan)})
    flags = {"threshold": ["--max-miss", 0.5], "compare": [good],
             "samplesize": ["--half-width", 0.1]}.get(command, [])
    refused(command, file, *flags, says=[f"openworld {command}: ", str(file), "score[17] is NaN"])
