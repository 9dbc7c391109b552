"""Features are kept by what was encoded: a second run repeats nothing and changes nothing."""

import io
import resource
import shutil
import subprocess

import numpy as np
import pytest
from command import BIN, json_of, needs_models, run
from pets import PETS, picture, pixels, samples, write_pets
from tiny_model import with_heads, with_sizes, write_model
from tiny_oracle import Oracle

pytestmark = needs_models

COUNT = len(samples())


class World:
    """A model, images and a cache of its own."""

    def __init__(self, folder):
        self.folder, self.cache = folder, folder / "cache"
        self.model = write_model(folder / "model")
        self.data = write_pets(folder / "pets")
        self.out = folder / "x.npz"
        self.call = ["encode", "--model", self.model, "--data", self.data, "--out", self.out]

    def encode(self, *flags):
        """How many images went through the model, and how many features were found."""
        result = json_of(*self.call, "--cache", self.cache, *flags)
        return result["encoded"], result["found"]

    def features(self):
        with np.load(self.out) as arrays:
            return arrays["features"]

    def segments(self):
        return sorted(self.cache.rglob("*.npz"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """One that has been encoded; not to be changed."""
    world = World(tmp_path_factory.mktemp("filled"))
    assert world.encode() == (COUNT, 0)
    return world


@pytest.fixture
def world(filled, folder):
    """A copy of it, for a test of its own."""
    shutil.copytree(filled.folder, folder, dirs_exist_ok=True)
    return World(folder)


def test_second_run(world):
    features, segments = world.features(), world.segments()
    assert world.encode() == (0, COUNT)
    first = world.out.read_bytes()
    np.testing.assert_array_equal(world.features(), features)
    assert world.encode() == (0, COUNT)
    assert world.out.read_bytes() == first
    assert world.segments() == segments


def test_one_new_image(world):
    (world.data / "cat" / "99.png").write_bytes(picture(99))
    assert world.encode() == (1, COUNT)
    assert len(world.segments()) == 2
    expected = [Oracle().image(pixels(number)) for number in [*PETS["big_dog"], *PETS["cat"], 99]]
    np.testing.assert_allclose(world.features()[:len(expected)], expected, atol=1e-5)


def test_changed_image(world):
    (world.data / samples()[0][0]).write_bytes(picture(98))
    assert world.encode() == (1, COUNT - 1)
    np.testing.assert_allclose(world.features()[0], Oracle().image(pixels(98)), atol=1e-5)


def test_names_and_places_do_not_matter(world):
    world.data.rename(world.folder / "moved")
    (world.folder / "moved" / "cat").rename(world.folder / "moved" / "dog")
    shutil.copytree(world.model, world.folder / "copy")
    result = json_of("encode", "--model", world.folder / "copy", "--data", world.folder / "moved",
                     "--out", world.out, "--cache", world.cache)
    assert (result["encoded"], result["found"]) == (0, COUNT)


def test_zeroshot_shares_them(world):
    before = world.segments()
    json_of("zeroshot", "--model", world.model, "--data", world.data, "--cache", world.cache)
    assert world.segments() == before


def test_other_activation(world):
    assert world.encode("--activation", "gelu") == (COUNT, 0)
    assert world.encode("--activation", "quick_gelu") == (0, COUNT)


def test_other_preprocessing(world):
    clip = with_sizes(mean=(0.1, 0.2, 0.3))
    write_model(world.model, clip)
    assert world.encode() == (COUNT, 0)
    expected = Oracle(clip).image(pixels(samples()[0][3]))
    np.testing.assert_allclose(world.features()[0], expected, atol=1e-5)


def test_other_number_of_heads(world):
    """The weights are the same and the configuration says how to read them."""
    write_model(world.model, with_heads(4))
    assert world.encode() == (COUNT, 0)
    expected = Oracle(with_heads(4)).image(pixels(samples()[0][3]))
    np.testing.assert_allclose(world.features()[0], expected, atol=1e-5)


def test_number_of_heads_matters(world):
    write_model(world.model, with_heads(4))
    json_of(*world.call, "--no-cache")
    expected = Oracle(with_heads(4)).image(pixels(samples()[0][3]))
    np.testing.assert_allclose(world.features()[0], expected, atol=1e-5)
    assert np.abs(Oracle().image(pixels(samples()[0][3])) - expected).max() > 0.01


def test_no_cache(world):
    shutil.rmtree(world.cache)
    assert world.encode("--no-cache") == (COUNT, 0)
    assert not world.cache.exists()


def test_default_folder(feature_folder, model, pets, folder):
    call = ["encode", "--model", model, "--data", pets, "--out", folder / "x.npz"]
    json_of(*call)
    assert json_of(*call)["encoded"] == 0
    assert list(feature_folder.rglob("*.npz"))


def test_damaged_files(world):
    """Are ignored, and the run that replaces them gives the same result."""
    expected = world.features()
    segment, = world.segments()
    data = segment.read_bytes()
    segment.write_bytes(data[:len(data) // 2])
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    for name, damaged in {"bit": flipped, "empty": b"", "other": b"hello"}.items():
        segment.with_name(f"{name}.npz").write_bytes(damaged)
    with np.load(io.BytesIO(data)) as arrays:
        images, features = arrays["images"], arrays["features"]
    np.savez(segment.with_name("narrow.npz"), images=images, features=features[:, :-1])
    np.savez(segment.with_name("short.npz"), images=images, features=features[:-1])
    np.savez(segment.with_name("text.npz"), images=images, features=features.astype(str))
    assert world.encode() == (COUNT, 0)
    np.testing.assert_array_equal(world.features(), expected)
    assert segment.read_bytes() == data, "the same features make the same file"


def test_features_that_are_not_finite(world):
    segment, = world.segments()
    with np.load(segment) as arrays:
        np.savez(segment, images=arrays["images"], features=arrays["features"] * np.nan)
    world.encode()
    assert np.isfinite(world.features()).all()


def test_interrupted_run(world):
    """One that was killed leaves the files that it had flushed, and parts of one at most."""
    (world.data / "cat" / "99.png").write_bytes(picture(99))
    world.encode()
    small, large = sorted(world.segments(), key=lambda path: path.stat().st_size)
    large.unlink()
    (small.parent / f"{small.name}.tmp.0123456789abcdef").write_bytes(small.read_bytes()[:50])
    assert world.encode() == (COUNT, 1)


def test_duplicates_are_encoded_once(world):
    for i in range(3):
        (world.data / "owl" / f"copy{i}.png").write_bytes(picture(97))
    assert world.encode("--no-cache") == (COUNT + 1, 0)
    without = world.features()
    assert world.encode() == (1, COUNT)
    np.testing.assert_allclose(world.features(), without, atol=1e-5)
    with np.load(world.out) as arrays:
        copies = world.features()[[path.startswith("owl/copy") for path in arrays["paths"]]]
    assert len(copies) == 3 and (copies == copies[0]).all()


def test_two_at_once(world):
    """Processes that share the folder do not harm each other."""
    shutil.rmtree(world.cache)
    outs = [world.folder / f"{i}.npz" for i in range(2)]
    call = [BIN, *map(str, world.call[:-1])]
    running = [subprocess.Popen([*call, out, "--cache", world.cache], stdout=subprocess.DEVNULL)
               for out in outs]
    assert [process.wait(timeout=60) for process in running] == [0, 0]
    assert world.encode() == (0, COUNT)
    for out in outs:
        with np.load(out) as arrays:
            np.testing.assert_array_equal(arrays["features"], world.features())


def test_folder_that_cannot_be_made(world):
    (world.folder / "file").write_text("")
    ran = run(*world.call, "--cache", world.folder / "file")
    assert ran.code == 2 and "use another cache folder, or no cache" in ran.err


def test_full_disk(world):
    """The features are used, and a line says that they are not kept."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    shutil.rmtree(world.cache, ignore_errors=True)
    words = [BIN, "zeroshot", "--model", world.model, "--data", world.data, "--cache", world.cache]
    done = subprocess.run([*map(str, words)], preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1 and "features are not kept" in done.stderr
    assert "cannot write: File too large" in done.stderr
    assert not [path for path in world.cache.rglob("*") if path.is_file()]
