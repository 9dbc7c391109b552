"""openworld.score beside the definition in NumPy, and beside the command's files."""

import pickle

import numpy as np
import openworld
import pytest


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    texts = random.normal(size=(6, 16))
    label = random.integers(-1, 6, 300)
    images = random.normal(size=(300, 16)) + 0.8 * texts[label] * (label >= 0)[:, None]
    return images, texts, label


def logits(images, texts, scale=100.0):
    images = images / np.linalg.norm(images, axis=1, keepdims=True)
    return scale * images @ (texts / np.linalg.norm(texts, axis=1, keepdims=True)).T


def test_is_the_evaluation_of_its_logits(data):
    images, texts, label = data
    made = openworld.score(images, texts, label, base=2, logit_scale=20)
    z = logits(images, texts, 20)
    side = np.select([label < 0, label < 2], [-1, 0], 1)
    expected = openworld.Predictions(
        side, base_logits=z[:, :2], new_logits=z[:, 2:], label=np.where(label < 2, np.maximum(label, 0), label - 2))
    for name in ("side", "label", "correct", "overall_correct", "predicted"):
        np.testing.assert_array_equal(getattr(made, name), getattr(expected, name), err_msg=name)
    np.testing.assert_allclose(made.score, expected.score, rtol=1e-12)
    np.testing.assert_allclose(made.fit, z.max(axis=1), rtol=1e-12)
    assert expected.fit is None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made)).fit, made.fit)
    limits = {"max_miss": 0.9, "max_unknown": 0.2}
    assert openworld.threshold(made, **limits) == openworld.threshold(made, fit=made.fit, **limits)
    assert made.meta["score"] == "msp" and made.base_classes == 2 and made.new_classes == 4
    evaluation = openworld.evaluate(made, metrics="openworld_auc,open_auc")
    assert float(evaluation["openworld_auc"]) == pytest.approx(
        float(openworld.evaluate(expected, metrics="openworld_auc")["openworld_auc"]), abs=1e-12)


def test_files_names_and_lists(data, tmp_path):
    images, texts, label = data
    names = ["a", "b, c", "d", "e", "f", "g"]
    np.savez(tmp_path / "i.npz", features=images, label=label)
    np.savez(tmp_path / "t.npz", features=texts, names=names)
    (tmp_path / "base.txt").write_text("b, c\ng\n")
    by_list = openworld.score(images, texts, label, names=names, base=["g", "b, c"])
    assert by_list.classes == ["b, c", "g", "a", "d", "e", "f"]
    by_file = openworld.score(tmp_path / "i.npz", str(tmp_path / "t.npz"), base=tmp_path / "base.txt")
    np.testing.assert_array_equal(by_list.score, by_file.score)
    by_name = openworld.score(images, texts, np.array(names + ["unknown"])[label], names=names, base=["g", "b, c"])
    np.testing.assert_array_equal(by_list.side, by_name.side)
    np.testing.assert_array_equal(by_list.label, by_name.label)


def test_labels_and_names_as_people_have_them(data, tmp_path):
    images, texts, label = data
    names = ["a", "b", "d", "e", "f", "g"]
    expected = openworld.score(images, texts, label, names=names)
    (tmp_path / "names.txt").write_text("\n".join(names))
    np.save(tmp_path / "label.npy", label)
    texts_of = [*names, "unknown"]
    for given in (label.astype(object), label.astype(float), tmp_path / "label.npy", str(tmp_path / "label.npy"),
                  [texts_of[i] for i in label], np.array([texts_of[i] for i in label], object)):
        made = openworld.score(images, texts, given, names=tmp_path / "names.txt")
        assert made.classes == expected.classes
        np.testing.assert_array_equal(made.side, expected.side)
        np.testing.assert_array_equal(made.label, expected.label)
    missing = [texts_of[i] if i >= 0 else None for i in label]
    place = missing.index(None)
    with pytest.raises(ValueError, match=rf"\[score\] label\[{place}\] is None; expected the name of a class, or unknown"):
        openworld.score(images, texts, missing, names=names)


def test_prompts_are_averaged(data):
    images, texts, label = data
    prompts = np.stack([texts, texts + np.random.default_rng(1).normal(size=texts.shape)], axis=1)
    of_three = openworld.score(images, prompts, label)
    of_rows = openworld.score(images, prompts.reshape(12, 16), label, text_label=np.repeat(np.arange(6), 2))
    np.testing.assert_array_equal(of_three.score, of_rows.score)
    unit = prompts / np.linalg.norm(prompts, axis=2, keepdims=True)
    np.testing.assert_allclose(of_three.score, openworld.score(images, unit.mean(axis=1), label).score, rtol=1e-9)


def test_several_scores(data):
    images, texts, label = data
    scored = openworld.score(images, texts, label, score=["msp", "base_energy"], unknown=images[:7])
    assert list(scored) == ["msp", "base_energy"] and len(scored["msp"]) == 307
    assert (scored["msp"].side[-7:] == -1).all()
    assert len(openworld.score(images, texts, label, score="all")) == 19
    sigmoid = openworld.score(images, texts, label, activation="sigmoid", logit_scale=10, logit_bias=-3)
    np.testing.assert_allclose(sigmoid.score, 1 / (1 + np.exp(3 - logits(images, texts, 10)[:, :3].max(axis=1))))


@pytest.mark.parametrize("change, says", [
    ({"base": ["h"]}, r"\[score\] base is a list of names, but the classes have no names"),
    ({"base": "half", "names": list("abcdef"), "new": ["a"]}, "is a base name and a new name"),
    ({"score": "nothing"}, "unknown score 'nothing'"),
    ({"activation": "relu"}, "activation is 'relu'; expected 'softmax' or 'sigmoid'"),
    ({"ensemble": "both"}, "expected 'features' or 'logits'"),
    ({"logit_scale": 0}, "expected positive numbers"),
    ({"label": None}, "no label; expected"),
    ({"label": np.zeros(3, int)}, "label has 3 rows; expected 300"),
    ({"images": None}, "images is None; expected an array"),
    ({"texts": None}, "texts is None; expected an array"),
    ({"texts": np.zeros(6)}, "texts has shape"),
    ({"texts": np.zeros((6, 16))}, "length 0"),
    ({"wrong": 1}, "wrong"),
])
def test_refused(data, change, says):
    images, texts, label = data
    keywords = {"images": images, "texts": texts, "label": label, **change}
    with pytest.raises(ValueError, match=says):
        openworld.score(**keywords)
