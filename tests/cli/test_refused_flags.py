"""Invalid flags and arguments, command by command."""

import numpy as np
import pytest
from command import COMMANDS, refused
from data import compact, write_npz

FRACTION = "expected a number between 0 and 1"
WHOLE = "expected a whole number"


def case(name, flags, *says):
    return pytest.param(flags.split(" "), says, id=name)


def of_one_side(folder, side, n=40):
    return write_npz(folder / f"only{side}.npz", {**compact(n), "side": np.full(n, side)})


MEASURING = [
    case("unknown_metric", "--metrics aurocc", "'aurocc'", "did you mean auroc?", "ls metrics"),
    case("unknown_among_known", "--metrics auroc,hmm", "'hmm'", "did you mean hm?"),
    case("no_metric", "--metrics ", "no metric", "standard"),
    case("percent_of_101", "--metrics fpr_at_101tpr", "fpr_at_101tpr"),
    case("ties", "--ties random", "--ties", "random", "strict,half,definition"),
    case("open", "--open old", "--open", "old", "auto,new,unknown"),
    case("ci", "--ci jackknife", "--ci", "jackknife", "delong,bootstrap,none"),
    case("bootstrap", "--bootstrap basic", "--bootstrap", "basic", "bca,percentile"),
    case("nearest_value", "--ties stict", "stict not in {strict,half,definition}; did you mean strict? see"),
    case("level_0", "--level 0", "--level", "'0'", FRACTION),
    case("level_1", "--level 1", "--level", "'1'", FRACTION),
    case("level_95", "--level 95", "--level", "'95'", FRACTION),
    case("level_abc", "--level abc", "--level", "'abc'", FRACTION),
    case("level_nan", "--level nan", "--level", "'nan'", FRACTION),
    case("level_without_value", "--level", "--level", "missing"),
    case("resamples_1", "--resamples 1", "--resamples", "1 not in range 2 to"),
    case("resamples_abc", "--resamples abc", "--resamples", "abc"),
    case("threads_negative", "--threads -1", "--threads", "-1 not in range 0 to"),
    case("threads_5000", "--threads 5000", "--threads", "5000 not in range 0 to"),
    case("seed_negative", "--seed -1", "--seed", "'-1'", WHOLE),
    case("seed_fraction", "--seed 1.5", "--seed", "'1.5'", WHOLE),
    case("seed_word", "--seed abc", "--seed", "'abc'", WHOLE),
    case("seed_beyond_64_bits", "--seed 18446744073709551616", "--seed", WHOLE),
    case("threshold_nan", "--threshold nan", "--threshold", "'nan'", "expected a number"),
    case("unknown_flag", "--loud", "unknown flag --loud; see", "--help"),
    case("misspelled_flag", "--metrcs auroc", "unknown flag --metrcs; did you mean --metrics? see"),
    case("misspelled_flag_with_value", "--levle=0.9", "unknown flag --levle; did you mean --level? see"),
    case("metric_like_no_other", "--metrics foo", "unknown metric 'foo'; `openworld ls metrics`"),
    case("unknown_letter", "-x", "-x", "not expected"),
]


@pytest.mark.parametrize("flags, says", MEASURING)
def test_eval(good, flags, says):
    refused("eval", good, *flags, says=["openworld eval: ", *says])


@pytest.mark.parametrize("flags, says", MEASURING)
def test_compare(good, flags, says):
    refused("compare", good, good, *flags, says=["openworld compare: ", *says])


def test_no_command():
    refused(says=["no command", "openworld --help"])


def test_unknown_command():
    refused("evil", says=["unknown command 'evil'; did you mean eval? `openworld --help`"])
    refused("frobnicate", says=["unknown command 'frobnicate'; `openworld --help`"])


def test_unknown_command_of_a_command():
    refused("study", "rn", "plan.toml", says=["unknown command 'rn'; did you mean run? see `openworld study --help`"])
    refused("osr", "trian", says=["unknown command 'trian'; did you mean train? see `openworld osr --help`"])


def test_misspelled_names():
    """Of models, worlds, learners, scenarios and templates, wherever they are given."""
    tune = ["tune", "--out", "run", "--method"]
    for arguments, near in [
            ([*tune, "coop", "--model", "poket", "--data", "doodles:food"], "poket: cannot open: No such file or directory; did you mean pocket?"),
            ([*tune, "coop", "--model", "pocket", "--data", "doodels:food"], "did you mean doodles:food?"),
            ([*tune, "coop", "--model", "pocket", "--data", "doodles:foood"], "did you mean food?"),
            ([*tune, "cop", "--model", "pocket", "--data", "doodles:food"], "did you mean coop?"),
            (["zeroshot", "--model", "pocket", "--data", "doodles:food", "--templates", "imagent"], "did you mean ImageNet?"),
            (["inspect", "Pocket"], "did you mean pocket?"),
            (["doctor", "poket"], "did you mean pocket?"),
            (["scenario", "show", "emergin", "--data", "doodles:food"], "did you mean emerging?"),
            (["worlds", "doodles:food"], "the word show comes first: see")]:
        refused(*arguments, says=[near])


def test_misspelled_flags_that_are_required(good):
    """They are not called missing."""
    refused("threshold", good, "--max-mis", "0.1", says=["unknown flag --max-mis; did you mean --max-miss? see"])
    refused("score", "--image", "i.npz", "--texts", "t.npz", "--out", "p.npz",
            says=["unknown flag --image; did you mean --images? see"])
    refused("study", "run", "plan.toml", "--outt", "x", says=["unknown flag --outt; did you mean --out? see"])


@pytest.mark.parametrize("command", [command for command in COMMANDS
                                     if command not in ("worlds", "openset")])
def test_no_argument(command):
    """All but worlds, which lists them, want something; openset wants one of several flags."""
    refused(command, says=["is required", f"openworld {command} --help"])


@pytest.mark.parametrize("what, says", [
    (["commands"], "metrics,curves"),
    (["metricss"], "did you mean metrics? see"),
    (["metrics", "aurok"], "did you mean auroc?"),
    (["curves", "rock"], "miss-hit, roc, pr, cotpr-ofpr"),
    (["scores", "mps"], "did you mean msp?"),
    (["uncertainties", "enrgy"], "did you mean energy?"),
])
def test_ls(what, says):
    refused("ls", *what, says=[what[-1], says])


def test_compare_one_file(good):
    refused("compare", good, says=["1 file", "two or more"])


def test_compare_different_lengths(folder, good):
    other = write_npz(folder / "long.npz", compact(42))
    refused("compare", good, other, says=[str(good), str(other), "40", "42"])


def test_compare_different_sides(folder, good):
    arrays = compact()
    other = write_npz(folder / "sides.npz", {**arrays, "side": np.roll(arrays["side"], 1)})
    refused("compare", good, other, says=[str(good), str(other), "side[0]"])


@pytest.mark.parametrize("flags, says", [
    case("kind", "--kind det", "--kind", "det", "miss-hit,roc,pr,cotpr-ofpr"),
    case("csv_and_json", "--csv --json", "--csv and --json", "standard output"),
    case("points_negative", "--points -1", "--points", "'-1'", WHOLE),
    case("points_word", "--points many", "--points", "'many'", WHOLE),
    case("svg_without_folder", "--svg none/c.svg", "none/c.svg", "No such file"),
    case("svg_is_a_folder", "--svg .", "is a directory"),
    case("no_unknown_samples", "--kind roc --open unknown", "good.npz", "no unknown samples"),
])
def test_curve(good, folder, flags, says):
    refused("curve", good, *flags, says=says, cwd=folder)


@pytest.mark.parametrize("side, says", [(0, "no new samples"), (1, "no base samples")])
@pytest.mark.parametrize("command", ["curve", "sensitivity"])
def test_one_side_only(folder, command, side, says):
    file = of_one_side(folder, side)
    refused(command, file, says=[str(file), says])


@pytest.mark.parametrize("flags, says", [
    case("none", "--json", "--max-miss is required"),
    case("zero", "--max-miss 0", "--max-miss", "'0'", FRACTION),
    case("one", "--max-miss 1", "--max-miss", "'1'", FRACTION),
    case("two", "--max-miss 2", "--max-miss", "'2'", FRACTION),
    case("negative", "--max-miss -0.1", "--max-miss", "'-0.1'", FRACTION),
    case("confidence_1", "--max-miss 0.5 --confidence 1", "--confidence", "'1'", FRACTION),
    case("unknown_one", "--max-miss 0.5 --max-unknown 1", "--max-unknown", "'1'", FRACTION),
    case("next_none", "--max-miss 0.5 --next 0", "--next", "0"),
    case("no_fit", "--max-miss 0.9 --max-unknown 0.5", "good.npz", "no fit, which says how well any listed name fits"),
    case("unknown_without_run", "--max-miss 0.5 --unknown photos", "--unknown", "--run"),
    case("two_files", "--max-miss 0.5 more.npz", "more.npz", "not expected"),
    case("too_wrong", "--max-miss 0.01", "good.npz", "more samples do not help"),
])
def test_threshold(good, flags, says):
    refused("threshold", good, *flags, says=says)


def test_threshold_without_base_samples(folder):
    file = of_one_side(folder, 1)
    refused("threshold", file, "--max-miss", 0.3, says=[str(file), "no base samples"])


def test_threshold_says_how_many_samples_it_takes(folder):
    """None of 20 is missed. The smallest n with 0.9^n <= 5 % is 29."""
    arrays = {"side": np.zeros(20, int), "score": np.arange(20.0), "correct": np.ones(20, int)}
    file = write_npz(folder / "few.npz", arrays)
    refused("threshold", file, "--max-miss", 0.1, says=[str(file), "20 samples", "29"])


@pytest.mark.parametrize("flags, says", [
    case("zero", "--ratios 1,0", "ratio[1] is 0", "> 0"),
    case("negative", "--ratios -1", "ratio[0] is -1", "> 0"),
    case("nan", "--ratios nan", "ratio[0] is nan", "> 0"),
    case("infinite", "--ratios inf", "ratio[0] is inf", "> 0"),
    case("word", "--ratios 1,many", "--ratios", "many"),
    case("repeats", "--repeats 0", "repeats is 0", "1 or more"),
    case("seed", "--seed -1", "--seed", "'-1'", WHOLE),
    case("threshold", "--threshold nan", "--threshold", "'nan'", "expected a number"),
])
def test_sensitivity(good, flags, says):
    refused("sensitivity", good, *flags, says=says)


def test_example_into_a_file(good):
    refused("example", good, says=[str(good), "Not a directory"])
