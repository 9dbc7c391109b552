"""Small files of runs, training, studies and tables that ask for much: little memory and time, and one line where they are
refused."""

import json
import shutil

import numpy as np
import pytest
from command import needs_models, succeed
from command import run as run_command
from costs import cheaply_refused, measured, safetensors


def tensors(**shapes):
    """A file of tensors of zeros, in float32."""
    header, size = {}, 0
    for name, shape in shapes.items():
        count = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [size, size + count]}
        size += count
    return safetensors(json.dumps(header).encode(), bytes(size))


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    """Features of four classes, 20 samples each."""
    folder = tmp_path_factory.mktemp("features")
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(4), 20)
    for name in ("train", "test"):
        np.savez(folder / f"{name}.npz", features=rng.normal(size=(80, 8)).astype("f4") + labels[:, None], labels=labels)
    return folder


@pytest.fixture(scope="module")
def trained(features):
    succeed("osr", "train", "--method", "softmax", "--net", "mlp", "--data", "train.npz", "--test-data", "test.npz", "--known",
            "0,1,2", "--epochs", 1, "--out", "run", "--quiet", cwd=features)
    return features / "run"


@pytest.fixture(scope="module")
def trained_scenario(tmp_path_factory):
    run = tmp_path_factory.mktemp("scenario") / "run"
    succeed("tune", "--method", "zero-shot", "--model", "pocket", "--data", "doodles:shapes", "--scenario", "imbalance", "--out",
            run, "--quiet")
    return run


IMAGES = {"images": np.zeros((4, 3, 32, 32), "f4"), "labels": np.array([0, 1, 0, 1])}
# What they say of themselves is more than they hold.
WEIGHTS = {
    "classes": ({"fc.weight": [10_000_000, 0], "conv1.weight": [64, 3, 3, 3]},
                "fc.weight is [10000000, 0]; expected a row of 128 for each of two or more classes"),
    "channels": ({"fc.weight": [4, 128], "conv1.weight": [0, 1_000_000, 3, 3]},
                 "conv1.weight is [0, 1000000, 3, 3]; expected 1 to 16 channels"),
    "prefixes": ({"module." * 1_000_000 + "x": [0]}, "has no fc.weight"),
}


@needs_models
@pytest.mark.parametrize("name", WEIGHTS)
def test_published_weights(folder, name):
    shapes, says = WEIGHTS[name]
    (folder / "w.safetensors").write_bytes(tensors(**shapes))
    np.savez(folder / "images.npz", **IMAGES)
    cheaply_refused("osr", "score", "--net", "small", "--weights", folder / "w.safetensors", "--data", folder / "images.npz",
                    "--out", folder / "p.npz", says=["w.safetensors", says])
    assert not (folder / "p.npz").exists()


@needs_models
def test_points_of_a_published_loss(folder):
    (folder / "w.safetensors").write_bytes(tensors(**{"fc.weight": [4, 128], "conv1.weight": [64, 3, 3, 3]}))
    (folder / "c.safetensors").write_bytes(tensors(points=[10_000_000, 0]))
    np.savez(folder / "images.npz", **IMAGES)
    cheaply_refused("osr", "score", "--net", "small", "--method", "arpl", "--weights", folder / "w.safetensors", "--criterion",
                    folder / "c.safetensors", "--data", folder / "images.npz", "--out", folder / "p.npz",
                    says=["c.safetensors", "points is [10000000, 0]; expected a row of 128"])


def rewrite_spec(run, change):
    """run.json with a change, and no hashes that would find it."""
    spec, result = (json.loads((run / name).read_text()) for name in ("run.json", "result.json"))
    change(spec)
    del result["files"]
    (run / "run.json").write_text(json.dumps(spec))
    (run / "result.json").write_text(json.dumps(result))


def many_options(spec):
    spec["options"] = {f"o{i}": 1 for i in range(400_000)}


SPECS = {
    "input": (lambda spec: spec["network"].update(input=1 << 24), "input is 16777216; expected 1 to 65536"),
    "value": (lambda spec: spec["options"].update(epochs=-1), "run.json: option epochs is -1"),
    "options": (many_options, "expected at most 1000 options"),
}


@needs_models
@pytest.mark.parametrize("name", SPECS)
def test_runs_of_networks(trained, folder, name):
    run = folder / "run"
    shutil.copytree(trained, run)
    change, says = SPECS[name]
    rewrite_spec(run, change)
    cheaply_refused("osr", "score", run, "--data", trained.parent / "test.npz", "--out", folder / "p.npz",
                    says=["run.json", says])


@needs_models
def test_features_that_inflate(folder):
    """Zeros in half precision, which are inflated, and then floats."""
    labels = np.arange(200_000) % 4
    np.savez_compressed(folder / "train.npz", features=np.zeros((200_000, 512), "f2"), labels=labels)
    cheaply_refused("osr", "train", "--method", "softmax", "--net", "linear", "--data", folder / "train.npz", "--test-data",
                    folder / "train.npz", "--known", "0,1,2", "--epochs", 1, "--out", folder / "run", says=["train.npz", "needs"])


@needs_models
def test_names_to_encode(folder):
    (folder / "names.txt").write_text("cat\n" * 200_000)
    cheaply_refused("openset", "--model", "pocket", "--data", "doodles:shapes", "--negative-names", folder / "names.txt",
                    says=["names.txt: a list of names to encode needs"])


@needs_models
def test_a_plan_of_long_texts(folder):
    """Each of 100,000 cells would have the label."""
    (folder / "plan.toml").write_text(
        f'models = ["pocket"]\ndata = ["doodles:shapes"]\nlearners = [{{name = "coop", label = "{"x" * 60_000}"}}]\n'
        f'seeds = "1-10000"\nshots = {list(range(1, 11))}\n')
    cheaply_refused("study", "plan", folder / "plan.toml", says=["plan.toml", "bytes of text each"])


def test_a_table_of_many_columns(folder):
    columns = [f"c{i}" for i in range(100_000)]
    path = folder / "wide.csv"
    path.write_text("\n".join(["method," + ",".join(columns) + ",value"] +
                              [f"{m}," + "a," * len(columns) + f"{value}" for m, value in (("x", 1), ("y", 2))]) + "\n")
    code, err, seconds, memory = measured("rank", path)
    assert code in (0, 2) and seconds < 10 and memory < 1 << 30, (code, err[:200], seconds, memory)


def test_curves_of_many_worlds_as_json(folder):
    path = folder / "curves.csv"
    path.write_text("method,world,t,acc\n" + "".join(f"{m},w{w},{t},0.5\n" for w in range(60_000) for m in "ab"
                                                         for t in (0, 1)))
    code, err, seconds, _ = measured("drc", path, "--zero-shot", "a", "--json")
    assert code == 0 and seconds < 10, (err[:200], seconds)


def test_names_that_many_classes_have(folder):
    """Each line of the list names all of them."""
    np.savez(folder / "i.npz", features=np.ones((2, 2), "f4"), labels=np.zeros(2, int))
    np.savez(folder / "t.npz", features=np.ones((30_000, 2), "f4"))
    (folder / "names.txt").write_text("a\n" * 30_000)
    (folder / "base.txt").write_text("a\n" * 100_000)
    code, err, seconds, memory = measured("score", "--images", folder / "i.npz", "--texts", folder / "t.npz", "--names",
                                          folder / "names.txt", "--base", folder / "base.txt", "--out", folder / "p.npz")
    assert code in (0, 2) and seconds < 10 and memory < 1 << 30, (code, err[:200], seconds, memory)


@needs_models
def test_a_scenario_without_views(trained_scenario, folder):
    """eval took the first view for granted."""
    run = folder / "run"
    shutil.copytree(trained_scenario, run)
    result = json.loads((run / "result.json").read_text())
    del result["views"], result["files"]
    (run / "result.json").write_text(json.dumps(result))
    for flags in ([], ["--per-class"], ["--json"]):
        cheaply_refused("eval", run, *flags, says=["result.json: has no views"])


@needs_models
def test_a_view_that_is_listed_often(trained_scenario, folder):
    run = folder / "run"
    shutil.copytree(trained_scenario, run)
    result = json.loads((run / "result.json").read_text())
    result["views"] = result["views"][:1] * 100
    (run / "result.json").write_text(json.dumps(result))
    cheaply_refused("eval", run, says=["result.json", "expected another file for each view"])
    assert "expected another file for each view" in run_command("doctor", run).out


def test_a_label_far_beyond_the_others(folder):
    label = np.array([0, 0, 2**31 - 1, 0, 1, 2**28])
    np.savez(folder / "p.npz", side=np.array([0, 0, 0, 1, 1, 1]), label=label, score=np.arange(6.0), correct=np.ones(6, bool))
    code, err, seconds, memory = measured("sensitivity", folder / "p.npz", "--relative")
    assert code == 0 and seconds < 10 and memory < 1 << 28, (code, err, seconds, memory)


@needs_models
@pytest.mark.parametrize("text, says", [("{}" * 2_000_000, "texts of"), ("{}\n" * 600_000, "6000000 texts")], ids=["long", "many"])
def test_templates_of_much_text(folder, text, says):
    (folder / "t.txt").write_text(text)
    cheaply_refused("zeroshot", "--model", "pocket", "--data", "doodles:shapes", "--templates", folder / "t.txt", says=[says])


@needs_models
def test_a_template_of_many_places(folder):
    """Replaced in one pass."""
    (folder / "t.txt").write_text("{c}" * 300_000)
    code, err, seconds, memory = measured("zeroshot", "--model", "pocket", "--data", "doodles:shapes", "--templates",
                                          folder / "t.txt")
    assert code in (0, 2) and seconds < 10 and memory < 1 << 30, (code, err[:200], seconds, memory)


def test_features_with_many_names(folder):
    labels = np.array([f"n{i}" for i in range(200_000)])
    np.savez(folder / "f.npz", features=np.ones((200_000, 2), "f2"), labels=labels)
    code, err, seconds, memory = measured("doctor", folder / "f.npz")
    assert code in (0, 1, 2) and seconds < 10 and memory < 1 << 30, (code, err[:200], seconds, memory)


def test_ids_that_collide(folder):
    """Multiples of the number of buckets that a hash table of so many would have."""
    count, step = 100_000, 107_897
    box = {"bbox": [0, 0, 1, 1], "area": 1, "iscrowd": 0, "image_id": 1, "category_id": 1}
    truth = {"images": [{"id": 1, "width": 9, "height": 9}], "categories": [{"id": 1, "name": "a"}],
             "annotations": [{"id": i * step, **box} for i in range(count)]}
    (folder / "truth.json").write_text(json.dumps(truth, separators=(",", ":")))
    (folder / "found.json").write_text("[]")
    code, err, seconds, _ = measured("detect", "--annotations", folder / "truth.json", "--results", folder / "found.json")
    assert code in (0, 2) and seconds < 10, (err[:200], seconds)


@needs_models
def test_paths_of_megabytes(trained_scenario, folder):
    run = folder / "run"
    shutil.copytree(trained_scenario, run)
    rewrite_spec(run, lambda spec: spec["model"].update(path="a/" * 4_000_000))
    cheaply_refused("doctor", run, says=["run.json", "expected a path of at most 65536 bytes"])


def test_a_million_classes(folder):
    count = 500_000
    np.savez_compressed(folder / "p.npz", side=np.zeros(count, "i1"), label=np.arange(count), score=np.zeros(count, "f4"),
                        correct=np.ones(count, bool))
    cheaply_refused("eval", folder / "p.npz", "--per-class", says=["p.npz: has 500000 classes; --per-class takes at most"])
