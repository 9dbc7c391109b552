"""Models and jobs on them: the bits of the command, from NumPy, Pillow and torch."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import openworld
import pytest
from models import command, command_json, error_of, needs_models, square, write_squares

pytestmark = needs_models


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write_squares(tmp_path_factory.mktemp("world"), {"train": 4, "test": 5})


@pytest.fixture(scope="module")
def model():
    return openworld.load_model("pocket")


@pytest.fixture(scope="module")
def encoded(world, tmp_path_factory):
    """What the command makes of the test images: features and paths."""
    out = tmp_path_factory.mktemp("encoded") / "x.npz"
    command("encode", "--model", "pocket", "--data", world / "test", "--no-cache", "--out", out)
    with np.load(out) as arrays:
        return arrays["features"], [str(world / "test" / path) for path in arrays["paths"]]


def test_model(model):
    assert (model.path, model.device, model.format) == ("pocket", "cpu", "huggingface")
    description = json.loads(command("inspect", "pocket", "--json").stdout)
    assert model.sha256 == description["sha256"]
    assert model.activation in ("quick_gelu", "gelu")
    assert "pocket" in repr(model)


def test_images_have_the_features_of_the_command(model, encoded):
    from PIL import Image

    features, paths = encoded
    assert features.shape[1] == model.width
    pictures = [Image.open(path) for path in paths]
    arrays = [np.asarray(picture) for picture in pictures]
    for images in (paths, pictures, arrays, np.stack(arrays), [paths[0], *arrays[1:]]):
        found = model.encode_images(images)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, features)
    np.testing.assert_array_equal(model.encode_images(paths[1]), features[1:2])
    np.testing.assert_array_equal(model.encode_images(pictures[1]), features[1:2])
    # Not contiguous, and grey.
    flipped = model.encode_images(arrays[0][:, ::-1])
    np.testing.assert_array_equal(flipped, model.encode_images(arrays[0][:, ::-1].copy()))
    grey = arrays[0][:, :, 0]
    np.testing.assert_array_equal(
        model.encode_images(grey), model.encode_images(Image.fromarray(grey, "L"))
    )


class OnlyDlpack:
    """A tensor of a library that knows no NumPy."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, stream=None):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_tensors_of_other_libraries(model):
    pixels = square("blue", 0)
    expected = model.encode_images(pixels)
    np.testing.assert_array_equal(model.encode_images(OnlyDlpack(pixels)), expected)
    np.testing.assert_array_equal(model.encode_images([OnlyDlpack(pixels)]), expected)
    side, score = np.array([0, 0, 1, 1], np.int8), np.array([0.9, 0.4, 0.5, 0.1])
    value = openworld.metrics.auroc(OnlyDlpack(side), OnlyDlpack(score))
    assert value == openworld.metrics.auroc(side, score)


TORCH = """
{first}
{second}
import numpy as np
pixels = (np.arange(40 * 48 * 3) % 251).astype(np.uint8).reshape(40, 48, 3)
torch.set_num_threads(3)
model = openworld.load_model("pocket", threads=1)
np.testing.assert_array_equal(model.encode_images(torch.from_numpy(pixels)), model.encode_images(pixels))
assert torch.get_num_threads() == 3
weights = torch.nn.Parameter(torch.ones(3))
(weights * torch.arange(3.)).sum().backward()
assert weights.grad.tolist() == [0, 1, 2]
assert openworld.metrics.auroc(torch.tensor([0, 1]), torch.tensor([0.5, 0.1])) == 1
"""


@pytest.mark.parametrize("order", ["torch first", "openworld first"])
def test_in_one_process_with_torch(order):
    pytest.importorskip("torch")
    lines = ["import torch", "import openworld; openworld.load_model('pocket')"]
    first, second = lines if order == "torch first" else lines[::-1]
    subprocess.run([sys.executable, "-c", TORCH.format(first=first, second=second)], check=True)


def test_import_does_not_open_libtorch():
    code = (
        "import openworld, sys\n"
        "openworld.evaluate([0, 1], [0.5, 0.1], [1, 1])\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert 'libtorch' not in maps and 'openworld._models' not in sys.modules\n"
        "openworld.learners()\n"
        "assert 'libtorch' in open('/proc/self/maps').read()\n"
        "import os; assert 'OMP_WAIT_POLICY' not in os.environ\n"
    )
    environment = {"PATH": "/usr/bin", "PYTHONPATH": ":".join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_texts_have_the_features_of_the_command(model, tmp_path):
    texts = ["a drawing of a cat", "", "naïve café", "dog " * 20]
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    out = tmp_path / "x.npz"
    command("encode", "--model", "pocket", "--texts", tmp_path / "texts.txt", "--out", out)
    with np.load(out) as arrays:
        np.testing.assert_array_equal(model.encode_texts(texts), arrays["features"])
        alone = model.encode_texts(texts[0])  # the last bits depend on the texts beside it
        np.testing.assert_allclose(alone, arrays["features"][:1], rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match=r"^\[encode_texts\] text\[1\] .*expected at most"):
        model.encode_texts(["short", "long " * 100])
    with pytest.raises(ValueError, match=r"text\[0\] is 3"):
        model.encode_texts([3])
    with pytest.raises(ValueError, match="no texts"):
        model.encode_texts([])


def test_zeroshot_is_that_of_the_command(world, model, tmp_path):
    flags = ("--data", world, "--split", "test", "--base", "half", "--no-cache")
    (tmp_path / "command").mkdir()
    (tmp_path / "python").mkdir()
    expected = command_json(
        "zeroshot", "--model", "pocket", *flags, "--out", tmp_path / "command" / "x.npz"
    )
    result = openworld.zeroshot(
        model, world, split="test", base="half", no_cache=True, out=tmp_path / "python" / "x.npz"
    )
    files = [(tmp_path / face / "x.npz").read_bytes() for face in ("command", "python")]
    assert files[0] == files[1]
    found = result.to_dict()
    assert found.pop("out") == str(tmp_path / "python" / "x.npz") and expected.pop("out")
    assert found == expected
    assert result.top1 == expected["accuracy"]["top1"]["value"] and result.top5 is None
    assert len(result.predictions()) == result.images == 20
    again = openworld.zeroshot("pocket", world, split="test", base=2, no_cache=True)
    assert again.top1 == result.top1
    with pytest.raises(ValueError, match="expected out="):
        again.predictions()


TUNE = dict(shots=2, epochs=3, lr=0.01, tokens=4, cache="", seed=3)


def tune_flags(world, out):
    flags = ["--data", world, "--shots", 2, "--epochs", 3, "--seed", 3, "--out", out]
    return ["--method", "coop", "--model", "pocket", *flags, "--set", "lr=0.01", "--set", "tokens=4"]


@pytest.fixture(scope="module")
def runs(world, model, tmp_path_factory):
    """The same run by the command and by Python: folders, and what each printed or returned."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "command").mkdir()
    (folder / "python").mkdir()
    printed = json.loads(command("tune", *tune_flags(world, "run"), "--json", cwd=folder / "command").stdout)
    run = openworld.tune("coop", model, world, out=folder / "python" / "run", **TUNE)
    return folder / "command" / "run", run, printed


def test_tune_leaves_what_the_command_leaves(runs):
    by_command, run, printed = runs
    folder = by_command.parents[1] / "python" / "run"
    names = {path.name for path in by_command.iterdir()}
    assert {path.name for path in folder.iterdir()} == names
    for name in ("run.json", "prompts.safetensors", "predictions.npz"):
        assert (folder / name).read_bytes() == (by_command / name).read_bytes(), name
    assert run.path == str(folder) and run.finished
    assert run.spec == json.loads((by_command / "run.json").read_text())
    result = run.result
    assert result.pop("cost")["train_seconds"] > 0 and printed.pop("cost")
    assert {**result, "out": "run"} == printed
    assert run.metrics == {name: fields["value"] for name, fields in printed["metrics"].items()}
    assert "coop" in repr(run) and "base_acc" in repr(run)


def test_predictions_and_evaluation_of_a_run(runs):
    by_command, run, _ = runs
    predictions = run.predictions()
    with zipfile.ZipFile(by_command / "predictions.npz") as file:
        assert "side.npy" in file.namelist()
    np.testing.assert_array_equal(
        predictions.score, openworld.load(by_command / "predictions.npz").score
    )
    expected = command_json("eval", by_command, "--metrics", "auroc,hm")
    found = run.evaluate(metrics="auroc,hm").to_dict()
    assert found["metrics"] == expected["metrics"]


def test_predict_says_what_the_command_says(runs, world, encoded):
    by_command, run, _ = runs
    paths = encoded[1]
    fields = ("path", "side", "class", "r", "base", "new")

    def answers(json_):
        return [tuple(image.get(field) for field in fields) for image in json_["images"]]

    def of_python(found):
        return [
            (a.path, a.side, a.label, a.r, {"class": a.base_class, "probability": a.base_probability},
             {"class": a.new_class, "probability": a.new_probability})
            for a in found
        ]  # fmt: skip

    expected = answers(command_json("predict", "--run", by_command, world / "test"))
    found = run.predict(world / "test")
    assert of_python(found) == expected and found.skipped == 0 and len(found) == 20
    assert run.predict(paths)[0] == found[0]
    pixels = run.predict([square("blue", 100)])[0]
    assert (pixels.path, pixels.r) == ("image[0]", found[0].r)
    # Both sides get the same threshold, and both apply it.
    assert run.threshold is None
    chosen = run.set_threshold(0.9)
    command("threshold", "--run", "run", "--max-miss", 0.9, cwd=by_command.parent)
    texts = [json.loads((folder / "threshold.json").read_text())
             for folder in (by_command, by_command.parents[1] / "python" / "run")]  # fmt: skip
    assert [text.pop("source") for text in texts][0] == "run" and texts[0] == texts[1]
    assert run.threshold.value == chosen.threshold == texts[0]["threshold"]
    after = run.predict(world / "test")
    assert of_python(after) == answers(command_json("predict", "--run", by_command, world / "test"))
    assert all((a.side == "base") == (a.r > chosen.threshold) for a in after)


def test_three_answers(runs, world, tmp_path):
    """Base, new or unknown: the thresholds of the command, and what it writes of the answers."""
    by_command, run, _ = runs
    noise = [np.random.default_rng(i).integers(0, 256, (40, 48, 3), np.uint8) for i in range(3)]
    chosen = run.set_threshold(0.9, max_unknown=0.5, next=40, unknown=noise)
    assert run.threshold.unknown.value == chosen.unknown.threshold
    assert chosen.unknown.kept_out.total == chosen.reject.total == 3
    assert chosen.next.samples == chosen.unknown.next.samples == 40
    command("threshold", "--run", by_command, "--max-miss", 0.9, "--max-unknown", 0.5)
    answers = run.predict(world / "test")
    for a in answers:
        side = "base" if a.r > chosen.threshold else "unknown" if a.fit <= chosen.unknown.threshold else "new"
        assert (a.side, a.label) == (side, {"base": a.base_class, "new": a.new_class}.get(side))
    words = ("predict", "--run", by_command, world / "test")
    printed = command(*words, "--jsonl", "--csv", tmp_path / "a.csv", "--sort-into", tmp_path / "a").stdout
    answers.to_csv(tmp_path / "b.csv")
    answers.to_jsonl(tmp_path / "b.jsonl")
    answers.sort_into(tmp_path / "b", copy=True)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "b.jsonl").read_text() == printed
    a, b = ({path.relative_to(tmp_path / name) for path in (tmp_path / name).glob("**/*.png")} for name in "ab")
    assert a == b and len(a) == len(answers)
    with pytest.raises(ValueError, match=r"^\[sort_into\] .*is there already"):
        answers.sort_into(tmp_path / "b")


def test_what_is_assumed_is_a_warning(tmp_path, monkeypatch):
    """Once, by whoever loads the weights."""
    from openworld._progress import Reporter

    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "tests" / "checkpoints"))
    import make_clip

    path = tmp_path / "weights.safetensors"
    make_clip.write_safetensors(path, make_clip.SMALL.tensors)
    with pytest.warns(RuntimeWarning) as caught:
        model = openworld.load_model(path)
    said = [str(warning.message) for warning in caught]
    assert said == [f"{path}: {assumption}" for assumption in model.assumptions]
    assert "gelu is assumed" in said[0] and len(said) == 2
    assert caught[0].filename == __file__
    # Jobs that get the model say it no more, and nothing twice.
    with warnings.catch_warnings(record=True) as again:
        warnings.simplefilter("always")
        reporter = Reporter(False, said)
        for line in (*said, "skipped: a", "skipped: a", "skipped: b"):
            reporter.warn(line)
    assert [str(warning.message) for warning in again] == ["skipped: a", "skipped: b"]
    assert openworld.load_model("pocket").assumptions == []



def test_comparison_and_report_are_those_of_the_command(runs, world, model, tmp_path):
    run = runs[1]
    zero = openworld.tune("zeroshot", model, world, out=tmp_path / "zero", shots=2, seed=3)
    flags = ("--resamples", 50, "--ci", "bootstrap")
    expected = command_json("eval", run.path, zero.path, *flags)
    found = openworld.compare_runs([run, zero], resamples=50, ci="bootstrap")
    assert found.to_dict() == expected and found.reference == "zero-shot"
    assert repr(found) == command("eval", run.path, zero.path, *flags).stdout.rstrip("\n")
    rows = found.rows()
    assert [row["label"] for row in rows[:5]] == ["zero-shot"] * 5 and len(rows) == 10
    assert rows[5]["difference"] == expected["differences"][0]["metrics"][rows[5]["metric"]]["difference"]

    page = tmp_path / "page.html"
    expected = command_json("report", run.path, zero.path, "--out", page, *flags)
    html = page.read_bytes()
    page.unlink()
    assert openworld.report([run, zero], out=page, resamples=50, ci="bootstrap") == expected
    assert page.read_bytes() == html


def test_several_seeds(world, tmp_path):
    options = dict(shots=1, epochs=1, tokens=2, progress=False)
    runs = openworld.tune("coop", "pocket", world, out=tmp_path / "x", seeds="1-2", **options)
    assert [run.path for run in runs] == [str(tmp_path / "x" / f"seed-{i}") for i in (1, 2)]
    assert [run.spec["seed"] for run in runs] == [1, 2]
    again = openworld.tune("coop", "pocket", world, out=tmp_path / "x", seeds=[1, 2], **options)
    assert [run.result for run in again] == [run.result for run in runs]


def test_interrupt_stops_after_a_step_and_the_run_is_resumed(runs, world, tmp_path):
    folder = tmp_path / "run"
    script = (
        "import openworld, os, signal, sys\n"
        "def report(what, done, total, note):\n"
        "    if what.startswith('tuning') and done < total: os.kill(os.getpid(), signal.SIGINT)\n"
        "try:\n"
        f"    openworld.tune('coop', 'pocket', {str(world)!r}, out={str(folder)!r},\n"
        f"        progress=report, **{TUNE!r})\n"
        "except KeyboardInterrupt:\n"
        f"    assert os.path.exists({str(folder / 'state.safetensors')!r})\n"
        f"    assert not openworld.open_run({str(folder)!r}).finished\n"
        "    sys.exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 7
    run = openworld.open_run(folder)
    with pytest.raises(ValueError, match=r"^\[open_run\] .*not finished"):
        run.result
    openworld.tune("coop", "pocket", world, out=folder, **TUNE)
    for name in ("run.json", "prompts.safetensors", "predictions.npz"):
        assert (folder / name).read_bytes() == (runs[0] / name).read_bytes(), name


def test_interrupt_from_outside(world, tmp_path):
    folder = tmp_path / "run"
    script = (
        "import openworld, os, signal, sys, threading\n"
        "kill = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "def report(what, done, total, note):\n"
        "    if what.startswith('tuning') and done == 1: kill.start()\n"
        "try:\n"
        f"    openworld.tune('coop', 'pocket', {str(world)!r}, out={str(folder)!r},\n"
        f"        progress=report, **{dict(TUNE, epochs=1000)!r})\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 7
    assert (folder / "state.safetensors").exists() and not openworld.open_run(folder).finished


def test_what_a_progress_function_raises_stops_the_run(runs, world, tmp_path):
    folder = tmp_path / "run"

    def fail(what, done, total, note):
        if what.startswith("tuning"):
            assert note.startswith("epoch 1/3")
            raise RuntimeError(f"after {done} of {total}")

    with pytest.raises(RuntimeError, match="after 1 of"):
        openworld.tune("coop", "pocket", world, out=folder, progress=fail, **TUNE)
    assert (folder / "state.safetensors").exists()
    openworld.tune("coop", "pocket", world, out=folder, **TUNE)
    assert (folder / "prompts.safetensors").read_bytes() == (runs[0] / "prompts.safetensors").read_bytes()


def test_other_threads_run_meanwhile(model, world, tmp_path):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    openworld.tune("coop", model, world, out=tmp_path / "run", shots=4, epochs=20)
    end = time.monotonic()
    done.set()
    thread.join()
    # With the GIL held there would be none between the calls of progress.
    assert sum(start < t < end for t in ticks) > 50 * (end - start)


def test_skipped_images_are_warnings(runs, world, tmp_path):
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    good = world / "test" / "blue" / "0.png"
    with pytest.warns(RuntimeWarning, match="skipped: .*bad.png"):
        found = runs[1].predict([tmp_path / "bad.png", good])
    assert found.skipped == 1 and [a.path for a in found] == [str(good)]


def test_names_of_files_that_are_not_utf8(runs, world, tmp_path):
    """As os.listdir() has them; other files of the folder are told."""
    folder = os.fsencode(tmp_path / "photos")
    os.mkdir(folder)
    for name in (b"caf\xe9.png", b"plain.png"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write((world / "test" / "blue" / "0.png").read_bytes())
    for name in (b"\xff.png", b"scan.tiff"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"no image")
    with pytest.warns(RuntimeWarning, match="skipped: ") as said:
        found = runs[1].predict(os.fsdecode(folder))
    assert any("1 file is not named like an image" in str(warning.message) for warning in said)
    assert [os.path.basename(os.fsencode(a.path)) for a in found] == [b"caf\xe9.png", b"plain.png"]
    assert [a.path for a in runs[1].predict([a.path for a in found])] == [a.path for a in found]
    found.sort_into(tmp_path / "sorted", copy=True)
    copies = [name for _, _, names in os.walk(os.fsencode(tmp_path / "sorted")) for name in names]
    assert sorted(copies) == [b"caf\xe9.png", b"plain.png"]


def test_errors_are_those_of_the_command(world, model, tmp_path):
    out = tmp_path / "x"

    def python_says(method="coop", data=world, **options):
        with pytest.raises(ValueError) as raised:
            openworld.tune(method, "pocket", data, out=out, **options)
        return str(raised.value)

    def command_says(*flags, method="coop", data=world):
        return error_of("tune", "--method", method, "--model", "pocket", "--data", data, "--out", out, *flags)

    assert python_says("gmopp") == command_says(method="gmopp")
    assert python_says(data=tmp_path / "no") == command_says(data=tmp_path / "no")
    assert python_says(shots=99) == command_says("--shots", 99)
    assert python_says(base=9) == command_says("--base", 9)
    assert python_says(method="zeroshot", epochs=3) == command_says("--epochs", 3, method="zeroshot")
    assert python_says(seeds="3-1") == command_says("--seeds", "3-1")
    assert "\n" not in python_says(lr=-1.0) and "option lr is -1" in python_says(lr=-1.0)
    with pytest.raises(ValueError) as raised:
        openworld.load_model(tmp_path / "no")
    expected = error_of("encode", "--model", tmp_path / "no", "--data", world, "--out", tmp_path / "x.npz")
    assert str(raised.value) == expected.replace("[encode]", "[load_model]")
    assert not out.exists()


WRONG = {
    "tune shots": (lambda w: openworld.tune("coop", "pocket", w, out="x", shot=2), "shots"),
    "tune lr": (lambda w: openworld.tune("coop", "pocket", w, out="x", lrr=2), "lr"),
    "tune progress": (lambda w: openworld.tune("coop", "pocket", w, out="x", progres=True), "progress"),
    "zeroshot": (lambda w: openworld.zeroshot("pocket", w, template="{}"), "templates"),
    "load_model": (lambda w: openworld.load_model("pocket", thread=1), "threads"),
    "encode_images": (lambda w: openworld.load_model("pocket").encode_images([], cash=1), "cache"),
    "compare_runs": (lambda w: openworld.compare_runs([], resample=3), "resamples"),
    "report": (lambda w: openworld.report([], out="x", resample=3), "resamples"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_keywords_get_the_nearest_name(name, world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, nearest = WRONG[name]
    with pytest.raises(ValueError) as raised:
        call(world)
    line = str(raised.value)
    assert line.startswith(f"[{name.split()[0]}] no option ") and "\n" not in line
    assert f"did you mean {nearest}?" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "images, says",
    [
        (np.zeros((4, 4, 3)), r"image\[0\] has dtype float64; expected uint8"),
        (np.zeros((3, 8, 9), np.uint8), r"image\[0\] has shape \(3, 8, 9\); .*channels come first"),
        ([np.zeros((4, 0, 3), np.uint8)], r"image\[0\] has shape \(4, 0, 3\)"),
        ([], "expected one or more paths"),
        (7, "images is 7; expected one or more paths"),
        ([3], r"image\[0\] is a int; expected a path"),
        ("no such file.png", "no such file.png"),
    ],
)
def test_wrong_images(model, images, says):
    with pytest.raises(ValueError, match=says):
        model.encode_images(images)


def test_options_are_the_flags_of_the_command():
    from openworld._keywords import REQUEST_OPTIONS

    # Of the terminal alone; --format is that of tables there, and that of the dataset is --data-format.
    terminal = {"help", "json", "format", "quiet", "max_memory", "config_file", "no_config"}
    own = {"tune": {"out", "method", "model", "data", "seed", "seeds", "set"},
           "zeroshot": {"model", "data"}}  # fmt: skip
    of_model = set(REQUEST_OPTIONS["load_model"])
    for job, others in own.items():
        text = command(job, "--help").stdout
        flags = {flag.replace("-", "_") for flag in re.findall(r"^ +(?:-.,)?--([a-z-]+)", text, re.M)}
        known = {flag.replace("data_format", "format") for flag in flags - others - of_model - terminal}
        assert set(REQUEST_OPTIONS[job]) - others == known
    methods = openworld.learners()
    assert {name for row in methods.values() for name in row.options} & set(REQUEST_OPTIONS["tune"]) == {"epochs"}
    assert "lr: " in str(methods["coop"]) and "Zhou" in str(methods["coop"])
    for function in (openworld.tune, openworld.zeroshot, openworld.load_model):
        assert "{options}" not in function.__doc__
        for option in REQUEST_OPTIONS[function.__name__].values():
            assert option.name + ": " in function.__doc__
