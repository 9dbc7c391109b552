"""Makes the seeds of the fuzzers. Run: python3 make.py, in this folder."""

import gzip
import hashlib
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
for name, kind, value in [("annotations", b"0", truth), ("masks", b"1", masks),
                          ("boxes_as_masks", b"1", [box]), ("boxes", b"2", [box, box])]:
    write(f"coco/{name}.json", kind + json.dumps(value).encode())

run = {"boxes": [[0, 0, 4, 4]], "labels": ["cat"], "scores": [0.5], "entropy": [[1.5]]}
none = {"boxes": [], "labels": [], "scores": [], "entropy": []}
types = [["scores", "low"], ["entropy", "high"]]
write("openset/one.json", json.dumps(
    {"unc-types": types, "detections": {"a.jpg": {"all": run, "open-set": run}}}).encode())
write("openset/two.json", json.dumps(
    {"detections": {"a.jpg": {"all": run, "open-set": none}, "b.jpg": {"all": run, "open-set": run}},
     "unc-types": types}).encode())

write("json/values.json", b'[null, true, -1, 18446744073709551615, 1.5e-3, "a\\u00e9\\n", {}, []]')
write("json/object.json", b'{"a": {"b": [1, {"c": "d"}]}, "": 0}\n')
write("json/depth.json", b"[" * 40 + b"]" * 40)

# The first byte says which file; see the sources of these fuzzers.
def tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue().rstrip(b"\0") + bytes(1024)


rows = [("a.jpg", "a cat on a mat"), ("b.jpg", "two dogs"), ("a.jpg", "a sleeping cat")]
csv = "path,caption\n" + "".join(f"{path},{text}\n" for path, text in rows)
write("captions/table.csv", b"c" + csv.encode())
write("captions/table.tsv", b"v" + csv.replace(",", "\t").replace("caption", "title").encode())
write("captions/lines.jsonl", b"l" + "".join(
    json.dumps({"file_name": path, "text": text}) + "\n" for path, text in rows).encode())
write("captions/arrays.jsonl", b"a" + b'{"name": "a cat", "captions": ["one", "two"], "words": ["cat"], "weight": 0.5}\n'
      b'{"name": null, "captions": []}\n{}\n')
write("captions/lines.txt", "ta cat\n\n  a café \r\n".encode())
write("captions/texts.tar", b"s" + tar({"0.jpg": b"x", "0.txt": b"a cat\nthe cat\n", "1.png": b"y"}))
write("captions/json.tar", b"s" + tar({"0.jpg": b"x", "0.json": b'{"caption": "a cat", "key": 1}',
                                       "1.webp": b"y", "1.txt": b"a dog", "1.json": b"{}"}))

splits = {"train": [["a.jpg", 0, "cat"], ["b.jpg", 1, "dog"]], "val": [],
          "test": [["c.jpg", 1, "dog"], ["d.jpg", -1, ""]]}
write("datasets/split.json", b"j" + json.dumps(splits).encode())
write("datasets/list.txt", b"ia.jpg 0\nb c.jpg 1\r\n\nd.jpg -1\n")
write("datasets/table.csv", b"cpath,label,name,split\na.jpg,0,cat,train\nb.jpg,1,dog,test\n")
write("datasets/named.tsv", b"vpath\tname\na.jpg\tdog\nb.jpg\tcat\n")
write("datasets/numbers.tar", b"w" + tar({"0.jpg": b"x", "0.cls": b"0\n", "1.jpg": b"y", "1.cls": b"1"}))
write("datasets/names.tar", b"w" + tar({"0.jpg": b"x", "0.json": b'{"label": "cat"}',
                                        "1.seg.png": b"m", "1.png": b"y", "1.json": b'{"label": "dog"}'}))
write("datasets/braces", b"bdata-{000..003}/{a,b}-{1..3}.tar")

write("class_names/lines", b"tcat\ndog\n\n hen \r\n")
write("class_names/folders", b"tn01440764 tench\nn01443537 goldfish\n")
write("class_names/list", b'j["cat", "dog"]')
write("class_names/object", b'j{"0": "cat", "1": "dog"}')
write("class_names/keyed", b'j{"n01440764": "tench", "n01443537": "goldfish"}')

spec = {"schema": "openworld.run/1", "label": "mine", "method": "coop", "title": "CoOp",
        "options": {"tokens": 4, "lr": 0.002, "position": "end", "csc": False},
        "changed": {"tokens": 4}, "seed": 1, "shots": 16, "shot_rule": "auto", "views": 0,
        "model": {"path": "pocket", "format": "openai", "sha256": "0" * 64, "activation": "gelu",
                  "vocabulary": "", "logit_scale": 0.0},
        "data": {"path": "doodles:shapes", "train_split": "train", "test_split": "test",
                 "test_data": "", "image_root": "", "names": "", "format": "doodles",
                 "allow_duplicate_names": False, "train_sha256": "", "test_sha256": ""},
        "keep_underscores": False, "templates": ["a photo of a {}."], "template_set": "photo",
        "ensemble": ["a {}."], "plain_words": "a photo of a", "base_classes": 1, "new_classes": 2,
        "classes": ["cat", "dark_dog", "hen"]}
interval = {"low": 0.4, "high": 0.6, "method": "delong", "level": 0.95}
result = {"schema": "openworld.tune/2", "out": "run", "method": "coop", "title": "CoOp",
          "changed": {"tokens": 4}, "seed": 1, "data": "doodles:shapes", "parameters": 64,
          "train_images": 6, "test_images": 48, "epochs": 3, "steps": 3, "loss": 0.5,
          "metrics": {"auroc": {"value": 0.5, "interval": interval, "higher_is_better": True},
                      "hm": {"value": None, "why": "no new samples"}},
          "cost": {"train_seconds": 1.5, "seconds": 3.0, "peak_memory_bytes": 1024,
                   "version": "0.1.0"}}
write("runs/run.json", b"s" + json.dumps(spec, indent=2).encode())
write("runs/result.json", b"r" + json.dumps(result, indent=2).encode())
write("runs/result1.json", b"r" + json.dumps(
    {**{key: value for key, value in result.items() if key != "cost"},
     "schema": "openworld.tune/1", "run": result["cost"]}).encode())
write("runs/threshold.json", b"t" + json.dumps(
    {"schema": "openworld.threshold/2", "max_miss": 0.1, "confidence": 0.95, "threshold": 0.25}).encode())
write("runs/threshold3.json", b"t" + json.dumps(
    {"schema": "openworld.threshold/3", "max_miss": 0.1, "confidence": 0.95, "threshold": 0.25,
     "unknown": {"max_unknown": 0.1, "confidence": 0.95, "threshold": 0.5, "fit": "max_logit"}}).encode())
write("runs/paths.json", b"p" + json.dumps(
    {"schema": "openworld.paths/1", "working_folder": "/home/me", "run_folder": "/home/me/runs/a"}).encode())
write("runs/log.jsonl", b"l" + b"".join(json.dumps(
    {"step": step, "stage": "", "epoch": step, "loss": 0.5, "lr": 0.002, "seconds": 0.1}).encode() + b"\n"
    for step in (9, 10, 11)))

study_plan = """name = "two learners"
models = ["pocket", {path = "b", activation = "gelu", logit_scale = 50.5}]
data = ["doodles:animals", {path = "photos", base = "all", keep_underscores = true}]
scenarios = ["recognition", {name = "domain", options = {looks = ["line", "filled"]}}]
shots = [4, 16]
seeds = "1-2"

[[learners]]
name = "coop"
options = {lr = [0.002, 1e-2], tokens = 4, optimizer = "sgd", half = true}

[[learners]]
name = "zero-shot"
label = "CLIP"
"""
study_cell = {
    "id": "0" * 64,
    "model": {"path": "pocket", "sha256": "a" * 64},
    "data": {"path": "doodles:animals", "base": "all"},
    "scenario": {"name": "recognition", "version": 1},
    "learner": {"name": "coop", "options": {"lr": 0.002, "tokens": 4}},
    "shots": 16,
    "seed": 1,
}
cell_facts = {
    "schema": "openworld.cell/1",
    "id": "0" * 64,
    "files": [{"name": "predictions.npz", "bytes": 9, "sha256": "b" * 64}],
    "values": [{"world": "", "level": "", "metric": "auroc", "value": 0.5},
               {"world": "food", "level": "0.2", "metric": "hm", "value": None}],
}
cell_hash = hashlib.sha256(json.dumps(cell_facts, indent=1).encode()).hexdigest()
write("plan/plan.toml", b"p" + study_plan.encode())
write("plan/small.toml", b"pmodels=['m']\ndata=['d']\nlearners=['coop']\nseeds=[1,2]\n")
write("plan/study.json", b"s" + json.dumps(
    {"schema": "openworld.study/1", "protocol": 1, "name": "n", "folder": "/", "cells": [study_cell]}).encode())
write("plan/cell.json", b"c" + json.dumps(
    {**cell_facts, "cost": {"seconds": 1.5}, "sha256": cell_hash}, indent=1).encode() + b"\n")
cell_failure = {"schema": "openworld.cell_failure/1", "id": "0" * 64, "attempts": 2, "error": "out of memory"}
write("plan/failed.json", b"f" + json.dumps(cell_failure).encode())
write("plan/failed_huge.json", b"f" + json.dumps({**cell_failure, "attempts": 1e308}).encode())
write("plan/cell_huge.json", b"c" + json.dumps(
    {**cell_facts, "files": [{"name": "p", "bytes": 1e308, "sha256": ""}], "cost": {"seconds": 1}}).encode())


def two_files(first, second):
    """The size of the first in a byte, and both."""
    return bytes([len(first)]) + first + second


def idx(array):
    array = np.asarray(array, dtype=np.uint8)
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


digits = np.arange(3 * 4 * 2).reshape(3, 4, 2)
write("idx/plain", two_files(idx([0, 2, 1]), idx(digits)))
write("idx/gzip", two_files(gzip.compress(idx([0, 1, 0]), mtime=0), gzip.compress(idx(digits), mtime=0)))
write("idx/without_labels", two_files(b"", idx(digits)))
write("idx/empty", two_files(idx([]), idx(np.zeros((0, 28, 28)))))
write("idx/huge", two_files(idx([0]), bytes([0, 0, 8, 3]) + b"\xff" * 12))

sheet_rng = np.random.default_rng(2)
for name, colour, labels in (("rgb", 2, [0, 1, -1]), ("grey", 0, [0, 0, 1]), ("rgba", 6, [1, 0, 2])):
    samples = sheet_rng.integers(0, 256, (3, 16, pillow_oracle.CHANNELS[colour]))
    write(f"sheets/{name}", two_files(json.dumps(labels).encode(), pillow_oracle.png(samples, colour, 8)))
filtered = io.BytesIO()
pillow_oracle.Image.fromarray(pillow_oracle.picture(4, 64, 3, sheet_rng)).save(filtered, "PNG")
write("sheets/filtered", two_files(b"[0, 1, 2, 0]", filtered.getvalue()))

features = dict(features=np.eye(3, 2, dtype=np.float32), label=np.array([0, 1, -1], "i4"))
texts = dict(features=np.float32([[1, 2], [3, 4]]), names=["ant", "bee"], split=["train", "test"], path=["a.png", "b.png"])
for name, arrays in [("numbers", features), ("texts", texts)]:
    out = io.BytesIO()
    np.savez(out, **arrays)
    write(f"features/{name}_npz", b"z" + out.getvalue())
write("features/npy", b"n" + npy(np.eye(3, 2, dtype=np.float16)))
rows = {"features": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]},
        "label": {"dtype": "I64", "shape": [3], "data_offsets": [24, 48]}}
values = features["features"].tobytes() + features["label"].astype("<i8").tobytes()
write("features/safetensors", b"s" + safetensors(rows, values))
for path in sorted(TORCH.glob("*.pt"))[:3]:
    write(f"features/{path.stem}_pt", b"p" + path.read_bytes())

tower = dict(hidden_size=8, intermediate_size=16, num_attention_heads=2, num_hidden_layers=1, hidden_act="gelu")
clip = dict(projection_dim=8, text_config=dict(tower, max_position_embeddings=7, vocab_size=20),
            vision_config=dict(tower, image_size=8, patch_size=4))
preprocessor = dict(crop_size=dict(height=8, width=8), size=dict(shortest_edge=8), do_resize=True, resample=3,
                    image_mean=[0.5, 0.5, 0.5], image_std=[0.5, 0.5, 0.5], do_rescale=True)
shards = dict(metadata=dict(total_size=8), weight_map={"a": "a-00001.safetensors", "b": "a-00002.safetensors"})
open_clip = dict(model_cfg=dict(embed_dim=8, vision_cfg=dict(image_size=8, layers=1, width=8, patch_size=4),
                                text_cfg=dict(context_length=7, vocab_size=20, width=8, heads=2, layers=1)),
                 preprocess_cfg=dict(mean=[0.5, 0.5, 0.5], std=[0.5, 0.5, 0.5], interpolation="bicubic"))
for name, first, value in (("config", b"c", clip), ("preprocessor", b"p", preprocessor), ("shards", b"i", shards),
                           ("open_clip", b"o", open_clip)):
    write(f"checkpoint/{name}", first + json.dumps(value).encode())
small = dict(clip, vision_config=dict(tower, image_size=8))  # less than the default patch
write("checkpoint/no_patch", b"c" + json.dumps(small).encode())
weights = {"visual.conv1.weight": {"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [0, 12]},
           "text_projection": {"dtype": "F32", "shape": [1, 1], "data_offsets": [12, 16]}}
write("checkpoint/weights", b"w" + safetensors(weights, bytes(16)))

stages = dict(sources=dict(icons=dict(data="icons/mono", augment="redraw", outline=0.5),
                           drawings=dict(data="doodles", unnamed=True, views=2)),
              stages=[dict(name="words", lock="text", pairs=0, words=1, agreement=0.3, steps=20, batch=12,
                           sources=dict(icons=0.8, drawings=0.2)),
                      dict(name="text", lock="image", texts=1, reuse=10)])
pretrained = {"schema": "openworld.pretrain/2", "out": "m", "parameters": 27, "steps": 2, "loss": 2.75,
              "batch_accuracy": 0.25, "accuracy": {"icons": 0.5},
              "options": {"data": "icons: 5 images", "views": 1, "augment": "crop", "config": "pocket"},
              "cost": {"seconds": 1.5, "peak_memory_bytes": 100, "version": "0.1.0"}}
write("pretrain/stages", b"s" + json.dumps(stages).encode())
write("pretrain/result", b"r" + json.dumps(pretrained).encode())

NOUNS = """00000010 03 n 01 entity 0 002 ~ 00000020 n 0000 ~ 00000030 n 0000 | all
00000020 03 n 02 animal 0 beast 0 002 @ 00000010 n 0000 ~ 00000040 n 0000 | a
00000030 03 n 01 plant 0 001 @ 00000010 n 0000 | p
00000040 05 n 01 Big_Dog 0 001 @ 00000020 n 0000 | d
"""
LEMMAS = """  1 licence
animal n 1 2 @ ~ 1 1 00000020
big_dog n 1 1 @ 1 0 00000040
entity n 1 1 ~ 1 1 00000010
plant n 1 1 @ 1 1 00000030
"""
write("wordnet/small", LEMMAS.encode() + b"\0" + NOUNS.encode())
