"""Run folders, progress and tables, without a model."""

import io
import sys
import types

import openworld
import pytest
from openworld._progress import Reporter
from util import outcomes


def test_folders_that_are_no_runs(tmp_path):
    with pytest.raises(ValueError, match=r"^\[open_run\] .*run.json"):
        openworld.open_run(tmp_path)
    with pytest.raises(ValueError, match=r"^\[open_run\] folder is 3; expected a path"):
        openworld.open_run(3)
    with pytest.raises(ValueError, match=r"^\[report\] no paths"):
        openworld.report([], out=tmp_path / "x.html")
    with pytest.raises(ValueError, match=r"^\[report\] samples is -1"):
        openworld.report([tmp_path], out=tmp_path / "x.html", samples=-1)
    with pytest.raises(ValueError, match="did you mean folder"):
        openworld.open_run(foldr=tmp_path)


def test_report_of_predictions(tmp_path):
    openworld.save(tmp_path / "a.npz", *outcomes(100))
    result = openworld.report(tmp_path / "a.npz", out=tmp_path / "page.html", title="Mine")
    assert result["files"] == [{"path": str(tmp_path / "a.npz"), "label": "a", "kind": "predictions"}]
    assert "<title>Mine</title>" in (tmp_path / "page.html").read_text()


def test_frames(monkeypatch):
    evaluation = openworld.evaluate(*outcomes(100), metrics="auroc,overall_acc")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas"):
        evaluation.to_frame()
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=list))
    first, second = evaluation.to_frame()
    assert (first["metric"], first["value"]) == ("auroc", evaluation["auroc"].value)
    assert (first["low"], first["high"]) == tuple(evaluation["auroc"].interval)
    assert second["value"] is None and second["low"] is None and "needs" in second["why"]


def test_frames_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = openworld.evaluate(*outcomes(100)).to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame["metric"])[0] == "openworld_auc"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def drawn(monkeypatch, stream, progress=None):
    monkeypatch.setattr(sys, "stderr", stream)
    with Reporter(progress) as reporter:
        reporter.update("encoding images", 1, 4, "")
        reporter.update("tuning run", 30, 40, "loss 0.1")
    return stream.getvalue()


def test_a_bar_in_a_terminal(monkeypatch):
    text = drawn(monkeypatch, Terminal())
    assert "\rencoding images [#####               ] 1/4" in text
    assert "\rtuning run [###############     ] 30/40" in text and "loss 0.1" in text
    assert "\n" not in text and text.endswith("\r")
    assert drawn(monkeypatch, Terminal(), False) == ""


def test_no_bar_elsewhere(monkeypatch):
    assert drawn(monkeypatch, io.StringIO()) == ""
    assert drawn(monkeypatch, io.StringIO(), True).count("\n") == 2
    calls = []
    assert drawn(monkeypatch, Terminal(), lambda *call: calls.append(call)) == ""
    assert calls == [("encoding images", 1, 4, ""), ("tuning run", 30, 40, "loss 0.1")]


def test_a_bar_in_a_notebook(monkeypatch):
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    text = drawn(monkeypatch, io.StringIO())
    assert "\x1b" not in text and text.endswith("\n") and "30/40" in text
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert drawn(monkeypatch, io.StringIO()) == ""


@pytest.mark.parametrize("call", ["evaluate", "compare", "compute"])
def test_wrong_keywords_of_evaluations(call):
    arrays = outcomes(50)
    predictions = openworld.Predictions(*arrays)
    calls = {
        "evaluate": lambda: openworld.evaluate(predictions, resample=3),
        "compare": lambda: openworld.compare(predictions, predictions, resample=3),
        "compute": lambda: openworld.Accumulator().update(*arrays).compute(resample=3),
    }
    with pytest.raises(ValueError, match=rf"^\[{call}\] no option \"?'?resample.*mean resamples\?"):
        calls[call]()


@pytest.mark.parametrize(
    "call, name, nearest",
    [
        (lambda: openworld.Predictions(*outcomes(9), labels=[0] * 9), "Predictions", "label"),
        (lambda: openworld.Predictions(sides=[0]), "Predictions", "side"),
        (lambda: openworld.curve(*outcomes(9), max_point=3), "curve", "max_points"),
        (lambda: openworld.threshold(*outcomes(9), confidenc=0.5), "threshold", "confidence"),
        (lambda: openworld.diagnose(*outcomes(9), tie="half"), "diagnose", "ties"),
        (lambda: openworld.sensitivity(*outcomes(9), ratio=[1]), "sensitivity", "ratios"),
        (lambda: openworld.per_class(*outcomes(9), lables=[0] * 9), "per_class", "label"),
        (lambda: openworld.Accumulator().update(*outcomes(9), lable=[0] * 9), "update", "label"),
        (lambda: openworld.save("x.npz", *outcomes(9), lable=[0] * 9), "save", "label"),
        (lambda: openworld.friedman([[1, 2]], alhpa=0.1), "friedman", "alpha"),
        (lambda: openworld.metrics.auroc(*outcomes(9)[:2], tie="half"), "auroc", "ties"),
    ],
)
def test_wrong_keywords_are_one_line(call, name, nearest):
    """Not the signature of a binding."""
    with pytest.raises(ValueError) as caught:
        call()
    text = str(caught.value)
    assert text.startswith(f"[{name}] no option ") and text.endswith(f"did you mean {nearest}?")
    assert "\n" not in text


def test_too_many_arrays_are_one_line():
    with pytest.raises(ValueError, match=r"^\[Predictions\] got 4 arrays by position; expected side, score "):
        openworld.Predictions(*outcomes(9), [0] * 9)


def test_names_of_arrays():
    from openworld._keywords import ARRAYS

    documented = openworld.Predictions.__init__.__doc__
    for name in ARRAYS:
        assert f"{name}: " in documented


def test_names_of_evaluation_options():
    import inspect

    from openworld._keywords import EVAL_OPTIONS

    keywords = inspect.signature(openworld.evaluate).parameters
    assert list(EVAL_OPTIONS) == list(keywords)[-len(EVAL_OPTIONS) :]


def test_built_without_models(monkeypatch):
    monkeypatch.setitem(sys.modules, "openworld._models", None)
    with pytest.raises(ImportError, match="built without models"):
        openworld.load_model("pocket")
