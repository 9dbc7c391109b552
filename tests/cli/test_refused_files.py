"""Files that are not what their name says, damaged, or malicious."""

import io
import struct
import zipfile

import numpy as np
import pytest
from command import refused, succeed
from data import compact, write_csv, write_npz

C = compact()


def stored():
    """The bytes of a good archive."""
    file = io.BytesIO()
    np.savez(file, **C)
    return file.getvalue()


def npy(header, version=(1, 0), body=b""):
    """An .npy with a header that no NumPy would write."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(text)) + text + body


def zipped(score, name="score.npy", method=zipfile.ZIP_STORED):
    """An archive with good side and correct, and these bytes as score."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for other in ("side", "correct"):
            buffer = io.BytesIO()
            np.save(buffer, C[other])
            archive.writestr(f"{other}.npy", buffer.getvalue())
        archive.writestr(name, score)
    return file.getvalue()


def declared(data, size):
    """The archive with `size` as the inflated size of its last member, in both of its headers."""
    data = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.rindex(signature) + offset
        data[at:at + 4] = struct.pack("<I", size)
    return bytes(data)


def flipped(data, at):
    data = bytearray(data)
    data[at] ^= 0xff
    return bytes(data)


GOOD = stored()
SHAPE = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"
ZEROS = np.zeros(1 << 20).tobytes()
DEFLATED = zipped(npy(SHAPE % "(1048576,)", body=ZEROS), method=zipfile.ZIP_DEFLATED)


def case(name, data, *says):
    return pytest.param(data, says, id=name)


ARCHIVES = [
    case("empty", b"", "zip archive", "is the file whole?"),
    case("random_bytes", np.random.default_rng(1).bytes(500), "zip"),
    case("text", b"side,score,correct\n0,1,1\n", "zip"),
    case("truncated_at_the_end", GOOD[:-30], "zip"),
    case("truncated_in_the_middle", GOOD[:len(GOOD) // 2], "zip"),
    case("signature_only", GOOD[:4], "zip"),
    case("damaged_member", flipped(GOOD, GOOD.index(b"\x93NUMPY") + 200), "side", "CRC"),
    case("damaged_deflated_member", flipped(DEFLATED, DEFLATED.rindex(b"score.npy", 0, -60) + 40),
         "score"),
    case("no_members", b"PK\x05\x06" + bytes(18), "no side"),
    case("other_members", zipped(b"hello", "readme.txt"), "no score"),
    case("not_npy", zipped(b"hello"), "score is not in npy format"),
    case("npy_truncated_header", zipped(npy(SHAPE % "(40,)")[:30]), "score"),
    case("npy_version_9", zipped(npy(SHAPE % "(40,)", (9, 0))), "score", "version"),
    case("npy_without_descr", zipped(npy("{'shape': (40,), }")), "score", "descr"),
    case("npy_shorter_than_its_shape", zipped(npy(SHAPE % "(40,)", body=bytes(8))), "score"),
    case("npy_longer_than_its_shape", zipped(npy(SHAPE % "(1,)", body=bytes(80))), "score"),
    case("npy_shape_beyond_memory", zipped(npy(SHAPE % "(1152921504606846976,)")), "score"),
    case("npy_shape_that_overflows", zipped(npy(SHAPE % "(4294967296, 4294967296)")), "score"),
    case("npy_negative_shape", zipped(npy(SHAPE % "(-40,)")), "score"),
    case("declares_4_gib", declared(zipped(npy(SHAPE % "(40,)")), 0xfffffff0), "score"),
    case("inflates_beyond_what_deflate_can", declared(DEFLATED, 0xfffffff0), "score"),
    case("inflates_to_less_than_declared", declared(DEFLATED, len(ZEROS) + 4096), "score"),
    case("inflates_to_more_than_declared", declared(DEFLATED, 4096), "score"),
]


@pytest.mark.parametrize("data, says", ARCHIVES)
def test_npz(folder, data, says):
    file = folder / "p.npz"
    file.write_bytes(data)
    refused("eval", file, says=[str(file), *says])


def test_missing_file(folder):
    refused("eval", folder / "none.npz", says=[str(folder / "none.npz"), "No such file"])


def test_folder_without_arrays(folder):
    refused("eval", folder, says=[str(folder), "not a run folder", "side.npy"])


def test_single_array(folder):
    np.save(folder / "score.npy", C["score"])
    refused("eval", folder / "score.npy", says=["score.npy", "single array", ".npz"])


def test_folder_names_the_array_file(folder):
    (folder / "side.npy").write_bytes(b"hello")
    refused("eval", folder, says=[str(folder / "side.npy")])


def test_a_good_file_does_not_excuse_a_bad_one(folder, good):
    refused("eval", good, folder / "none.npz", says=["none.npz"])


def test_name_with_line_break(folder):
    refused("eval", folder / "a\nb\x1b[31m.npz", says=[r"a b\x1b[31m.npz"])


@pytest.mark.parametrize("write", [write_npz, write_csv])
def test_the_files_without_damage_are_read(folder, write):
    """The unchanged file is accepted; otherwise the tests above would prove nothing."""
    assert "OpenworldAUC" in succeed("eval", write(folder / "p.npz", C))
