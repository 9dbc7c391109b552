"""Makes the files of PyTorch that torch_file_test reads. Run: /usr/bin/python3 make_torch.py here.

Tensor values are 0, 1, 2, ... in row-major order unless the test says otherwise.
"""

import collections
import os

import torch

OUT = "torch"


def counted(*shape, dtype=torch.float32):
    n = 1
    for side in shape:
        n *= side
    return torch.arange(n, dtype=torch.float32).reshape(shape).to(dtype)


class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(counted(2, 3, dtype=torch.float16))
        self.register_buffer("steps", torch.tensor(77))

    def forward(self, x):
        return x + self.weight.float().sum() + self.steps


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(2.5))
        self.blocks = torch.nn.Sequential(Inner(), Inner())

    def forward(self, x):
        return self.blocks(x) * self.scale


os.makedirs(OUT, exist_ok=True)
torch.jit.trace(Outer(), torch.zeros(1)).save(f"{OUT}/script.pt")

state = collections.OrderedDict(
    f32=counted(2, 3),
    f16=counted(4, dtype=torch.float16),
    bf16=counted(4, dtype=torch.bfloat16),
    f64=counted(2, 2, dtype=torch.float64),
    i64=counted(3).long(),
    transposed=counted(2, 3).t(),
    middle=counted(10)[3:7],
    every_third=counted(4, 3)[:, 1],
    expanded=counted(2, 1).expand(2, 3),
    parameter=torch.nn.Parameter(counted(2)),
    scalar=torch.tensor(-1.5),
    empty=torch.zeros(0, 3),
)
torch.save(state, f"{OUT}/state_dict.pt")
torch.save(state, f"{OUT}/protocol4.pt", pickle_protocol=4)
torch.save(torch.nn.Linear(2, 1).state_dict(), f"{OUT}/with_metadata.pt")
small = {"a.b": counted(2), "epoch": 3}
torch.save({"epoch": 2**70, "lr": 0.5, "betas": (0.9, [None, True]), "state_dict": small},
           f"{OUT}/state_dict_inside.pt")
torch.save({"model": small, "optimizer": {0: {"step": -1}}}, f"{OUT}/model_inside.pt")
torch.save(small, f"{OUT}/legacy.pt", _use_new_zipfile_serialization=False)

# Features and labels as people save them, read by feature_reader_test.
rows = counted(2, 3)
torch.save(rows, f"{OUT}/tensor.pt")
torch.save((rows.half(), torch.tensor([1, -1])), f"{OUT}/pair.pt")
torch.save([rows, rows + 1], f"{OUT}/two_tables.pt")
torch.save((rows, ["cat", "dog"]), f"{OUT}/with_texts.pt")
torch.save({"x": rows, "y": torch.tensor([1, 0])}, f"{OUT}/other_names.pt")
torch.save({"embeddings": rows, "names": ["cat", "d\u00f6g"], "labels": ("cat", "unknown")}, f"{OUT}/named.pt")
torch.save(torch.tensor([1, 0]), f"{OUT}/labels.pt")
