"""The JSON that scripts build on: one object, the promised keys, null with a reason."""

import math

import numpy as np
import pytest
from command import COMMANDS, json_of, needs_models, succeed
from data import compact, full, write_npz
from runs import write_run

STANDARD = {"openworld_auc", "open_auc", "auroc", "base_acc", "new_acc", "hm", "overall_acc",
            "aupr_base", "aupr_new", "fpr_at_95tpr"}
WITH_MODELS = ("encode", "zeroshot", "tune", "osr", "predict", "pretrain")


def write_plan(path, model):
    path.write_text(f'models = ["{model}"]\ndata = ["doodles:animals"]\nlearners = ["coop"]\nseeds = "1-2"\n')
    return path


def feature_files(folder):
    random = np.random.default_rng(0)
    return ["--images", write_npz(folder / "images.npz", {
                "features": random.normal(0, 1, (50, 8)), "label": np.arange(50) % 4}),
            "--texts", write_npz(folder / "texts.npz", {"features": random.normal(0, 1, (4, 8))})]


def arguments(command, examples, folder):
    """A call of each command that works."""
    return {
        "eval": [examples / "gmop.npz"],
        "score": [*feature_files(folder), "--out", folder / "p.npz"],
        "compare": [examples / "coop.npz", examples / "gmop.npz", "--resamples", 20],
        "curve": [examples / "gmop.npz"],
        "report": [write_run(folder / "run", "gmop"), "--out", folder / "report.html"],
        "threshold": [examples / "gmop.npz", "--max-miss", 0.4],
        "openset": ["--logits", write_npz(folder / "logits.npz", {
            "logits": np.random.default_rng(0).normal(0, 1, (50, 4)), "label": np.arange(50) % 4}),
            "--resamples", 20],
        "sensitivity": [examples / "gmop.npz"],
        "samplesize": [examples / "gmop.npz", "--half-width", 0.01],
        "drc": [examples / "curves.csv", "--zero-shot", "zero-shot"],
        "rank": [examples / "results.csv"],
        "detect": ["--annotations", examples / "detections" / "truth.json", "--results",
                   examples / "detections" / "results.json", "--resamples", 20],
        "doctor": [examples / "gmop.npz"],
        "inspect": [examples / "clip"],
        "encode": ["--model", examples / "model", "--data", examples / "pets", "--out",
                   folder / "x.npz"],
        "zeroshot": ["--model", examples / "model", "--data", examples / "pets"],
        "tune": ["--method", "kgcoop", "--model", examples / "model", "--data", examples / "pets",
                 "--test-data", examples / "pets", "--shots", 1, "--epochs", 1, "--out",
                 folder / "tuned"],
        "osr": ["train", "--method", "softmax", "--net", "linear", "--known", "0,1", "--epochs", 1,
                "--data", feature_files(folder)[1], "--test-data", write_npz(folder / "more.npz", {"features": np.ones((8, 8)), "label": np.arange(8) % 4}),
                "--out", folder / "osr"],
        "study": ["plan", write_plan(folder / "plan.toml", examples / "clip")],
        "predict": ["--run", examples / "tuned", "--model", examples / "model",
                    examples / "pets" / "cat"],
        "pretrain": ["--data", "doodles:shapes", "--templates", "a {}", "--split", "train", "--out",
                     folder / "trained", "--epochs", 1, "--batch", 50],
        "worlds": [],
        "data": ["ls"],
        "scenario": ["show", "emerging", "--data", "doodles:body"],
        "ls": ["metrics"],
        "example": [folder / "again"],
        "completion": ["bash"],
    }[command]


@pytest.mark.parametrize("command", [
    pytest.param(command, marks=needs_models if command in WITH_MODELS else ())
    for command in COMMANDS])
def test_every_command_prints_one_object(examples, folder, command):
    result = json_of(command, *arguments(command, examples, folder))
    if command not in ("ls", "example", "completion"):
        version = {"openset": 1, "score": 1, "detect": 1, "samplesize": 1, "scenario": 1, "study": 1,
                   "doctor": 1, "threshold": 3, "worlds": 3, "data": 1}.get(command, 2)
        assert result["schema"].startswith("openworld.") and result["schema"].endswith(f"/{version}")
        assert set(result["cost"]) >= {"seconds", "peak_memory_bytes", "version"}


def test_eval_keys(examples):
    result = json_of("eval", examples / "gmop.npz")
    assert result["schema"] == "openworld.result/2"
    assert result["source"] == str(examples / "gmop.npz")
    assert result["counts"] == {"base": 960, "new": 960, "unknown": 400, "tied": 0,
                                "tied_answers": 0}
    assert set(result["metrics"]) >= STANDARD
    for name in STANDARD:
        metric = result["metrics"][name]
        assert 0 <= metric["value"] <= 1
        assert metric["higher_is_better"] is (name != "fpr_at_95tpr")


def test_intervals(examples):
    metrics = json_of("eval", examples / "gmop.npz", "--level", 0.9)["metrics"]
    methods = {"openworld_auc": "delong", "open_auc": "delong", "auroc": "delong",
               "base_acc": "wilson", "new_acc": "wilson"}
    for name, method in methods.items():
        interval = metrics[name]["interval"]
        assert interval["method"] == method
        assert interval["level"] == 0.9
        assert 0 <= interval["low"] < metrics[name]["value"] < interval["high"] <= 1
    assert metrics["aupr_base"]["interval"] is None
    assert metrics["aupr_base"]["no_interval"]


def test_bootstrap_gives_every_metric_an_interval(examples):
    metrics = json_of("eval", examples / "gmop.npz", "--ci", "bootstrap", "--resamples", 50,
                      "--seed", 3)["metrics"]
    for name in STANDARD:
        interval = metrics[name]["interval"]
        assert interval["low"] <= interval["high"]
        assert interval["method"].startswith("bootstrap")
        assert (interval["resamples"], interval["seed"]) == (50, 3)


@pytest.mark.parametrize("ci", ["delong", "bootstrap", "none"])
def test_undefined_is_null_with_a_reason(folder, ci):
    arrays = {**compact(), "side": np.zeros(40, int)}
    metrics = json_of("eval", write_npz(folder / "p.npz", arrays), "--ci", ci)["metrics"]
    assert metrics["base_acc"]["value"] == arrays["correct"].mean()
    for name in STANDARD - {"base_acc"}:
        assert metrics[name]["value"] is None
        assert metrics[name]["why"]
    assert metrics["auroc"] == {"value": None, "why": "no new samples"}


def test_no_intervals(good):
    for metric in json_of("eval", good, "--ci", "none")["metrics"].values():
        assert "interval" not in metric


def test_several_files(examples):
    files = [examples / f"{name}.npz" for name in ("coop", "gmop", "coop")]
    result = json_of("eval", *files)
    assert result["schema"] == "openworld.result/2"
    assert [r["source"] for r in result["results"]] == [str(file) for file in files]
    for file, each in zip(files, result["results"]):
        alone = json_of("eval", file)
        del alone["cost"]
        assert each == alone


def test_metrics_come_in_the_order_asked_for(good):
    names = ["hm", "auroc", "fpr_at_90tpr", "hit_at_25miss", "base_acc"]
    assert list(json_of("eval", good, "--metrics", ",".join(names))["metrics"]) == names


def test_all_metrics(folder):
    file = write_npz(folder / "p.npz", full())
    names = {row["name"] for row in json_of("ls", "metrics")["metrics"]
             if row["family"] != "detection"}
    assert set(json_of("eval", file, "--metrics", "all")["metrics"]) == names
    assert STANDARD <= names


def test_meta_travels(folder):
    file = write_npz(folder / "p.npz", {**compact(), "meta": '{"model": "ViT-B/16", "seed": 1}'})
    assert json_of("eval", file)["meta"] == {"model": "ViT-B/16", "seed": 1}


def test_diagnosis(examples):
    result = json_of("eval", examples / "gmop.npz", "--diagnose")
    diagnosis, metrics = result["diagnosis"], result["metrics"]
    assert diagnosis["openworld_auc"] == metrics["openworld_auc"]["value"]
    assert diagnosis["factors"]["base_acc"] == metrics["base_acc"]["value"]
    product = math.prod(diagnosis["factors"].values())
    assert math.isclose(product, diagnosis["openworld_auc"], abs_tol=1e-12)


def test_ls_one():
    row = json_of("ls", "metrics", "openworld_auc")
    assert (row["name"], row["ties"], row["interval"]) == ("openworld_auc", "strict", "delong")
    assert json_of("ls", "curves", "roc")["area"] == "auroc"


def test_names_that_are_not_utf8(folder):
    """Become U+FFFD, in valid JSON; the cells of a spreadsheet are often Latin-1."""
    file = folder / "r.csv"
    file.write_bytes(b"method,dataset,value\nna\xefve,x,1\nb,x,2\n")
    assert json_of("rank", file)["methods"][0]["method"] == "na\N{REPLACEMENT CHARACTER}ve"


def test_example_writes_what_it_says(folder):
    files = json_of("example", folder / "e")["files"]
    assert sorted(files) == sorted(str(path) for path in (folder / "e").iterdir())
    assert succeed("example", folder / "e").count("wrote ") == len(files)
