"""`tune` on a folder that has something in it: stopped, finished, of another run, damaged, or on a
full disk."""

import resource
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from command import BIN, json_of, needs_models, refused, run
from tuning import call, files_of, learned, read_json, read_log, read_predictions

pytestmark = needs_models

# Long enough to be stopped in: a second or two.
LONG = {"coop": {"epochs": 1000}, "decoop": {"epochs": 120, "options": {"batch": 2}}}


def long_call(method, out, **values):
    return call(method, out, **{**LONG[method], **values})


@pytest.fixture(scope="module")
def unbroken(place, tmp_path_factory):
    """Long runs that were left alone."""
    folder = tmp_path_factory.mktemp("unbroken")
    for method in LONG:
        json_of(*long_call(method, folder / method), cwd=place)
    return folder


def stop(words, place, name, until):
    """Sends a signal once `until` says so; the process's end, which may have come before."""
    process = subprocess.Popen([BIN, *map(str, words)], cwd=place, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    while process.poll() is None and not until():
        time.sleep(0.005)
    process.send_signal(name)
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def begun(run):
    log = run / "log.jsonl"
    return lambda: log.exists() and log.read_text().count("\n") > 1


def same_log(one, other):
    return [{**line, "seconds": 0} for line in read_log(one)] == [
        {**line, "seconds": 0} for line in read_log(other)]


@pytest.mark.parametrize("method, name", [("coop", signal.SIGINT), ("decoop", signal.SIGTERM)])
def test_goes_on_where_it_was_stopped(place, unbroken, folder, method, name):
    words = long_call(method, folder / "run")
    code, out, err = stop(words, place, name, begun(folder / "run"))
    if code != 0:  # it may have been quicker
        assert (code, out) == (2, "")
        assert err == (f"openworld tune: [tune] {folder}/run: stopped; run the same command again "
                       "to resume\n")
        assert files_of(folder / "run") == ["log.jsonl", "paths.json", "run.json", "state.safetensors"]
        refused("eval", folder / "run", says=[str(folder / "run"), "not finished"])
        again = run(*words, cwd=place)
        assert again.code == 0
        assert again.err.startswith(f"{folder}/run: resuming from step ")
        assert again.err.count("\n") == 1
    assert "state.safetensors" not in files_of(folder / "run")
    assert learned(folder / "run") == learned(unbroken / method)
    assert same_log(folder / "run", unbroken / method)


def test_goes_on_where_it_was_killed(place, unbroken, folder):
    words = long_call("decoop", folder / "run")
    stop(words, place, signal.SIGKILL, (folder / "run" / "state.safetensors").exists)
    json_of(*words, cwd=place)
    assert files_of(folder / "run") == files_of(unbroken / "decoop")  # no temporary file is left
    assert learned(folder / "run") == learned(unbroken / "decoop")
    assert same_log(folder / "run", unbroken / "decoop")


def test_begins_again_where_nothing_was_saved(place, unbroken, folder):
    """Killed at once: run.json is there, perhaps a log, but no state."""
    words = long_call("coop", folder / "run")
    stop(words, place, signal.SIGKILL, (folder / "run" / "run.json").exists)
    (folder / "run" / "state.safetensors").unlink(missing_ok=True)
    (folder / "run" / "result.json").unlink(missing_ok=True)
    json_of(*words, cwd=place)
    assert learned(folder / "run") == learned(unbroken / "coop")
    assert same_log(folder / "run", unbroken / "coop")


def test_goes_on_with_the_seed_it_was_stopped_in(place, unbroken, folder):
    words = long_call("coop", folder / "runs", seeds="1,5")
    stop(words, place, signal.SIGINT, begun(folder / "runs" / "seed-5"))
    first = folder / "runs" / "seed-1" / "result.json"
    before = first.stat().st_mtime_ns
    runs = json_of(*words, cwd=place)["runs"]
    assert [each["seed"] for each in runs] == [1, 5]
    assert first.stat().st_mtime_ns == before
    assert learned(folder / "runs" / "seed-1") == learned(unbroken / "coop")
    assert files_of(folder / "runs" / "seed-5") == files_of(unbroken / "coop")


@pytest.fixture
def finished(tuned, folder):
    """A finished run of coop, to spoil."""
    return shutil.copytree(tuned("coop"), folder / "run")


def test_a_finished_run_is_not_done_again(place, finished):
    before = {path.name: path.stat().st_mtime_ns for path in finished.iterdir()}
    ran = run(*call("coop", finished), cwd=place)
    assert ran.code == 0
    assert ran.err == f"{finished} is finished\n"
    assert "CoOp on world, seed 1; 64 parameters, 3 steps, " in ran.out
    assert json_of(*call("coop", finished), cwd=place) == read_json(finished / "result.json")
    assert {path.name: path.stat().st_mtime_ns for path in finished.iterdir()} == before


def expect_same_but_paths(one, other):
    """The meta of predictions says where the images were read."""
    assert learned(one)[0] == learned(other)[0]
    ours, theirs = read_predictions(one), read_predictions(other)
    assert ours.keys() == theirs.keys()
    for name in ours.keys() - {"meta"}:
        np.testing.assert_array_equal(ours[name], theirs[name])


@pytest.mark.parametrize("model, data", [
    ("./model", "world/"), ("model/", "./world"), ("{place}/model", "{place}/world"), ("{link}/model", "{link}/world"),
], ids=["dot", "slash", "absolute", "symlink"])
def test_the_same_paths_may_be_spelled_otherwise(place, tuned, unfinished, folder, model, data):
    (folder / "link").symlink_to(place)
    values = {key: text.format(place=place, link=folder / "link") for key, text in
              {"model": model, "data": data}.items()}
    json_of(*call("coop", unfinished, **values), cwd=place)
    expect_same_but_paths(unfinished, tuned("coop"))
    assert read_json(unfinished / "result.json")["data"] == "world"
    assert read_json(unfinished / "run.json") == read_json(tuned("coop") / "run.json")
    assert run(*call("coop", unfinished, **values), cwd=place).err == f"{unfinished} is finished\n"


def test_a_run_is_resumed_from_another_working_folder(place, tuned, unfinished, folder):
    json_of(*call("coop", unfinished, model=place / "model", data=place / "world"), cwd=folder)
    expect_same_but_paths(unfinished, tuned("coop"))


def test_restart_does_it_again(place, tuned, finished):
    (finished / "threshold.json").write_text("{}")
    before = (finished / "prompts.safetensors").stat().st_mtime_ns
    result = json_of(*call("coop", finished, "--restart"), cwd=place)
    assert result["out"] == str(finished)
    assert (finished / "prompts.safetensors").stat().st_mtime_ns != before
    assert learned(finished) == learned(tuned("coop"))
    # A threshold was of the predictions before.
    assert "threshold.json" not in files_of(finished)


def test_restart_may_be_another_run(place, finished):
    result = json_of(*call("kgcoop", finished, "--restart", seed=3), cwd=place)
    assert (result["method"], result["seed"]) == ("kgcoop", 3)
    assert read_json(finished / "run.json")["method"] == "kgcoop"


@pytest.mark.parametrize("method, values, says", [
    ("coop", {"seed": 2}, "seed 1, not 2"),
    ("coop", {"shots": 3}, "shots 2, not 3"),
    ("coop", {"views": 1}, "views 0, not 1"),
    ("coop", {"base": 4}, "base_classes 3, not 4"),
    ("coop", {"templates": "a {}."}, 'templates ["a photo of a {}."], not ["a {}."]'),
    ("coop", {"epochs": 4}, "epochs"),
    ("kgcoop", {}, 'method "coop", not "kgcoop"'),
], ids=lambda value: value if isinstance(value, str) else None)
def test_another_run_is_refused(place, finished, method, values, says):
    before = {path.name: path.read_bytes() for path in finished.iterdir()}
    refused(*call(method, finished, **values), cwd=place,
            says=[f"[tune] {finished}/run.json: holds a run with ", says, "another folder", "restart"])
    assert {path.name: path.read_bytes() for path in finished.iterdir()} == before


def test_a_copy_of_the_world_is_another(place, finished, folder):
    """Its list of images is the same; whether they are cannot be seen from that."""
    shutil.copytree(place / "world", folder / "copy")
    refused(*call("coop", finished, data=folder / "copy"), cwd=place,
            says=['holds a run with path "world", not "', "another folder, or restart"])


def test_another_world_is_refused(place, finished, folder):
    shutil.copytree(place / "world", folder / "world")
    shutil.copytree(place / "model", folder / "model")
    (folder / "world" / "train" / "blue" / "9.png").write_bytes(
        (folder / "world" / "train" / "blue" / "0.png").read_bytes())
    refused(*call("coop", finished), cwd=folder,
            says=[f"[tune] {finished}/run.json: holds a run with ", "train_sha256"])


@pytest.mark.parametrize("name", ["run.json", "result.json"])
@pytest.mark.parametrize("text", ['{"schema": "openworld', "[1, 2]"], ids=["cut", "list"])
def test_damaged_json_is_refused(place, finished, name, text):
    (finished / name).write_text(text)
    refused(*call("coop", finished), cwd=place,
            says=[f"[tune] {finished}/{name}: ", "restart the run to replace it"])
    assert (finished / name).read_text() == text
    if text == "[1, 2]":
        assert json_of(*call("coop", finished, "--restart"), cwd=place)["steps"] == 3


@pytest.fixture
def unfinished(place, folder):
    """A run that was trained to its end, but could not write its predictions."""
    (folder / "run" / "predictions.npz").mkdir(parents=True)
    refused(*call("coop", folder / "run"), cwd=place,
            says=[f"[tune] {folder}/run/predictions.npz: ", "is a directory"])
    (folder / "run" / "predictions.npz").rmdir()
    assert files_of(folder / "run") == ["log.jsonl", "paths.json", "prompts.safetensors", "run.json",
                                        "state.safetensors"]
    return folder / "run"


def test_only_what_is_missing_is_done(place, tuned, unfinished):
    result = json_of(*call("coop", unfinished), cwd=place)
    expected = read_json(tuned("coop") / "result.json")
    for key in ("steps", "epochs", "loss", "train_images", "metrics"):
        assert result[key] == expected[key]
    assert learned(unfinished) == learned(tuned("coop"))
    assert same_log(unfinished, tuned("coop"))


def test_a_damaged_state_is_refused(place, tuned, unfinished):
    state = unfinished / "state.safetensors"
    whole = state.read_bytes()
    for spoilt in (whole[:len(whole) // 2], b"", b"\xff" * 8 + whole[8:]):
        state.write_bytes(spoilt)
        refused(*call("coop", unfinished), cwd=place, says=[f"[tune] {state}: "])
        assert state.read_bytes() == spoilt
    json_of(*call("coop", unfinished, "--restart"), cwd=place)
    assert learned(unfinished) == learned(tuned("coop"))


def test_a_state_of_other_prompts_is_refused(place, unfinished, folder):
    shutil.copy(unfinished / "state.safetensors", folder / "other")
    shutil.rmtree(unfinished)
    (folder / "run" / "predictions.npz").mkdir(parents=True)
    wider = {"tokens": 5}
    run(*call("coop", folder / "run", options=wider), cwd=place)
    (folder / "run" / "predictions.npz").rmdir()
    shutil.copy(folder / "other", folder / "run" / "state.safetensors")
    refused(*call("coop", folder / "run", options=wider), cwd=place,
            says=[f"[tune] {folder}/run/state.safetensors: "])


def test_a_damaged_log_is_mended(place, tuned, unfinished):
    """Invalid lines are dropped; a run does not depend on its log."""
    log = unfinished / "log.jsonl"
    log.write_text(log.read_text() + '{"step": 4, "sta')
    json_of(*call("coop", unfinished), cwd=place)
    assert same_log(unfinished, tuned("coop"))


def run_limited(words, place, size):
    """Runs a command that cannot write files beyond a size, as on a full disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run([BIN, *map(str, words)], cwd=place, capture_output=True, text=True,
                          preexec_fn=limit, timeout=60)


@pytest.fixture(scope="module")
def whole(place, tmp_path_factory):
    """A run whose files are each larger than those written before: the log by its many lines."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    json_of(*call("gmop", folder, "--no-cache", epochs=20), cwd=place)
    return folder


@pytest.mark.parametrize("fails, left", [
    ("run.json", ["paths.json"]),
    ("log.jsonl", ["log.jsonl", "paths.json", "run.json"]),
    ("state.safetensors", ["log.jsonl", "paths.json", "run.json"]),
    ("predictions.npz", ["log.jsonl", "paths.json", "prompts.safetensors", "run.json", "state.safetensors"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_full_disk(place, whole, folder, fails, left):
    size = {path.name: path.stat().st_size for path in whole.iterdir()}
    limit = {"run.json": size["run.json"] - 1,
             "log.jsonl": (size["run.json"] + size["log.jsonl"]) // 2,
             "state.safetensors": size["log.jsonl"] + 100,
             "predictions.npz": size["predictions.npz"] - 1}[fails]
    words = call("gmop", folder / "run", "--no-cache", epochs=20)
    ran = run_limited(words, place, limit)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.startswith(f"openworld tune: [tune] {folder}/run/{fails}: cannot ")
    assert files_of(folder / "run") == left
    for name in {"run.json", "prompts.safetensors"} & set(left):
        assert (folder / "run" / name).read_bytes() == (whole / name).read_bytes()

    json_of(*words, cwd=place)
    assert files_of(folder / "run") == files_of(whole)
    assert learned(folder / "run") == learned(whole)
    assert same_log(folder / "run", whole)


def test_a_result_of_something_else_is_refused(place, finished):
    (finished / "result.json").write_text("{}")
    refused(*call("coop", finished), cwd=place, says=[f"[tune] {finished}/result.json: "])


def test_the_option_that_differs_is_named(place, finished):
    refused(*call("coop", finished, epochs=4), cwd=place,
            says=[f"[tune] {finished}/run.json: holds a run with epochs 3, not 4; "])


def test_time_of_training_is_kept(place, unfinished):
    result = json_of(*call("coop", unfinished), cwd=place)
    assert result["cost"]["train_seconds"] == read_log(unfinished)[-1]["seconds"] > 0


def test_a_state_of_another_run_is_refused(place, unfinished):
    (unfinished / "run.json").unlink()
    refused(*call("coop", unfinished, options={"lr": 0.5}), cwd=place,
            says=[f"[tune] {unfinished}/state.safetensors: "])


def test_two_writers_of_one_folder(place, folder):
    """The second is refused, and what is left is the run of the first."""
    first = subprocess.Popen([BIN, *map(str, long_call("coop", folder / "run", seed=1))], cwd=place,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while first.poll() is None and not (folder / "run" / "log.jsonl").exists():
        time.sleep(0.005)
    first.send_signal(signal.SIGSTOP)  # for as long as it takes to refuse the others
    assert first.poll() is None
    for seed in (1, 2):
        refused(*long_call("coop", folder / "run", seed=seed), "--restart", cwd=place,
                says=("run: is being written by process", str(first.pid)))
    first.send_signal(signal.SIGCONT)
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert read_json(folder / "run" / "run.json")["seed"] == 1
    assert not (folder / "run" / ".lock").exists()
    json_of("eval", folder / "run")


@pytest.mark.parametrize("name", ["run.json", "prompts.safetensors", "predictions.npz"])
def test_a_flipped_bit_is_found(place, folder, name):
    """Wherever it is; in prompts it would change r without a word."""
    words = call("coop", folder / "run")
    json_of(*words, cwd=place)
    path = folder / "run" / name
    whole = path.read_bytes()
    flipped = bytearray(whole)
    at = whole.rindex(b'"openworld') + 5 if name == "run.json" else len(whole) * 3 // 4
    flipped[at] ^= 1
    path.write_bytes(flipped)
    readers = {"run.json": ["eval", "predict", "tune"], "prompts.safetensors": ["predict", "tune"],
               "predictions.npz": ["eval", "tune"]}[name]
    calls = {"eval": ["eval", folder / "run"], "tune": words,
             "predict": ["predict", "--run", folder / "run", "world/test"]}
    for reader in readers:
        refused(*calls[reader], cwd=place, says=(name,))
    path.write_bytes(whole)
    json_of(*words, cwd=place)


def test_lock_left_in_a_finished_run(place, folder):
    """By a process that was killed after its result."""
    words = call("coop", folder / "run")
    first = json_of(*words, cwd=place)
    (folder / "run" / ".lock").write_text("left")
    assert json_of(*words, cwd=place)["metrics"] == first["metrics"]
    assert not (folder / "run" / ".lock").exists()
