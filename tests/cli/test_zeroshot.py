"""What `zeroshot` measures and writes, against NumPy's own CLIP and what `eval` makes of it."""

import json

import numpy as np
import pytest
from command import json_of, metric, needs_models, refused, succeed, without_cost
from pets import PETS, pixels, samples
from scipy.stats import norm
from tiny_oracle import Oracle

pytestmark = needs_models

NAMES = sorted(PETS)
LABELS = np.array([label for _, label, _, _ in samples()])
BASE = 4  # CoOp's first half of seven


def logits_of(arrays):
    return np.hstack([arrays[name] for name in ("base_logits", "new_logits") if name in arrays])


def wilson(right, count, level=0.95):
    """Wilson 1927, as scipy and statsmodels have it."""
    z = norm.ppf((1 + level) / 2)
    p, scale = right / count, 1 + z * z / count
    half = z * np.sqrt(p * (1 - p) / count + z * z / (4 * count ** 2)) / scale
    centre = (p + z * z / (2 * count)) / scale
    return centre - half, centre + half


@pytest.fixture(scope="module")
def half(model, pets, tmp_path_factory):
    """One run with base and new classes: JSON, arrays, file."""
    out = tmp_path_factory.mktemp("zeroshot") / "x.npz"
    result = json_of("zeroshot", "--model", model, "--data", pets, "--base", "half", "--out", out)
    with np.load(out) as arrays:
        return result, dict(arrays), out


@pytest.fixture(scope="module")
def whole(model, pets, tmp_path_factory):
    """One run in which every class is base, at another level."""
    out = tmp_path_factory.mktemp("zeroshot") / "x.npz"
    result = json_of("zeroshot", "--model", model, "--data", pets, "--level", 0.8, "--out", out)
    with np.load(out) as arrays:
        return result, dict(arrays), out


def test_logits(half):
    images = [pixels(number) for _, _, _, number in samples()]
    prompts = [[f"a photo of a {name.replace('_', ' ')}."] for name in NAMES]
    np.testing.assert_allclose(logits_of(half[1]), Oracle().logits(images, prompts), atol=1e-4)


def test_arrays(half):
    arrays = half[1]
    count = len(LABELS)
    dtypes = {"side": np.int8, "label": np.int32, "score": np.float32, "base_logits": np.float32,
              "new_logits": np.float32}
    assert list(arrays) == [*dtypes, "classes", "meta"]
    assert {name: arrays[name].dtype for name in dtypes} == dtypes
    assert arrays["base_logits"].shape == (count, BASE)
    assert arrays["new_logits"].shape == (count, len(NAMES) - BASE)
    assert arrays["side"].tolist() == [int(label >= BASE) for label in LABELS]
    assert arrays["label"].tolist() == [label - BASE * (label >= BASE) for label in LABELS]
    assert arrays["classes"].tolist() == NAMES, "as in the files, underscores and all"


def test_score_is_the_largest_base_probability(half):
    logits = logits_of(half[1]).astype("f8")
    probabilities = np.exp(logits - logits.max(1, keepdims=True))
    probabilities /= probabilities.sum(1, keepdims=True)
    np.testing.assert_allclose(half[1]["score"], probabilities[:, :BASE].max(1), rtol=1e-5)


@pytest.mark.parametrize("of", ["half", "whole"])
def test_accuracy(of, request):
    result, arrays, _ = request.getfixturevalue(of)
    level = {"half": 0.95, "whole": 0.8}[of]
    rank = (logits_of(arrays) > logits_of(arrays)[np.arange(len(LABELS)), LABELS, None]).sum(1)
    for name, depth in (("top1", 1), ("top5", 5)):
        accuracy = result["accuracy"][name]
        right = int((rank < depth).sum())
        assert 0 < right < len(LABELS)
        low, high = wilson(right, len(LABELS), level)
        assert accuracy == {"value": pytest.approx(right / len(LABELS)), "low": pytest.approx(low),
                            "high": pytest.approx(high), "level": level, "method": "wilson",
                            "right": right, "images": len(LABELS)}
    per_class = [(rank[LABELS == c] < 1).mean() for c in range(len(NAMES))]
    assert result["accuracy"]["mean_per_class"] == pytest.approx(np.mean(per_class))
    assert np.mean(per_class) != pytest.approx((rank < 1).mean()), "one of them would do"


def test_eval_agrees(half, whole):
    """base_acc of all classes is the accuracy; otherwise each side has its own."""
    result, arrays, out = whole
    assert "new_logits" not in arrays
    assert metric(out, "base_acc") == pytest.approx(result["accuracy"]["top1"]["value"])
    result, arrays, out = half
    metrics = json_of("eval", out, "--metrics", "base_acc,new_acc,auroc", "--ci", "none")["metrics"]
    for name, side, logits in (("base_acc", 0, "base_logits"), ("new_acc", 1, "new_logits")):
        chosen = arrays["side"] == side
        right = arrays[logits].argmax(1) == arrays["label"]
        assert metrics[name]["value"] == pytest.approx(right[chosen].mean())
    base, new = (arrays["score"][arrays["side"] == side] for side in (0, 1))
    greater = (base[:, None] > new).mean() + (base[:, None] == new).mean() / 2
    assert metrics["auroc"]["value"] == pytest.approx(greater)


def test_json(half, model, pets):
    result, arrays, out = half
    meta = {"method": "zero-shot",
            "model": {"path": str(model), "format": "huggingface",
                      "sha256": json_of("inspect", model)["sha256"], "activation": "quick_gelu",
                      "assumptions": []},
            "data": {"path": str(pets), "format": "imagefolder", "split": None, "root": str(pets),
                     "classes": 7, "images": len(LABELS), "skipped": 0, "not_images": 0},
            "templates": ["a photo of a {}."], "ensemble": "features", "base_classes": 4,
            "logit_scale": pytest.approx(np.exp(3))}
    assert json.loads(str(arrays["meta"])) == meta
    assert list(result) == ["schema", *meta, "accuracy", "out", "cost"]
    assert result["schema"] == "openworld.zeroshot/2"
    assert result["out"] == str(out)
    assert {key: result[key] for key in meta} == meta


def test_run_to_run(half, model, pets, folder):
    """The same bytes, from the cache or not, for any number of threads."""
    result, _, out = half
    call = ["zeroshot", "--model", model, "--data", pets, "--base", BASE, "--out", folder / "x.npz"]
    again = json_of(*call)
    assert (folder / "x.npz").read_bytes() == out.read_bytes()
    assert without_cost({**again, "out": str(out)}) == without_cost(result)
    json_of(*call, "--threads", 2, "--no-cache", "--batch", 5)
    with np.load(folder / "x.npz") as arrays:
        np.testing.assert_allclose(arrays["base_logits"], half[1]["base_logits"], atol=1e-4)


def test_text(whole, model, pets, folder):
    text = succeed("zeroshot", "--model", model, "--data", pets, "--level", 0.8, "--out", "x.npz",
                   cwd=folder)
    accuracy = whole[0]["accuracy"]
    lines = text.splitlines()
    assert lines[0] == f"{len(LABELS)} images of 7 classes, 1 template"
    assert "80 % interval" in text
    for name, words in (("top1", "top-1 accuracy"), ("top5", "top-5 accuracy")):
        value, low, high = (f"{100 * accuracy[name][key]:.2f}" for key in ("value", "low", "high"))
        line, = (line for line in lines if line.startswith(words))
        assert line.split()[2:] == [value, low, "-", high]
    line, = (line for line in lines if line.startswith("mean per class"))
    assert line.split()[3:] == [f"{100 * accuracy['mean_per_class']:.2f}"]
    assert lines[-1] == "wrote x.npz; see `openworld eval x.npz`"


def test_unknown_samples(pets, model, folder):
    """Have logits and a score; no accuracy counts them. Five classes have no top 5."""
    chosen = [sample for sample in samples() if sample[1] < 5]
    lines = [f"{path} {label if i % 4 else -1}" for i, (path, label, _, _) in enumerate(chosen)]
    (folder / "list.txt").write_text("\n".join(lines))
    (folder / "names").write_text("\n".join(NAMES[:5]))
    result = json_of("zeroshot", "--model", model, "--data", "list.txt", "--image-root", pets,
                     "--names", "names", "--base", 2, "--out", "x.npz", cwd=folder)
    labels = np.array([label if i % 4 else -1 for i, (_, label, _, _) in enumerate(chosen)])
    known = labels >= 0
    with np.load(folder / "x.npz") as arrays:
        right = logits_of(arrays).argmax(1) == labels
        assert arrays["side"].tolist() == [-1 if c < 0 else int(c >= 2) for c in labels]
        assert np.isfinite(arrays["score"]).all() and (arrays["label"] >= 0).all()
    assert result["data"]["images"] == len(labels)
    assert result["accuracy"]["top1"]["right"] == right[known].sum()
    assert result["accuracy"]["top1"]["images"] == known.sum() < len(labels)
    assert "top5" not in result["accuracy"]
    counts = json_of("eval", folder / "x.npz", "--ci", "none")["counts"]
    assert counts["unknown"] == (~known).sum()


@pytest.fixture
def nothing_known(pets, folder):
    (folder / "list.txt").write_text("cat/002.png -1\n")
    (folder / "names").write_text("cat\nowl\n")
    return ["--data", folder / "list.txt", "--image-root", pets]


def test_nothing_is_known(nothing_known, model, folder):
    result = json_of("zeroshot", "--model", model, *nothing_known, "--names", folder / "names",
                     "--out", folder / "x.npz")
    assert result["accuracy"] == {}
    with np.load(folder / "x.npz") as arrays:
        assert arrays["side"].tolist() == [-1]


def test_text_where_nothing_is_known(nothing_known, model, folder):
    text = succeed("zeroshot", "--model", model, *nothing_known, "--names", folder / "names")
    assert text == "0 images of 2 classes and 1 image of none, 1 template\n\nno image has a label; nothing to measure\n"


def test_no_class_at_all(nothing_known, model):
    refused("zeroshot", "--model", model, *nothing_known, says=["list.txt", "expected a file of class names"])
