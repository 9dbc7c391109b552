"""Small models of odd sizes, in every format and stored type."""

import dataclasses

import formats
import models
import numpy as np
import pytest
import torch
from command import json_of, succeed
from compare import check, check_features, expected_features, image_features, relative_error
from reference_clip import encode_texts, zeroshot_logits

PLAIN_GELU = dataclasses.replace(models.PLAIN, activation="gelu")
SIZES = {"odd": models.ODD, "odd with stem": models.ODD_STEM, "odd with rest": models.ODD_REST,
         "plain": models.PLAIN, "plain with gelu": PLAIN_GELU}
CASES = [
    ("odd", formats.hugging_face, "F16"),
    ("odd", formats.hugging_face_bin, "F32"),
    ("odd", formats.open_clip, "BF16"),
    ("odd with stem", formats.hugging_face, "BF16"),
    ("odd with rest", formats.hugging_face, "F32"),
    ("odd with rest", formats.open_clip, "F16"),
    ("plain", formats.openai, "F16"),
    ("plain", formats.state_dict, "F16"),
    ("plain with gelu", formats.state_dict, "F32"),
    ("plain with gelu", formats.state_dict_without_flags, "F32"),
]


def case_name(case):
    name, write, dtype = case
    return f"{name}, {write.__name__} {dtype}"


def small_features(clip, pictures):
    return expected_features(clip, pictures, [models.small_ids(t) for t in models.SMALL_TEXTS])


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_features(case, pictures, small_merges, scratch):
    name, write, dtype = case
    clip = models.random_clip(SIZES[name], dtype)
    checkpoint, flags = write(scratch, clip, dtype)
    # A batch that does not divide the six pictures.
    check_features(case_name(case), checkpoint, [*flags, "--batch", 4],
                   small_features(clip, pictures), pictures, models.SMALL_TEXTS, small_merges,
                   scratch / "out.npz")


@pytest.fixture(scope="module")
def odd(tmp_path_factory, pictures):
    clip = models.random_clip(models.ODD)
    checkpoint, _ = formats.hugging_face(tmp_path_factory.mktemp("odd"), clip, "F32")
    return clip, checkpoint, small_features(clip, pictures)


def test_the_other_activation_is_another_model(odd, pictures, scratch):
    """Otherwise the limit would prove nothing."""
    _, checkpoint, expected = odd
    succeed("encode", "--quiet", "--model", checkpoint, "--data", pictures, "--no-cache", "--activation",
            "gelu", "--out", scratch / "out.npz")
    features = image_features(scratch / "out.npz", expected)
    assert relative_error(features, expected.images) > 1e-3


@pytest.mark.parametrize("ensemble", ["features", "logits"])
def test_zeroshot(odd, pictures, small_merges, scratch, ensemble):
    clip, checkpoint, expected = odd
    templates, names = ["{}", "x y {} .", "ab {} é 7"], ["7", "a", "b", "c"]
    (scratch / "templates.txt").write_text("\n".join(templates), encoding="utf-8")
    succeed("zeroshot", "--quiet", "--model", checkpoint, "--data", pictures, "--no-cache", "--vocabulary",
            small_merges, "--templates", scratch / "templates.txt", "--ensemble", ensemble, "--out",
            scratch / "out.npz")
    prompts = torch.stack([
        encode_texts(expected.tensors, clip.sizes,
                     [models.small_ids(template.format(name)) for template in templates])
        for name in names])
    logits = zeroshot_logits(expected.tensors, torch.from_numpy(expected.images), prompts, ensemble)
    with np.load(scratch / "out.npz") as arrays:
        assert arrays["classes"].tolist() == names
        assert arrays["label"].tolist() == [names.index(p[0]) for p in expected.paths]
        check(f"odd, zeroshot by {ensemble}", arrays["base_logits"], logits.numpy())


def test_the_cache_gives_the_same_bytes(odd, pictures, scratch):
    _, checkpoint, expected = odd
    count = len(expected.paths)
    for run, found in (("first", 0), ("second", count)):
        result = json_of("encode", "--model", checkpoint, "--data", pictures, "--cache",
                         scratch / "cache", "--out", scratch / f"{run}.npz")
        assert (result["encoded"], result["found"]) == (count - found, found)
    assert (scratch / "first.npz").read_bytes() == (scratch / "second.npz").read_bytes()
    check("odd, images from the cache", image_features(scratch / "second.npz", expected),
          expected.images)
