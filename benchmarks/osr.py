"""Open-set training beside PyTorch, in one run, as ratios. Run through `scripts/bench osr [NET...]`.

The rival is the same loop written in PyTorch as the published code has it: nn.Conv2d, nn.BatchNorm2d,
nn.LeakyReLU, Dropout2d, cross-entropy, SGD with momentum, on crops and flips of a batch in memory; once with
tensors as they come and once with channels last, and the faster of the two counts. Scoring is in evaluation mode
without gradients. fp32, the same number of threads (OMP_NUM_THREADS, by default all cores), batches of 64 in
training and 256 in scoring. Every measurement is a process of its own, ours and theirs in turn; the best of three.
The column cpu is the ratio of processor time for an image, which other processes on the machine disturb less.

An epoch is that of CIFAR-10 split 0: 30,000 images.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
THREADS = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
EPOCH, BATCH, SCORED = 30000, 64, 256
STEPS = {"vgg32": 4, "small": 24}
LAYERS = {
    "vgg32": (0.2, [(3, 64, 1, 0), (64, 64, 1, 0), (64, 128, 2, 0.2), (128, 128, 1, 0), (128, 128, 1, 0),
                    (128, 128, 2, 0.2), (128, 128, 1, 0), (128, 128, 1, 0), (128, 128, 2, 0)]),
    "small": (0.0, [(3, 32, 1, 0), (32, 64, 2, 0.1), (64, 64, 1, 0), (64, 128, 2, 0.1), (128, 128, 2, 0)]),
}


def rival(what, name, layout):
    """Images a second of PyTorch."""
    import torch
    from torch import nn

    torch.set_num_threads(THREADS)
    dropout, shapes = LAYERS[name]
    layers = [nn.Dropout2d(dropout)] if dropout else []
    for inputs, outputs, stride, after in shapes:
        layers += [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.LeakyReLU(0.2)]
        layers += [nn.Dropout2d(after)] if after else []
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 6, bias=False))
    memory = torch.channels_last if layout == "last" else torch.contiguous_format
    net = net.to(memory_format=memory)
    pictures = torch.randint(0, 256, (4096, 3, 32, 32), dtype=torch.uint8)
    labels = torch.arange(4096) % 6
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    def augmented(rows):
        out = torch.empty(len(rows), 3, 32, 32)
        padded = nn.functional.pad(pictures[rows].float() / 255, (4, 4, 4, 4))
        for i, (y, x, flip) in enumerate(torch.randint(0, 9, (len(rows), 3)).tolist()):
            crop = padded[i, :, y:y + 32, x:x + 32]
            out[i] = crop.flip(2) if flip % 2 else crop
        return out.contiguous(memory_format=memory)

    def train(steps):
        net.train()
        for _ in range(steps):
            rows = torch.randint(0, 4096, (BATCH,))
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(augmented(rows)), labels[rows]).backward()
            optimizer.step()
        return steps * BATCH

    def score(_):
        net.eval()
        with torch.no_grad():
            for first in range(0, 4096, SCORED):
                batch = pictures[first:first + SCORED].float() / 255
                net(batch.contiguous(memory_format=memory)).max(1)
        return 4096

    run, best, least = (train if what == "train" else score), 0, 1e9
    run(1)
    for _ in range(3):
        start, used = time.perf_counter(), time.process_time()
        images = run(STEPS[name])
        best = max(best, images / (time.perf_counter() - start))
        least = min(least, 1e3 * (time.process_time() - used) / images)
    print(json.dumps({"images_per_second": best, "cpu_ms": least}))


def measured(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench osr")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("nets", nargs="*", default=list(LAYERS), metavar="NET")
    args = parser.parse_args()
    import torch

    print(f"{platform.processor() or platform.machine()}, {THREADS} threads, PyTorch {torch.__version__}\n")
    print(f"{'':12}{'openworld':>12}{'PyTorch':>10}{'ratio':>8}{'cpu':>8}{'of GEMM':>9}{'epoch':>9}{'PyTorch':>9}")
    for net in args.nets:
        if net not in LAYERS:
            sys.exit(f"no net {net}; expected {' or '.join(LAYERS)}")
        for what in ("train", "score"):
            ours = measured([args.build / "bin" / "osr_bench", what, net, str(BATCH), str(STEPS[net]),
                             str(THREADS)])
            rivals = [measured([sys.executable, __file__, "--rival", what, net, layout]) for layout in ("first", "last")]
            speed, theirs = ours["images_per_second"], max(each["images_per_second"] for each in rivals)
            cpu = min(each["cpu_ms"] for each in rivals) / ours["cpu_ms"]
            epochs = [f"{EPOCH / each:8.0f}s" if what == "train" else "" for each in (speed, theirs)]
            print(f"{net + ' ' + what:12}{speed:10.0f}/s{theirs:8.0f}/s{speed / theirs:7.2f}x{cpu:7.2f}x"
                  f"{100 * ours['gemm_share']:8.0f}%{epochs[0]:>9}{epochs[1]:>9}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rival"]:
        rival(*sys.argv[2:])
    else:
        main()
