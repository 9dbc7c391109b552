"""CSV files that are not tables of samples. Refusals name line and column as an editor counts."""

import pytest
from command import refused


def case(name, text, *says):
    return pytest.param(text, says, id=name)


HEAD = "side,score,correct\n"
CASES = [
    case("empty", "", "empty", "header"),
    case("header_only", HEAD, "no samples"),
    case("no_side_column", "score,correct\n1,1\n", "no side"),
    case("no_score_column", "side,correct\n0,1\n", "no score"),
    case("no_correct_column", "side,score\n0,1\n", "no correct"),
    case("short_row", HEAD + "0,1,1\n0,1\n", "line 3", "2 cells", "expected 3"),
    case("long_row", HEAD + "0,1,1,1\n", "line 2", "4 cells", "expected 3"),
    case("word_for_score", HEAD + "0,high,1\n", "line 2", '"score"', '"high"', "finite number"),
    case("nan_score", HEAD + "0,1,1\n1,nan,1\n", "line 3", '"score"', '"nan"', "finite number"),
    case("empty_score", HEAD + "0,,1\n", "line 2", '"score"', "finite number"),
    case("word_for_side", HEAD + "old,1,1\n", "line 2", '"side"', '"old"', "unknown"),
    case("word_for_correct", HEAD + "0,1,yes\n", "line 2", '"correct"', '"yes"', "0 or 1"),
    case("column_twice", "side,score,score,correct\n0,1,1,1\n", "line 1", '"score"', "twice"),
    case("unnamed_column", "side,,score,correct\n0,1,1,1\n", "line 1", "column 2"),
    case("open_quote", HEAD + '0,1,1\n0,"1,1\n', "line 3", "unterminated quote"),
    case("text_after_quote", HEAD + '0,"1"x,1\n', "line 2", "quote"),
    case("nul", HEAD + "0,1\0,1\n", "line 2", "NUL"),
    case("gap_in_logits", "side,label,base_logits_0,base_logits_2\n0,0,1,1\n", "base_logits_1"),
    case("fraction_for_label", "side,label,score,correct\n0,0.5,1,1\n", "line 2", '"label"'),
]


@pytest.mark.parametrize("text, says", CASES)
def test_refused(folder, text, says):
    file = folder / "p.csv"
    file.write_text(text, newline="")
    refused("eval", file, says=[str(file), *says])
