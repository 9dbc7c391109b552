"""Tables of results that drc and rank cannot use."""

import pytest
from command import refused

CURVES = """method,world,t,acc
a,w,0,0.5
a,w,1,0.4
b,w,0,0.6
b,w,1,0.5
"""
RESULTS = """method,dataset,value
a,x,0.5
a,y,0.4
b,x,0.6
b,y,0.5
"""


def case(name, old, new, *says):
    return pytest.param(old, new, says, id=name)


def changed(folder, text, old, new):
    assert old in text
    file = folder / "t.csv"
    file.write_text(text.replace(old, new))
    return file


@pytest.mark.parametrize("old, new, says", [
    case("no_method_column", "method", "model", "no column method", '"model"'),
    case("no_world_column", "world", "place", "no column world", '"place"'),
    case("no_t_column", "t,", "level,", "no column t", '"level"'),
    case("no_acc_column", "acc", "accuracy", "no column acc", '"accuracy"'),
    case("acc_above_1", "0.6", "60", "60", '"w"'),
    case("acc_negative", "0.6", "-0.6", "-0.6", '"w"'),
    case("acc_word", "0.6", "good", "line 4", '"acc"', '"good"', "finite number"),
    case("acc_nan", "0.6", "nan", "line 4", '"acc"', '"nan"', "finite number"),
    case("missing_level", "b,w,1,0.5\n", "", 'method "b"', '"w / 1"', "every method"),
    case("row_twice", "b,w,1", "b,w,0", "row 4", '"b"', '"w / 0"', "seed"),
    case("t_above_1", "w,1,", "w,1.5,", "1.5", '"w"'),
    case("t_negative", "w,0,", "w,-0.5,", "-0.5", '"w"'),
    case("t_word", "w,1,", "w,late,", '"t"', '"late"', "finite number"),
    case("level_written_in_two_ways", "b,w,1,0.5", "b,w,1.0,0.5\na,w,1.0,0.5\nb,w,1,0.5",
         '"t"', "one way"),
    case("one_level", "a,w,1,0.4\nb,w,0,0.6\nb,w,1,0.5", "b,w,0,0.6", '"w"', "level"),
    case("one_method", "b,w,0,0.6\nb,w,1,0.5\n", "", '"a"', "two or more"),
    case("header_only", CURVES.split("\n", 1)[1], "", "no rows"),
    case("ragged", "a,w,1,0.4", "a,w,1", "line 3", "3 cells"),
])
def test_drc(folder, old, new, says):
    file = changed(folder, CURVES, old, new)
    refused("drc", file, "--zero-shot", "a", says=[str(file), *says])


def test_drc_unknown_zero_shot(examples):
    refused("drc", examples / "curves.csv", "--zero-shot", "clip",
            says=["curves.csv", '"clip"', "--zero-shot", "zero-shot, coop, kgcoop, gmop"])


def test_drc_without_zero_shot(examples):
    refused("drc", examples / "curves.csv", says=["--zero-shot is required"])


@pytest.mark.parametrize("density, says", [
    ("1", ["--density", "'1'", "expected t:weight"]),
    ("0:1,1", ["--density", "'1'", "expected t:weight"]),
    ("0:1,1:x", ["--density", "'1:x'", "expected t:weight"]),
    ("0:1,1:2:3", ["--density", "'1:2:3'", "expected t:weight"]),
    ("0:1", ["1 levels; a curve needs at least 2"]),
    ("1:1,0:1", ["expected increasing levels"]),
    ("0:1,2:1", ["level[1] is 2"]),
    ("0:1,1:-1", ["weight[1] of the density is -1"]),
    ("0:0,1:0", ["the density is 0 from 0 to 1"]),
])
def test_drc_density(examples, density, says):
    refused("drc", examples / "curves.csv", "--zero-shot", "coop", "--density", density, says=says)


@pytest.mark.parametrize("command, file", [("drc", "curves.csv"), ("rank", "results.csv")])
def test_alpha(examples, command, file):
    flags = ["--zero-shot", "coop"] if command == "drc" else []
    refused(command, examples / file, "--alpha", 5, *flags,
            says=["--alpha", "'5'", "between 0 and 1"])


@pytest.mark.parametrize("command, flags", [("drc", ["--zero-shot", "a"]), ("rank", [])])
def test_missing_file(folder, command, flags):
    refused(command, folder / "none.csv", *flags, says=["none.csv", "No such file"])


@pytest.mark.parametrize("old, new, says", [
    case("no_method_column", "method", "model", "no column method", '"model"'),
    case("no_value_column", "value", "auc", "no column value", '"auc"'),
    case("value_word", "0.6", "good", "line 4", '"value"', '"good"', "finite number"),
    case("value_inf", "0.6", "inf", "line 4", '"value"', '"inf"', "finite number"),
    case("incomplete", "b,y,0.5\n", "", 'method "b"', '"y"', "every method in every setting"),
    case("row_twice", "b,y", "b,x", "row 4", '"b"', '"x"', "seed"),
    case("one_method", "b,x,0.6\nb,y,0.5\n", "", '"a"', "two or more"),
    case("header_only", RESULTS.split("\n", 1)[1], "", "no rows"),
])
def test_rank(folder, old, new, says):
    file = changed(folder, RESULTS, old, new)
    refused("rank", file, says=[str(file), *says])


@pytest.mark.parametrize("flag", ["--method", "--value", "--settings"])
def test_rank_unknown_column(examples, flag):
    refused("rank", examples / "results.csv", flag, "size",
            says=["results.csv", "no column size", '"dataset"'])
