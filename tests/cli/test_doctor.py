"""`openworld doctor`: what is examined, what is said, and the exit code. Each check is tested in C++."""

import json
import shutil

import numpy as np
import pytest
from command import json_of, needs_models, refused, run, succeed
from data import compact, write_npz
from pets import write_pets
from runs import write_run


def diagnosis(*args, cwd=None):
    """The JSON of an unhealthy patient."""
    ran = run("doctor", *args, "--json", cwd=cwd)
    assert (ran.code, ran.err) == (1, ""), ran
    result = json.loads(ran.out)
    assert result["healthy"] is False
    for finding in result["findings"]:
        assert all(finding[key] for key in ("check", "what", "means", "fix")), finding
    return result


def checks(result):
    return [finding["check"] for finding in result["findings"]]


def test_healthy_predictions(examples):
    text = succeed("doctor", examples / "gmop.npz")
    assert text.startswith(f"{examples / 'gmop.npz'} (predictions): healthy, by ")
    result = json_of("doctor", examples / "gmop.npz")
    assert result["schema"] == "openworld.doctor/1"
    assert result["healthy"] is True and result["findings"] == []
    assert {"reversed-score", "saturated-probabilities"} <= set(result["checks"])


def test_the_command_in_a_finding_fixes_it(folder):
    import subprocess
    import sys

    arrays = compact()
    arrays["score"] = -arrays["score"]
    write_npz(folder / "p.npz", arrays)
    (finding,) = diagnosis("p.npz", cwd=folder)["findings"]
    assert finding["check"] == "reversed-score"
    ran = run("doctor", "p.npz", cwd=folder)
    assert ran.code == 1 and "  means: " in ran.out and "  fix: " + finding["fix"] in ran.out
    subprocess.run(finding["fix"].replace("python3", sys.executable), shell=True, check=True, cwd=folder)
    assert json_of("doctor", "p-fixed.npz", cwd=folder)["healthy"]


def test_ignored_checks(folder):
    arrays = compact()
    arrays["score"] = -arrays["score"]
    write_npz(folder / "p.npz", arrays)
    assert json_of("doctor", "p.npz", "--ignore", "reversed-score", cwd=folder)["healthy"]
    refused("doctor", "p.npz", "--ignore", "reversed", cwd=folder, says=["did you mean reversed-score?"])


def test_commands_take_any_name_of_a_file(folder):
    """Quotes, $, backticks: what is pasted into a shell does what it says, and nothing else."""
    import subprocess
    import sys

    rng = np.random.default_rng(0)
    side = np.arange(200) % 2
    logits = rng.normal(0, 60, (200, 4))
    logits[np.arange(200), 2 * side] += 60
    score = 1 / (1 + np.exp(np.clip(logits[:, 2:].max(1) - logits[:, :2].max(1), -700, 700)))
    name = "it's $HOME `touch hit` \"q\" \\.npz"
    write_npz(folder / name, {"side": side, "label": 0 * side, "base_logits": logits[:, :2], "new_logits": logits[:, 2:],
                              "score": score.astype("f4")})
    (finding,) = diagnosis(name, cwd=folder)["findings"]
    assert finding["check"] == "saturated-probabilities"
    subprocess.run(finding["fix"].replace("python3", sys.executable, 1), shell=True, check=True, cwd=folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted([name, name[:-4] + "-fixed.npz"])
    assert json_of("doctor", name[:-4] + "-fixed.npz", cwd=folder)["healthy"]


def test_a_folder_of_images(folder):
    write_pets(folder / "pets")
    names = sorted(path.name for path in (folder / "pets").iterdir())
    first, last = (sorted((folder / "pets" / name).iterdir())[0] for name in (names[0], names[-1]))
    assert json_of("doctor", "pets", cwd=folder)["kind"] == "data"
    shutil.copy(first, last.with_name("copy" + first.suffix))
    result = diagnosis("pets", cwd=folder)
    assert checks(result) == ["duplicate-images"]
    assert "of different sides" in result["findings"][0]["what"]
    assert checks(diagnosis("pets", "--base", "all", cwd=folder)) == ["duplicate-images"]


def test_runs(folder):
    """A run whose model is elsewhere, which its result does not know of."""
    write_run(folder / "run", "gmop")
    assert json_of("doctor", "run", cwd=folder)["kind"] == "run"
    spec = json.loads((folder / "run" / "run.json").read_text())
    spec["model"]["path"] = "moved/model"
    (folder / "run" / "run.json").write_text(json.dumps(spec))
    result = diagnosis("run", cwd=folder)
    assert "paths-gone" in checks(result) and set(checks(result)) <= {"paths-gone", "damaged-run"}
    (gone,) = [finding for finding in result["findings"] if finding["check"] == "paths-gone"]
    assert "its model, moved/model, is gone" in gone["what"]
    assert gone["fix"] == "openworld predict --run run --model PATH IMAGES"
    spec["data"]["path"] = "moved/images"
    (folder / "run" / "run.json").write_text(json.dumps(spec))
    (fix,) = [finding["fix"] for finding in diagnosis("run", cwd=folder)["findings"] if "its images" in finding["what"]]
    assert fix == "openworld report run --data PATH --out report.html"


def test_several(examples, folder):
    write_npz(folder / "a.npz", compact())
    shutil.copy(examples / "gmop.npz", folder / "b.npz")
    ran = run("doctor", "a.npz", "b.npz", "--json", cwd=folder)
    results = json.loads(ran.out)["results"]
    assert [result["source"] for result in results] == ["a.npz", "b.npz"]
    assert ran.code == (0 if all(result["healthy"] for result in results) else 1)


def test_a_checkpoint(examples, folder):
    assert json_of("doctor", examples / "clip")["kind"] == "model"
    shutil.copytree(examples / "clip", folder / "clip")
    (folder / "clip" / "merges.txt").unlink()
    assert checks(diagnosis(folder / "clip")) == ["missing-vocabulary"]


@needs_models
def test_near_identical_images(examples, folder):
    """A copy with another byte: not the same file, and the same features."""
    write_pets(folder / "pets")
    names = sorted(path.name for path in (folder / "pets").iterdir())
    first, last = (sorted((folder / "pets" / name).iterdir())[0] for name in (names[0], names[-1]))
    last.with_name("copy" + first.suffix).write_bytes(first.read_bytes() + b"\0")
    assert "duplicate-images" not in json.loads(run("doctor", "pets", "--json", cwd=folder).out)["findings"]
    for flags in ((), ("--near", 0.999999)):
        result = diagnosis("pets", "--model", examples / "model", *flags, cwd=folder)
        (finding,) = [finding for finding in result["findings"] if finding["check"] == "near-duplicates"]
        assert any("copy" in pair for pair in finding["examples"])


@pytest.mark.parametrize("call, says", [
    (["nothing"], ["nothing: does not exist; expected predictions"]),
    (["photo.jpg"], ["photo.jpg: is not known by its name"]),
    (["p.npz", "--as", "run"], ["p.npz: not a run folder"]),
    (["p.npz", "--model", "pocket"], ["--model is for images"]),
    (["p.npz", "--as", "file"], ["--as"]),
])
def test_bad_input(folder, call, says):
    write_npz(folder / "p.npz", compact())
    (folder / "photo.jpg").write_bytes(b"")
    refused("doctor", *call, cwd=folder, says=says)


def test_features(folder):
    """Features of any model, in the arrays of `encode`."""
    values = np.eye(4, dtype=np.float16)
    write_npz(folder / "f.npz", {"features": values, "labels": np.arange(4), "names": np.array(list("abcd"))})
    assert json_of("doctor", "f.npz", cwd=folder)["kind"] == "features"
    values[3] = values[0]
    write_npz(folder / "f.npz", {"features": values, "labels": np.arange(4), "names": np.array(list("abcd"))})
    assert diagnosis("f.npz", cwd=folder)["findings"][0]["examples"] == ["row 0 (base) = row 3 (new)"]


def test_features_of_other_programs(folder):
    """As torch.save, numpy.save and other names of arrays have them."""
    values = np.eye(4, dtype=np.float32)
    values[3] = values[0]
    torch = pytest.importorskip("torch")
    torch.save({"image_features": torch.tensor(values), "targets": torch.arange(4)}, folder / "f.pt")
    np.savez(folder / "f.npz", embeddings=values, label=np.array(["a", "b", "c", "unknown"]))
    for name, pair in {"f.pt": "row 0 (base) = row 3 (new)", "f.npz": "row 0 (base) = row 3 (unknown)"}.items():
        result = diagnosis(name, cwd=folder)
        assert result["kind"] == "features"
        assert [finding["check"] for finding in result["findings"]] == ["near-duplicates"]
        assert result["findings"][0]["examples"] == [pair]
    np.save(folder / "f.npy", values)  # of no split and no class, so that nothing is in two places
    assert json_of("doctor", "f.npy", cwd=folder)["kind"] == "features"
