"""`openworld score`, and `openworld eval` of features, beside the definition in NumPy."""

import json

import numpy as np
import pytest
from command import json_of, refused, run, succeed

NAMES = ["cat", "dog", "big_fox", "owl", "elk", "ant", "bee"]


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Features of 500 images, 60 of them unknown, and of 3 prompts of 7 names."""
    folder = tmp_path_factory.mktemp("features")
    random = np.random.default_rng(0)
    texts = random.normal(size=(7, 1, 32)) + 0.5 * random.normal(size=(7, 3, 32))
    label = random.integers(-1, 7, 500)
    images = random.normal(size=(500, 32)) + 0.5 * texts.mean(axis=1)[label] * (label >= 0)[:, None]
    images, texts = images.astype(np.float32), texts.astype(np.float32)
    np.savez(folder / "images.npz", features=images, label=label)
    np.savez_compressed(folder / "texts.npz", features=texts, names=NAMES)
    np.save(folder / "images.npy", images)
    np.save(folder / "label.npy", np.array(NAMES + ["unknown"])[label])
    np.savez(folder / "rows.npz", embeddings=texts.reshape(21, 32), labels=np.repeat(np.arange(7), 3))
    (folder / "names.txt").write_text("\n".join(NAMES))
    (folder / "base.txt").write_text("owl\nbig fox\nant\n")
    unit = texts / np.linalg.norm(texts, axis=2, keepdims=True)
    mean = unit.mean(axis=1)
    mean /= np.linalg.norm(mean, axis=1, keepdims=True)
    cosine = (images / np.linalg.norm(images, axis=1, keepdims=True)) @ mean.T
    return folder, cosine.astype(np.float64), label


BASE, NEW = [2, 3, 5], [0, 1, 4, 6]
INPUT = ["--images", "images.npz", "--texts", "texts.npz", "--base", "base.txt", "--logit-scale", 30]


def test_predictions_are_those_of_numpy(data, folder):
    place, cosine, label = data
    out = folder / "p.npz"
    result = json_of("score", *INPUT, "--out", out, cwd=place)
    assert result["classes"] == [NAMES[c] for c in BASE + NEW]
    assert result["prompts"] == 21 and result["off_list_classes"] == 0
    made = np.load(out)
    side = np.select([label < 0, np.isin(label, BASE)], [-1, 0], 1)
    np.testing.assert_array_equal(made["side"], side)
    assert result["counts"]["unknown"] == (side == -1).sum() > 30
    z = 30 * cosine[:, BASE + NEW]
    p = softmax(z)
    np.testing.assert_allclose(made["score"], p[:, :3].max(axis=1), atol=2e-6)
    base_answer, new_answer = z[:, :3].argmax(axis=1), z[:, 3:].argmax(axis=1)
    place_of = {c: i for i, c in enumerate(BASE + NEW)}
    truth = np.array([place_of.get(c, -1) for c in label])
    np.testing.assert_array_equal(
        made["correct"], np.where(side == 0, base_answer == truth, (side == 1) & (new_answer + 3 == truth)))
    np.testing.assert_array_equal(made["overall_correct"], (z.argmax(axis=1) == truth))
    np.testing.assert_array_equal(made["predicted"], base_answer)
    np.testing.assert_allclose(made["fit"], z.max(axis=1), rtol=1e-5)
    meta = json.loads(str(made["meta"]))
    assert meta["score"] == "msp" and meta["images"] == "images.npz" and meta["logit_scale"] == 30
    # The file is as good as any other, and eval measures the features themselves alike.
    metrics = "openworld_auc,open_auc,auroc,base_acc,new_acc,overall_acc"
    of_file = json_of("eval", out, "--metrics", metrics)["metrics"]
    direct = json_of("eval", *INPUT, "--metrics", metrics, cwd=place)
    assert direct["metrics"] == of_file
    assert direct["counts"]["unknown"] == result["counts"]["unknown"]
    assert direct["source"] == "images.npz"


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_thresholds_for_unknown_images(data, folder, ending):
    """As of a file that has the logits."""
    place, cosine, label = data
    out = folder / f"p.{ending}"
    succeed("score", *INPUT, "--out", out, cwd=place)
    z = 30 * cosine[:, BASE + NEW]
    side = np.select([label < 0, np.isin(label, BASE)], [-1, 0], 1)
    places = np.array([(BASE + NEW).index(c) if c >= 0 else 0 for c in label])
    np.savez(folder / "logits.npz", side=side, label=places - 3 * (side == 1), base_logits=z[:, :3], new_logits=z[:, 3:])
    limits = ["--max-miss", 0.8, "--max-unknown", 0.2]
    made, expected = (json_of("threshold", file, *limits) for file in (out, folder / "logits.npz"))
    assert made["unknown"]["threshold"] == pytest.approx(expected["unknown"]["threshold"], rel=1e-5)
    assert made["unknown"]["answers"] == expected["unknown"]["answers"]


def test_the_same_from_other_forms(data, folder):
    """Labels by name in a file of their own, prompts as rows, names in a file."""
    place, _, _ = data
    succeed("score", *INPUT, "--out", folder / "a.npz", cwd=place)
    succeed("score", "--images", "images.npy", "--labels", "label.npy", "--texts", "rows.npz",
            "--names", "names.txt", "--base", "ant,owl,big_fox", "--logit-scale", 30,
            "--out", folder / "b.npz", cwd=place)
    a, b = np.load(folder / "a.npz"), np.load(folder / "b.npz")
    for name in ("side", "label", "correct", "overall_correct", "score", "classes"):
        np.testing.assert_array_equal(a[name], b[name])


def test_every_score_is_a_row(data, folder):
    place, _, _ = data
    listed = [row["name"] for row in json_of("ls", "scores")["scores"]]
    assert len(listed) == 21
    text = succeed("eval", *INPUT, "--score", "all", "--metrics", "auroc,open_auc", cwd=place)
    rows = [line.split()[0] for line in text.splitlines() if line.split() and line.split()[0] in listed]
    assert rows == [name for name in listed if "sigmoid" not in name]
    result = json_of("score", *INPUT, "--score", "all", "--out", folder / "all", cwd=place)
    assert [row["score"] for row in result["outputs"]] == rows
    scores = {name: np.load(folder / "all" / f"{name}.npz")["score"] for name in rows}
    assert (scores["base_sum"] >= scores["msp"]).all()
    # A margin above 0 says that the answer over all names is a base name.
    np.testing.assert_array_equal(scores["base_over_new"] >= 0, scores["base_max_logit"] >= scores["all_max_logit"])


def test_notes_name_the_scores(folder):
    """Rows are scores of one file, so its name would not say which. New images fit their names better here."""
    random = np.random.default_rng(1)
    texts = random.normal(size=(4, 32))
    label = np.arange(400) % 4
    images = random.normal(size=(400, 32)) + np.where(label < 2, 0.3, 1.5)[:, None] * texts[label]
    np.savez(folder / "i.npz", features=images, label=label)
    np.savez(folder / "t.npz", features=texts)
    text = succeed("eval", "--images", "i.npz", "--texts", "t.npz", "--score", "msp,all_energy,all_cosine",
                   "--metrics", "auroc", cwd=folder)
    note, = (line for line in text.splitlines() if "may be reversed" in line)
    assert note.startswith("- all_energy, all_cosine: AUROC is below 50 %")


def test_sigmoid(data, folder):
    place, cosine, _ = data
    out = folder / "p.npz"
    succeed("score", "--images", "images.npz", "--texts", "texts.npz", "--base", 3, "--activation", "sigmoid",
            "--logit-scale", 10, "--logit-bias", -2, "--out", out, cwd=place)
    np.testing.assert_allclose(np.load(out)["score"],
                               1 / (1 + np.exp(2 - 10 * cosine[:, :3].max(axis=1))), atol=2e-6)


def test_classes_on_no_list_are_unknown(data, folder):
    place, _, label = data
    result = succeed("score", "--images", "images.npz", "--texts", "texts.npz", "--base", "cat", "--new", "bee",
                     "--unknown", "images.npy", "--out", folder / "p.npz", cwd=place)
    base, new = (label == 0).sum(), (label == 6).sum()
    assert result.startswith(f"{base} base, {new} new, {1000 - base - new} unknown images; 1 base and 1 new "
                                    "names, 5 classes on no list, 21 prompts averaged\n")


def test_ensemble_of_logits(data, folder):
    """Means of logits are not logits of normalised means."""
    place, _, _ = data
    for ensemble in ("features", "logits"):
        succeed("score", *INPUT, "--score", "all_max_logit", "--ensemble", ensemble, "--out",
                folder / f"{ensemble}.npz", cwd=place)
    of = {name: np.load(folder / f"{name}.npz")["score"] for name in ("features", "logits")}
    assert (of["logits"] < of["features"]).mean() > 0.9


@pytest.mark.parametrize("change, says", [
    (["--base", "cat,cow"], ['[score] base names "cow", which is no class', "expected names of the 7 classes"]),
    (["--base", "8"], ["base is '8'; expected all, half, or 1 to 7"]),
    (["--score", "msq"], ["unknown score 'msq'; did you mean msp?", "openworld ls scores"]),
    (["--score", "base_sigmoid"], ["not defined for softmax models"]),
    (["--score", "msp,base_sum"], ["is one file for 2 scores; expected a folder"]),
    (["--images", "texts.npz"], ["texts.npz: no label; expected the index or the name"]),
    (["--texts", "images.npy", "--names", "names.txt"], ["names has 7 entries; expected 500"]),
    (["--names", "base.txt"], ["names has 3 entries; expected 7"]),
    (["--logit-scale", "0"], ["--logit-scale", "expected a positive number"]),
    (["--images", "none.npz"], ["none.npz: "]),
    (["--out", "names.txt"], ["--out names.txt ends in .txt; expected .npz, .csv, or a folder"]),
])
def test_refused(data, change, says):
    place, _, _ = data
    arguments = ["--images", "images.npz", "--texts", "texts.npz", "--out", "p.npz"]
    for flag, value in zip(change[::2], change[1::2]):
        if flag in arguments:
            arguments[arguments.index(flag) + 1] = value
        else:
            arguments += [flag, value]
    refused("score", *arguments, says=says, cwd=place)


def test_eval_takes_files_or_features(data, good):
    place, _, _ = data
    refused("eval", "--images", place / "images.npz", says=["--images without --texts"])
    refused("eval", "--texts", place / "texts.npz", says=["--texts without --images"])
    refused("eval", place / "images.npz", says=["no side; ", "It has features, of which `openworld score` makes"])
    refused("score", *INPUT, "--out", "p.txt", says=["--out p.txt ends in .txt; expected .npz, .csv, or a folder"], cwd=place)
    refused("eval", good, "--base", "half", says=["--base needs --images and --texts"])
    refused("eval", good, *INPUT, says=["got FILE and --images"], cwd=place)
    assert run("eval", "--texts", place / "texts.npz").code == 2


def test_tensors_without_names(data, folder):
    """Of torch.save, as the arrays that they are."""
    torch = pytest.importorskip("torch")
    place, _, label = data
    images, texts = np.load(place / "images.npy"), np.load(place / "texts.npz")["features"]
    torch.save(torch.tensor(images), folder / "images.pt")
    torch.save((torch.tensor(images), torch.tensor(label)), folder / "pair.pt")
    torch.save(torch.tensor(label), folder / "label.pt")
    torch.save({"x": torch.tensor(texts), "names": NAMES}, folder / "texts.pt")
    torch.save([torch.tensor(images), torch.tensor(images)], folder / "two.pt")
    rest = ["--texts", folder / "texts.pt", "--base", "owl,big fox,ant", "--metrics", "auroc,openworld_auc,open_auc"]
    expected = json_of("eval", "--images", place / "images.npz", *rest)["metrics"]
    assert json_of("eval", "--images", folder / "pair.pt", *rest)["metrics"] == expected
    labelled = ["--images", folder / "images.pt", "--labels", folder / "label.pt"]
    assert json_of("eval", *labelled, *rest)["metrics"] == expected
    refused("eval", "--images", folder / "two.pt", *rest, says=['2 tensors may be the features: "0" [500, 32], "1" [500, 32]; save a dict'])
    refused("doctor", folder / "two.pt", says=["2 tensors may be the features"])
    assert "near-duplicates" in run("doctor", folder / "pair.pt").out
    refused("inspect", folder / "pair.pt", says=["holds tensors without names; expected the state dict"])
    listed = label >= 0
    torch.save((torch.tensor(images[listed]), torch.tensor(label[listed])), folder / "listed.pt")
    torch.save(torch.tensor(texts[:, 0]), folder / "one.pt")
    succeed("openset", "--images", folder / "listed.pt", "--texts", folder / "one.pt", "--ci", "none")
