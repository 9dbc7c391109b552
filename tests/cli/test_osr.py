"""openworld osr: training on features and on images in arrays, resuming, measures, refusals."""

import json
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

from command import BIN, json_of, needs_models, run, succeed

pytestmark = needs_models
METHODS = ("softmax", "gcpl", "rpl", "arpl", "ce-plus", "arpl-plus", "openauc")
NAMES = ["ant", "bee", "cat", "dog", "elk", "fox"]


def write_features(path, count, seed):
    """Six classes around points of their own."""
    random = np.random.default_rng(seed)
    points = np.random.default_rng(5).normal(0, 1, (6, 12))
    labels = np.arange(count) % 6
    features = (points[labels] + random.normal(0, 0.35, (count, 12))).astype("f4")
    np.savez(path, features=features, label=labels.astype("i4"), names=np.array(NAMES))


def write_images(path, count, seed):
    """Four classes by the colour of a bright square."""
    random = np.random.default_rng(seed)
    labels = np.arange(count) % 4
    images = random.normal(0, 0.2, (count, 3, 32, 32)).astype("f4")
    for image, label in zip(images, labels):
        for channel in range(3):
            image[channel, 8:24, 8:24] += (label + 1) >> channel & 1
    np.savez(path, images=images, labels=labels.astype("i4"), names=np.array(NAMES[:4]))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("osr")
    write_features(folder / "train.npz", 360, 1)
    write_features(folder / "test.npz", 240, 2)
    write_images(folder / "pictures.npz", 48, 3)
    write_images(folder / "test_pictures.npz", 32, 4)
    return folder


def train_flags(method="softmax", out="run", epochs=10, known="0,3,4,1"):
    return ("osr", "train", "--method", method, "--net", "mlp", "--data", "train.npz", "--test-data", "test.npz",
            "--known", known, "--epochs", epochs, "--set", "lr=0.02", "--set", "batch=16", "--out", out)


@pytest.fixture(scope="module")
def trained(place):
    return json_of(*train_flags("softmax", "softmax"), cwd=place)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_features(place, trained, method):
    out = f"learned-{method}"
    result = json_of(*train_flags(method, out), cwd=place)
    metrics = {name: value["value"] for name, value in result["metrics"].items()}
    assert set(metrics) == {"base_acc", "auroc", "open_auc", "oscr"}
    assert metrics["base_acc"] > 0.95
    assert metrics["auroc"] > 0.7
    assert (result["train_images"], result["test_images"]) == (240, 240)
    spec = json.loads((place / out / "run.json").read_text())
    assert spec["network"]["known"] == [0, 3, 4, 1]
    assert spec["classes"] == ["ant", "dog", "elk", "bee"]
    lines = [json.loads(line) for line in (place / out / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == list(range(1, 11))
    assert all(line["images_per_second"] > 0 for line in lines)
    assert not (place / out / "state.safetensors").exists()


def test_predictions_have_known_classes_as_base(place, trained):
    with np.load(place / "softmax" / "predictions.npz") as file:
        assert sorted(set(file["side"])) == [-1, 0]
        assert (file["side"] == 0).sum() == 160
        known = file["side"] == 0
        answers = file["base_logits"].argmax(1)
        accuracy = (answers == file["label"])[known].mean()
        probability = np.exp(file["base_logits"].astype("f8"))
        probability /= probability.sum(1, keepdims=True)
        np.testing.assert_allclose(file["score"], probability.max(1), rtol=1e-5)
    assert trained["metrics"]["base_acc"]["value"] == pytest.approx(accuracy)


def test_eval_compare_threshold_and_report_read_runs(place, trained):
    succeed(*train_flags("arpl", "arpl"), "--quiet", cwd=place)
    table = succeed("eval", "softmax", "arpl", cwd=place)
    assert "OpenAUC" in table and "NewAcc" not in table
    assert json_of("eval", "softmax", cwd=place)["metrics"]["open_auc"]["value"] == pytest.approx(
        trained["metrics"]["open_auc"]["value"])
    succeed("compare", "softmax", "arpl", "--metrics", "open_auc", cwd=place)
    succeed("threshold", "softmax/predictions.npz", "--max-miss", "0.2", cwd=place)
    succeed("report", "softmax", "arpl", "--out", "page.html", cwd=place)
    assert "ARPL" in (place / "page.html").read_text() or "arpl" in (place / "page.html").read_text()


def test_osr_eval_prints_the_seven_numbers_and_openauc(place, trained):
    text = succeed("osr", "eval", "softmax", cwd=place)
    for name in ("TNR", "AUROC", "DTACC", "AUIN", "AUOUT", "ACC", "OSCR", "OpenAUC"):
        assert name in text
    metrics = json_of("osr", "eval", "softmax", cwd=place)["metrics"]
    for value in metrics.values():
        if value["interval"] is not None:  # none where every resample gives the same, as an accuracy of 1
            assert value["interval"]["low"] <= value["value"] <= value["interval"]["high"]
    assert metrics["AUROC"]["interval"] and metrics["OpenAUC"]["interval"]
    with np.load(place / "softmax" / "predictions.npz") as file:
        known, unknown = file["score"][file["side"] == 0], file["score"][file["side"] == -1]
    pairs = (known[:, None] > unknown).mean() + (known[:, None] == unknown).mean() / 2
    assert metrics["AUROC"]["value"] == pytest.approx(pairs)
    thresholds = np.unique(np.concatenate([known, unknown]))
    best = max(((known > t).mean() + (unknown <= t).mean()) / 2 for t in thresholds)
    assert metrics["DTACC"]["value"] == pytest.approx(max(best, 0.5))
    # The strictest threshold that keeps 95 % of the known samples: those above it are accepted.
    kept = [t for t in [-np.inf, *thresholds] if (known > t).mean() >= 0.95]
    assert metrics["TNR"]["value"] == pytest.approx((unknown <= max(kept)).mean())


def test_unknown_samples_of_another_dataset(place, trained):
    random = np.random.default_rng(9)
    np.savez(place / "far.npz", features=random.normal(0, 4, (50, 12)).astype("f4"),
             label=np.zeros(50, "i4"), names=np.array(["noise", "more"]))
    far = json_of("osr", "eval", "softmax", "--unknown", "far.npz", "--out", "far-predictions.npz", cwd=place)
    assert (far["known_samples"], far["unknown_samples"]) == (160, 50)
    again = json_of("eval", "far-predictions.npz", "--metrics", "open_auc,base_acc", cwd=place)
    assert again["metrics"]["open_auc"]["value"] == pytest.approx(far["metrics"]["OpenAUC"]["value"])
    assert far["metrics"]["ACC"]["value"] == pytest.approx(trained["metrics"]["base_acc"]["value"])


def test_the_same_command_twice_gives_the_same_bits_for_any_threads(place, trained):
    first = (place / "softmax" / "predictions.npz").read_bytes()
    json_of(*train_flags("softmax", "again"), "--threads", 1, cwd=place)
    assert (place / "again" / "predictions.npz").read_bytes() == first
    before = (place / "again" / "result.json").read_bytes()
    assert "is finished" in run(*train_flags("softmax", "again"), cwd=place).err
    absolute = [place / word if str(word).endswith(".npz") or word == "again" else word
                for word in train_flags("softmax", "again")]
    assert "is finished" in run(*absolute, cwd=place.parent).err
    assert (place / "again" / "result.json").read_bytes() == before


def test_a_stopped_run_resumes_to_the_same_bits(place):
    flags = train_flags("openauc", "whole", epochs=60)
    json_of(*flags, cwd=place)
    flags = (*flags[:-1], "stopped")
    process = subprocess.Popen([BIN, *map(str, flags)], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    log = place / "stopped" / "log.jsonl"
    while not (log.exists() and log.read_text().count("\n") >= 2) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    errors = process.communicate()[1]
    if process.returncode == 2:  # not finished before the signal came
        assert "stopped; run the same command again to resume" in errors
        assert (place / "stopped" / "state.safetensors").exists()
    json_of(*flags, cwd=place)
    for name in ("predictions.npz", "model.safetensors"):
        assert (place / "stopped" / name).read_bytes() == (place / "whole" / name).read_bytes()


def test_tests_between_epochs_go_to_the_log(place, trained):
    result = json_of(*train_flags("softmax", "watched"), "--test-every", 5, cwd=place)
    lines = [json.loads(line) for line in (place / "watched" / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines if "auroc" in line] == [5, 10]
    for name in ("base_acc", "auroc", "open_auc"):
        assert lines[-1][name] == pytest.approx(result["metrics"][name]["value"])
    assert (place / "watched" / "predictions.npz").read_bytes() == (place / "softmax" / "predictions.npz").read_bytes()


def test_a_loss_that_is_not_finite_says_where_and_what_helps(place):
    ran = run(*train_flags("openauc", "diverges"), "--set", "lr=100", cwd=place)
    assert ran.code == 2 and ran.err.count("[osr]") == 1
    assert "in step " in ran.err and "lr=10, or larger batches, or open_weight=0.05" in ran.err


def test_images_train_and_score(place):
    flags = ("osr", "train", "--method", "arpl", "--net", "small", "--data", "pictures.npz", "--test-data",
             "test_pictures.npz", "--known", "cat,ant,bee", "--epochs", 12, "--set", "batch=12", "--set", "lr=0.05")
    result = json_of(*flags, "--out", "images", cwd=place)
    assert result["metrics"]["base_acc"]["value"] > 0.8
    scored = json_of("osr", "score", "images", "--data", "test_pictures.npz", "--known", "2,0,1", "--out", "scored.npz",
                     cwd=place)
    assert scored["samples"] == 32 and scored["known_samples"] == 24
    with np.load(place / "scored.npz") as ours, np.load(place / "images" / "predictions.npz") as run_has:
        for name in ("side", "base_logits", "score"):
            np.testing.assert_array_equal(ours[name], run_has[name])


def test_confusing_samples_train(place):
    result = json_of("osr", "train", "--method", "arpl-cs", "--net", "small", "--data", "pictures.npz", "--test-data",
                     "test_pictures.npz", "--known", "0,1", "--epochs", 1, "--set", "batch=8", "--out", "cs", cwd=place)
    assert result["steps"] == 6


def test_weights_of_pytorch_score(place):
    torch = pytest.importorskip("torch")
    from torch import nn

    torch.manual_seed(3)
    shapes = [(3, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 128, 1), (128, 128, 2), (128, 128, 1),
              (128, 128, 1), (128, 128, 2)]
    blocks, state = [], {}
    for i, (inputs, outputs, stride) in enumerate(shapes, 1):
        conv, norm = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        nn.init.uniform_(norm.running_var, 0.5, 2)
        nn.init.normal_(norm.running_mean)
        state.update({f"module.conv{i}.weight": conv.weight,
                      **{f"module.bn{i}.{key}": value for key, value in norm.state_dict().items()}})
        blocks += [conv, norm, nn.LeakyReLU(0.2)]
    fc = nn.Linear(128, 4, bias=False)
    state.update({f"module.bn10.{key}": value for key, value in nn.BatchNorm2d(128).state_dict().items()})
    torch.save({**state, "module.fc.weight": fc.weight}, place / "W.pth")
    json_of("osr", "score", "--net", "vgg32", "--weights", "W.pth", "--data", "test_pictures.npz", "--out", "W.npz",
            cwd=place)
    net = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), fc).eval()
    with torch.no_grad(), np.load(place / "test_pictures.npz") as file, np.load(place / "W.npz") as ours:
        expected = net(torch.from_numpy(file["images"])).numpy()
        np.testing.assert_allclose(ours["base_logits"], expected, atol=1e-4 * np.abs(expected).max())
        assert (ours["side"] == 0).all() and (ours["label"] == file["labels"]).all()


def test_lists(place):
    text = succeed("osr", "ls")
    for name in (*METHODS, "arpl-cs", "vgg32", "small", "linear", "mlp"):
        assert name in text
    assert "open_weight" in succeed("osr", "ls", "openauc")
    assert [row["name"] for row in json_of("osr", "ls")["methods"]] == [
        "softmax", "gcpl", "rpl", "arpl", "arpl-cs", "ce-plus", "arpl-plus", "openauc"]


REFUSED = {
    "one class": ("--known", "2"),
    "every class": ("--known", "0,1,2,3,4,5"),
    "a class that is not there": ("--known", "0,9"),
    "a class twice": ("--known", "1,1"),
    "known and split": ("--known", "0,1", "--split", "cifar10:0"),
    "neither": (),
    "unknown equal to known": ("--known", "0,1", "--unknown", "test.npz"),
    "a split of a larger dataset": ("--split", "cifar10:0"),
    "no such split": ("--split", "cifar10:7"),
    "no such option": ("--known", "0,1", "--set", "lambda=3"),
    "an option out of range": ("--known", "0,1", "--set", "batch=1"),
    "an image method on features": ("--known", "0,1", "--method", "arpl-cs"),
    "images for features": ("--known", "0,1", "--data", "pictures.npz", "--test-data", "test_pictures.npz"),
    "features for images": ("--known", "0,1", "--net", "small"),
    "no such net": ("--known", "0,1", "--net", "vgg33"),
    "no such method": ("--known", "0,1", "--method", "softmux"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_trained_is_refused_in_one_line(place, name):
    flags = {"--method": "softmax", "--net": "mlp", "--data": "train.npz", "--test-data": "test.npz", "--out": "refused"}
    extra = REFUSED[name]
    flags.update(dict(zip(extra[::2], extra[1::2])))
    ran = run("osr", "train", *(word for pair in flags.items() for word in pair), cwd=place)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert not (place / "refused").exists()


def test_wrong_sizes_and_other_folders_are_refused(place, trained):
    small = np.zeros((4, 3, 28, 28), "f4")
    np.savez(place / "small.npz", images=small, labels=np.arange(4, dtype="i4"), names=np.array(NAMES[:4]))
    ran = run("osr", "score", "--weights", "nothing.pth", "--data", "small.npz", "--out", "x.npz", cwd=place)
    assert ran.code == 2 and "nothing.pth" in ran.err and ran.err.count("\n") == 1
    ran = run("osr", "train", "--method", "softmax", "--net", "small", "--data", "small.npz", "--test-data", "small.npz",
              "--known", "0,1", "--out", "refused", cwd=place)
    assert ran.code == 2 and ran.err.count("\n") == 1
    assert "images are 28 x 28; expected 32 x 32" in ran.err or "apart from those to train on" in ran.err
    ran = run(*train_flags("softmax", "softmax", epochs=7), cwd=place)
    assert ran.code == 2 and "holds a run with epochs 10, not 7" in ran.err
    ran = run("osr", "eval", "softmax", "--unknown", "test.npz", cwd=place)
    assert ran.code == 2 and "samples of no known class" in ran.err
    ran = run("predict", "--run", "softmax", "picture.png", cwd=place)
    assert ran.code == 2 and "openworld osr" in ran.err
    shutil.copytree(place / "softmax", place / "damaged")
    with open(place / "damaged" / "model.safetensors", "r+b") as file:
        file.seek(4000)
        file.write(b"x")
    ran = run("osr", "eval", "damaged", cwd=place)
    assert ran.code == 2 and "model.safetensors" in ran.err


def test_data_that_is_not_installed_names_the_command(place, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENWORLD_DATASETS", str(tmp_path))
    ran = run("osr", "train", "--method", "softmax", "--split", "cifar10:0", "--out", "refused", cwd=place)
    assert ran.code == 2 and "openworld data get cifar10" in ran.err and ran.err.count("\n") == 1
