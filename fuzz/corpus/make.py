"""Makes the seeds of the fuzzers. Run: python3 make.py, in this folder."""

import gzip
import io
import json
import pathlib
import shutil
import sys
import tarfile
import zipfile

import numpy as np

sys.path.insert(0, "../../openworld/images")
import pillow_oracle


def write(path, data):
    pathlib.Path(path).write_bytes(data)


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), version=version)
    return out.getvalue()


CODES = "|b1 |i1 <i2 >i4 <i8 |u1 >u2 <u4 >u8 <f2 >f4 <f8 <U2 >U1 |S3"
for code in CODES.split():
    name = code.replace("<", "le_").replace(">", "be_").replace("|", "")
    write(f"npy/{name}.npy", npy(np.array([0, 1, 1]).astype(code)))
write("npy/matrix.npy", npy(np.zeros((2, 3), dtype=np.float32)))
write("npy/fortran.npy", npy(np.asfortranarray(np.zeros((2, 3)))))
write("npy/scalar.npy", npy(np.array("{}")))
write("npy/version2.npy", npy(np.arange(2), (2, 0)))
write("npy/version3.npy", npy(np.arange(2), (3, 0)))
wide = npy(np.zeros(0, "<U9")).replace(b"<U9'", b"<U4294967295'")
write("npy/empty_wide.npy", wide.replace(b" " * 9 + b"\n", b"\n"))
write("npy/structured.npy", npy(np.zeros(1, dtype=[("a", "<f4")])))

side = np.array([0, 1, -1])
compact = dict(side=side, score=np.float32([3, 2, 1]), correct=side == 0)
logits = dict(
    side=side.astype(np.int8),
    label=side,
    base_logits=np.eye(3, 2, dtype=np.float32),
    new_logits=np.asfortranarray(np.eye(3, 2)),
    classes=["a", "b", "c", "d"],
    meta="{}",
)
for name, arrays in [("compact", compact), ("logits", logits)]:
    for kind, save in [("stored", np.savez), ("deflated", np.savez_compressed)]:
        save(f"npz/{name}_{kind}.npz", **arrays)
np.savez("npz/empty.npz")

write("csv/compact.csv", b"side,score,correct\n0,3,1\n1,2.5e-1,true\n-1,-1,0\n")
write("csv/words.tsv", b"side\tscore\tcorrect\tlabel\tpredicted\r\nbase\t1\tTrue\t1\t0\r\n")
write("csv/logits.csv", b"side,label,base_logits_1,base_logits_0,new_logits_0\nnew,0,1,2,3\n")
write("csv/quotes.csv", b'\xef\xbb\xbf"a","b ""c"""\n"x\ny","1,5"\n\n\n')
write("csv/results.csv", b"method,world,t,acc,seed\nclip,0,0.5,0.71,1\n")


def safetensors(header, data):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


FLOATS = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8}
header, at = {"__metadata__": {"format": "pt"}}, 0
for code, item in FLOATS.items():
    header[code] = {"dtype": code, "shape": [2, 3], "data_offsets": [at, at + 6 * item]}
    at += 6 * item
write("safetensors/floats.safetensors", safetensors(header, bytes(range(at))))
scalar = {"dtype": "I64", "shape": [], "data_offsets": [0, 8]}
empty = {"dtype": "BOOL", "shape": [0, 5], "data_offsets": [8, 8]}
write("safetensors/scalar.safetensors", safetensors({"s": scalar, "e": empty}, bytes(8)))
write("safetensors/none.safetensors", safetensors({}, b""))

# The files of openworld/io/testdata/make_torch.py, and their pickles alone.
TORCH = pathlib.Path(__file__).resolve().parents[2] / "openworld/io/testdata/torch"
for path in sorted(TORCH.glob("*.pt")):
    shutil.copy(path, f"torch_file/{path.name}")
    if path.stem != "legacy":
        with zipfile.ZipFile(path) as archive:
            write(f"torch_file/{path.stem}.pkl", archive.read(f"{path.stem}/data.pkl"))

write("tokenizer/words", "tA photo of lower aaaa's  İ ΟΔΟΣ. 42 <|endoftext|>!".encode())
write("tokenizer/html", "t&amp;lt; &#x80;&#65 &notit; &NotEqualTilde; caf&eacute;".encode())
write("tokenizer/scripts", "t日本語 🦊 e\u0301 \u00a0\u3000 \u1fbe\u0345 ʼn".encode())
MERGES = "#version: 0.2\nl o\nlo w\nlow e\ne r</w>\nlow er</w>\n"
write("tokenizer/merges", b"m" + MERGES.encode())
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
symbols = [chr(b) for b in printable] + [chr(256 + k) for k in range(256 - len(printable))]
tokens = symbols + [s + "</w>" for s in symbols]
tokens += ["lo", "low", "lowe", "er</w>", "lower</w>", "<|startoftext|>", "<|endoftext|>"]
vocab = json.dumps({token: i for i, token in enumerate(tokens)}, ensure_ascii=False)
write("tokenizer/vocab", b"v" + vocab.encode() + b"\0" + MERGES.encode())
write("tokenizer/gzip", b"z" + gzip.compress(MERGES.encode(), mtime=0) * 2)

LONG = "folder/" * 40 + "name"
for name, form in [("ustar", "USTAR"), ("gnu", "GNU"), ("pax", "PAX")]:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=getattr(tarfile, form + "_FORMAT")) as tar:
        for member in ["0.jpg", "0.cls", "folder/1.json", LONG[: 200 if form == "USTAR" else None]]:
            info = tarfile.TarInfo(member)
            info.size = 3
            tar.addfile(info, io.BytesIO(b"abc"))
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
    # The reader needs no more than the first block of zeros.
    write(f"tar/{name}.tar", out.getvalue().rstrip(b"\0") + bytes(1024))

IMAGES = """420.jpg 420_progressive.jpg grey.jpg cmyk.jpg ycck_progressive.jpg rgb_adobe.jpg
    colour0_1bit_adam7.png colour0_16bit.png colour2_8bit.png colour3_4bit.png
    colour6_16bit_adam7.png palette_trns.png palette_short.png
    lossy.webp lossless.webp lossy_alpha.webp lossless_alpha.webp animated.webp"""
for family in pillow_oracle.FAMILIES:
    for name, data in family(9, 10, np.random.default_rng(1)):
        if name in IMAGES.split():
            write(f"image/{name}", data)

# The first byte says which reader.
mask = {"size": [8, 9], "counts": [3, 2, 67]}
truth = {
    "info": {"year": [1, {"a": "]"}]},
    "images": [{"id": 1, "height": 8, "width": 9, "file_name": "a.jpg"}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [
        dict(id=1, image_id=1, category_id=1, bbox=[0, 0, 4, 4], area=16, iscrowd=0,
             segmentation=[[0, 0, 0, 4, 4, 4, 4, 0], [5, 5, 7, 5, 7, 7.5]]),
        dict(id=2, image_id=1, category_id=1, bbox=[0, 0, 4, 4], area=16, iscrowd=1,
             segmentation=mask),
    ],
}
box = dict(image_id=1, category_id=1, bbox=[0.5, 1, 4, 4], score=0.25)
masks = [dict(image_id=1, category_id=1, score=1, segmentation=mask),
         dict(image_id=1, category_id=1, score=0.5,
              segmentation={"size": [8, 9], "counts": "32S2"})]
run = {"boxes": [[0, 0, 4, 4]], "labels": ["cat"], "scores": [0.5], "entropy": [[1.5]]}
openset = {"unc-types": [["scores", "low"], ["entropy", "high"]],
           "detections": {"a.jpg": {"all": run, "open-set": run}}}
for name, kind, value in [("annotations", b"0", truth), ("masks", b"1", masks),
                          ("boxes_as_masks", b"1", [box]), ("boxes", b"2", [box, box]),
                          ("openset", b"3", openset)]:
    write(f"coco/{name}.json", kind + json.dumps(value).encode())
