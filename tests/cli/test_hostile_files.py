"""Small files that ask for much, and names that talk to the terminal: one line, exit code 2, and
little memory and time."""

import gzip
import json
import os
import resource
import struct
import subprocess
import time
import zipfile
import zlib

import numpy as np
import pytest
from command import BIN, needs_models, refused, run, succeed
from costs import cheaply_refused, measured, safetensors
from data import compact, write_npz

MIB = 1 << 20


def empty_tensors(count):
    entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    return safetensors(json.dumps({f"t{i}": entry for i in range(count)}).encode())


HEADERS = {
    "many": (lambda: empty_tensors(20_000), "many.safetensors"),
    "lists": (lambda: safetensors(b'{"a":[' + b"{}," * (2 * MIB) + b"{}]}"), "JSON values"),
    "deep": (lambda: safetensors(b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
             "nested deeper than 4"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_of_safetensors(folder, name):
    make, says = HEADERS[name]
    path = folder / f"{name}.safetensors"
    path.write_bytes(make())
    cheaply_refused("inspect", path, says=(says,))


CONFIGURATIONS = {
    "JSON values": lambda: "[" + "{}," * 300_000 + "{}]",
    "bytes of JSON": lambda: '{"a":' * 200_000 + "1" + "}" * 200_000,
    "nested deeper than 32": lambda: '{"a":' * 100_000 + "1" + "}" * 100_000,
}


@pytest.mark.parametrize("says", CONFIGURATIONS)
def test_configurations(folder, examples, says):
    model = folder / "clip"
    model.mkdir()
    weights = (examples / "clip" / "model.safetensors").read_bytes()
    (model / "model.safetensors").write_bytes(weights)
    (model / "config.json").write_text(CONFIGURATIONS[says]())
    cheaply_refused("inspect", model, says=("config.json", says))


@needs_models
@pytest.mark.parametrize("name", ["run.json", "result.json"])
def test_deep_run_files(folder, examples, name):
    """A stack would overflow that followed 200,000 levels."""
    words = ["tune", "--method", "zero-shot", "--model", "model", "--data", "pets", "--test-data",
             "pets", "--shots", 1, "--out", folder / "run"]
    succeed(*words, cwd=examples)
    (folder / "run" / name).write_text("[" * 200_000 + "]" * 200_000)
    cheaply_refused(*words, cwd=examples, says=(name, "nested deeper than 32"))


def stride_0_file(path, items=1_500_000, times=500):
    """A .bin whose one tensor repeats its storage: what torch.save writes of x.expand(n, -1)."""

    pkl = b"\x80\x02}q\x00X\x01\x00\x00\x00x"
    pkl += b"ctorch._utils\n_rebuild_tensor_v2\n("
    pkl += b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu"
    pkl += b"J" + struct.pack("<i", items) + b"tQ"
    pkl += b"K\x00" + b"J" + struct.pack("<i", times) + b"J" + struct.pack("<i", items) + b"\x86"
    pkl += b"K\x00K\x01\x86" + b"\x89" + b"ccollections\nOrderedDict\n)RtRs."
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pkl)
        archive.writestr("archive/version", "3\n")
        archive.writestr("archive/data/0", b"\0" * (4 * items))


def test_repeated_storage(folder):
    stride_0_file(folder / "x.bin")
    cheaply_refused("inspect", folder / "x.bin",
                    says=("tensor \"x\" of shape", "needs 2.8 GiB of memory; expected at most"))


def bomb(path, name, dtype, count):
    """Predictions with one array of zeros, 1000 times smaller in the file than in memory."""
    arrays = compact()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, value in arrays.items():
            with archive.open(f"{key}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(value))
        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(
                member, {"descr": dtype, "fortran_order": False, "shape": (count,)})
            zeros = bytes(MIB)
            for _ in range(count * np.dtype(dtype).itemsize // MIB):
                member.write(zeros)


def test_deflated_zeros(folder):
    path = folder / "bomb.npz"
    bomb(path, "label", "<i8", 128 * MIB)
    cheaply_refused("eval", path, says=('zip member "label.npy" needs 1.0 GiB of memory', "unless"))
    # Asked for, it is read, and found to have the wrong length.
    refused("eval", path, "--max-memory", "4G", says=("label",))
    refused("eval", path, "--max-memory", "512M", says=("the limit that was set",))


def text_item(text):
    """An .npy with one text of bytes."""
    return np.frombuffer(text, f"S{len(text)}").reshape(())


META = {"objects": b"{},", "texts": b'"",', "lists": b"[],"}


@pytest.mark.parametrize("name", META)
def test_values_of_a_compressed_meta(folder, name):
    """50 KB of archive are 16 million values of 80 bytes and more."""
    path = folder / "meta.npz"
    meta = b"[" + META[name] * 16_000_000 + b"0]"
    np.savez_compressed(path, **compact(), meta=text_item(meta))
    cheaply_refused("eval", path, "--json", says=("meta.npz: meta: JSON of", "memory"))


@pytest.mark.parametrize("command", [("eval",), ("doctor",), ("report", "--out", "page.html")])
def test_names_of_a_compressed_list(folder, command):
    path = folder / "classes.npz"
    np.savez_compressed(path, **compact(), classes=np.full(16 * MIB, b"a", "S1"))
    cheaply_refused(command[0], path, *command[1:], cwd=folder,
                    says=("classes.npz: classes of 16777216 texts needs 2.0 GiB of memory",))
    assert not (folder / "page.html").exists()


@pytest.mark.parametrize("count", [10**9, 2**31 - 1])
def test_a_number_of_classes(folder, count):
    path = folder / "count.npz"
    labels = np.zeros(40, "i4")
    write_npz(path, {**compact(), "label": labels, "predicted": labels,
                     "base_classes": np.int32(count), "new_classes": np.int32(count)})
    cheaply_refused("eval", path, "--per-class", says=(f"count.npz: base_classes, which is {count},",))


TABLES = {
    "settings": ("rank", lambda i: f"m{i % 2},s{i // 2},{i % 97}", None),
    "methods": ("rank", lambda i: f"m{i},s,{i % 97}", "methods; expected at most 500"),
    "sparse": ("rank", lambda i: f"m{i % 400},s{i},{i % 97}", "expected every method in every setting"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_many_names(folder, name):
    """A name was compared with all before it."""
    command, row, says = TABLES[name]
    path = folder / "table.csv"
    path.write_text("method,setting,value\n" + "".join(row(i) + "\n" for i in range(500_000)))
    if says:
        return cheaply_refused(command, path, says=("table.csv", says))
    code, err, seconds, memory = measured(command, path)
    assert (code, err) == (0, "") and seconds < 10 and memory < 1 << 30


def test_a_list_of_methods_in_an_error_is_short(folder):
    path = folder / "curves.csv"
    path.write_text("method,world,t,acc\n" + "".join(
        f"m{m},w,{t},0.5\n" for m in range(500) for t in (0, 1)))
    assert len(refused("drc", path, "--zero-shot", "x", says=("curves.csv", "and 400 more"))) < 2000


def test_a_name_of_many_words(folder):
    """Its phrases are as many as the square of its words, and as long."""
    path = folder / "words.npz"
    np.savez_compressed(path, **compact(), classes=np.array([b"a " * 200_000, b"b"]))
    code, err, seconds, memory = measured("doctor", path)
    assert code in (0, 1) and seconds < 10 and memory < 1 << 30, (code, err)


def test_images_that_are_all_the_same(folder):
    """20,000 equal features are 200 million pairs."""
    path = folder / "same.npz"
    labels = np.arange(20_000) % 2
    np.savez_compressed(path, features=np.ones((20_000, 8), "f4"), labels=labels, names=["a", "b"])
    code, err, seconds, memory = measured("doctor", path)
    assert code == 1 and memory < 1 << 30, (code, err)


def detect(folder, truth, *flags):
    (folder / "truth.json").write_text(json.dumps(truth))
    (folder / "results.json").write_text("[]")
    return ("detect", "--annotations", folder / "truth.json", "--results", folder / "results.json", *flags)


def test_many_categories(folder):
    """One without objects took 194 KB, and nine bytes of the file."""
    truth = {"images": [{"id": 1}], "categories": [{"id": i} for i in range(6000)],
             "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81}]}
    code, err, _, memory = measured(*detect(folder, truth))
    assert (code, err) == (0, "") and memory < 256 * MIB
    truth["categories"] = [{"id": i} for i in range(200_000)]
    cheaply_refused(*detect(folder, truth), says=("truth.json: the evaluation of 200000 categories needs",))


def test_a_polygon_to_and_fro(folder):
    truth = {"images": [{"id": 1, "height": 46_000, "width": 46_000}], "categories": [{"id": 1}],
             "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81,
                              "segmentation": [[0, 0, 46_000, 46_000] * 100_000]}]}
    cheaply_refused(*detect(folder, truth, "--type", "segm"),
                    says=("truth.json: annotation 0: segmentation: a polygon is", "pixels long"))


def webp_of(width, height, data=b"\0" * 8):
    """The header of a lossless WebP and almost nothing behind it."""
    bits = (width - 1) | (height - 1) << 14
    body = b"\x2f" + struct.pack("<I", bits) + data
    chunk = b"VP8L" + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def png_of(width, height, data=b""):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(
            ">I", zlib.crc32(name + data))

    packed = zlib.compress(data, 1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed)
            + chunk(b"IEND", b""))


IMAGES = {
    "a.webp": (webp_of(16383, 10900), "is 16383 x 10900 pixels; expected at most 67108864"),
    "a.png": (png_of(178_956_970, 1), "is 178956970 x 1 pixels"),
    "b.png": (png_of(67_108_864, 1), "is 67108864 x 1 pixels; expected sides of at most 1048576"),
    # Within the limit: refused for another reason, and without gigabytes.
    "b.webp": (webp_of(8192, 8191), "b.webp"),
}


@needs_models
@pytest.mark.parametrize("name", IMAGES)
def test_images_of_many_pixels(folder, examples, name):
    content, says = IMAGES[name]
    (folder / "pets" / "cat").mkdir(parents=True)
    (folder / "pets" / "cat" / name).write_bytes(content)
    code, err, seconds, memory = measured("encode", "--model", examples / "model", "--data",
                                          folder / "pets", "--out", folder / "x.npz", "--no-cache")
    assert code == 2 and says in err, err
    assert seconds < 10 and memory < 1 << 30


@needs_models
def test_a_thin_image_is_cheap(folder, examples):
    """As wide and as large as the limits allow: only the crop is resampled."""
    (folder / "pets" / "cat").mkdir(parents=True)
    (folder / "pets" / "cat" / "a.png").write_bytes(
        png_of(1 << 20, 64, bytes(64 * (1 + (3 << 20)))))
    code, err, seconds, memory = measured("encode", "--model", examples / "model", "--data",
                                          folder / "pets", "--out", folder / "x.npz", "--no-cache")
    assert (code, err) == (0, "")
    assert seconds < 10 and memory < 1 << 30


@needs_models
def test_a_large_webp_is_held_twice_at_most(folder, examples):
    """As libwebp decodes it and as RGB, 7 bytes a pixel; not also as canvases of an animation."""
    (folder / "pets" / "cat").mkdir(parents=True)
    # No transform, and five codes of one symbol each: black in 28 bytes.
    (folder / "pets" / "cat" / "a.webp").write_bytes(webp_of(8191, 8191, b"\x88\x88\x08\0"))
    code, err, seconds, memory = measured("encode", "--model", examples / "model", "--data",
                                          folder / "pets", "--out", folder / "x.npz", "--no-cache")
    assert (code, err) == (0, "")
    assert seconds < 10 and memory < 768 * MIB


def test_empty_cells(folder):
    """8 bytes for each cell, not 32."""
    path = folder / "cells.csv"
    row = "," * 999 + "\n"
    path.write_text(",".join(f"c{i}" for i in range(1000)) + "\n" + row * (48 * MIB // len(row)))
    code, err, seconds, memory = measured("eval", path)
    assert code == 2 and err.count("\n") == 1
    assert seconds < 10 and memory < 600 * MIB


def test_a_vocabulary_of_zeros(folder, examples):
    (folder / "zeros.txt.gz").write_bytes(gzip.compress(bytes(32 * MIB)) * 64)
    cheaply_refused("encode", "--model", examples / "model", "--texts", "a cat", "--vocabulary",
                    folder / "zeros.txt.gz", "--out", folder / "x.npz", says=("zeros.txt.gz",))


@pytest.mark.parametrize("size", ["", "0", "1X", "-1G", "many"])
def test_sizes_of_max_memory(good, size):
    refused("eval", good, "--max-memory", size, says=("--max-memory", "8G"))


HOSTILE = "cat\x1b[2J\x07\x9b31m\r"


def control_characters(text):
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]


@pytest.mark.parametrize("flags", [(), ("--json",), ("--per-class",)])
def test_names_do_not_steer_the_terminal(folder, flags):
    random = np.random.default_rng(0)
    arrays = {"side": np.repeat([0, 1], 20), "label": np.tile(np.arange(2), 20),
              "score": random.normal(size=40), "base_logits": random.normal(size=(40, 2)),
              "new_logits": random.normal(size=(40, 2)),
              "classes": np.array([HOSTILE + str(i) for i in range(4)])}
    path = write_npz(folder / "a\x1b]0;title\x07.npz", arrays)
    ran = run("eval", path, *flags)
    assert ran.code == 0, ran
    assert not control_characters(ran.out + ran.err)
    if "--json" in flags:
        assert json.loads(ran.out)["source"] == str(path)


def test_file_names_in_errors(folder):
    assert r"\x1b[31m" in refused("eval", folder / "none\x1b[31m.npz", says=())


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_devices_stay(examples, device):
    before = os.stat(device).st_rdev
    refused("curve", "gmop.npz", "--svg", device, cwd=examples, says=(device, "is a device"))
    assert os.stat(device).st_rdev == before


def test_out_to_stdout_and_symlinks(examples, folder):
    svg = folder / "a.svg"
    succeed("curve", "gmop.npz", "--svg", svg, cwd=examples)
    link = folder / "link.svg"
    link.symlink_to("a.svg")
    written = svg.read_bytes()
    svg.write_text("old")
    succeed("curve", "gmop.npz", "--svg", link, cwd=examples)
    assert link.is_symlink() and svg.read_bytes() == written
    piped = subprocess.run([BIN, "curve", "gmop.npz", "--svg", "/dev/stdout"], cwd=examples,
                           capture_output=True)
    assert piped.returncode == 0 and written in piped.stdout


def test_a_file_that_shrinks(folder):
    """Truncated while it is mapped: one line instead of SIGBUS."""
    path = folder / "shrinks.csv"
    row = "base,0.5,1\n"
    path.write_text("side,score,correct\n" + row * (256 * MIB // len(row)))
    process = subprocess.Popen([BIN, "eval", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    time.sleep(0.3)
    os.truncate(path, 4096)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2, (process.returncode, err)
    assert err.count("\n") == 1 and "shrinks.csv: was truncated" in err


def test_a_limit_on_file_sizes(examples, folder):
    """`ulimit -f` is an error like a full disk."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    done = subprocess.run([BIN, "curve", "gmop.npz", "--svg", folder / "a.svg"], cwd=examples,
                          preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "cannot write: File too large" in done.stderr
    assert not list(folder.iterdir())


@needs_models
@pytest.mark.parametrize("mib", [500, 700, 800, 850, 900, 1000, 2000])
def test_little_address_space(examples, folder, mib):
    """Out of memory is one line wherever it happens, and the process ends."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mib * MIB, mib * MIB))

    words = ["tune", "--method", "coop", "--model", "model", "--data", "pets", "--test-data",
             "pets", "--shots", "1", "--epochs", "2", "--out", str(folder / "run"), "--no-cache"]
    done = subprocess.run([BIN, *words], cwd=examples, preexec_fn=limit, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode in (0, 2), (done.returncode, done.stderr)
    assert "this is a bug" not in done.stderr
