"""Writes what losses and networks of open-set training should compute, for the tests of this folder.

usage: oracle.py OUT

Plain PyTorch in double precision, written from the papers and the published definitions; it shares no line
with this code. Inputs are doubles too, so that differences are roundings.

OUT/losses.json         per case: method, options, file of tensors
OUT/loss-NAME.safetensors   features, labels, parameter.*, generated, order, share; expected loss, gradient.*, logits,
                        scores
OUT/net-NAME.safetensors    parameter.*, buffer.*, input, mask.*, upstream; expected train.*, after.*, features,
                        gradient.*, gradient_input, eval.*, eval_features
OUT/gan.safetensors     noise, real images; expected images, losses and digests of gradients. Weights are given by a formula
OUT/schedules.safetensors   learning rates by epoch
OUT/published.pth, published_criterion.pth, published.safetensors   weights as the published code saves them, and
                        the scores of images
"""

import pathlib
import sys

import torch

import gan_oracle
import loss_oracle
import network_oracle


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    loss_oracle.write_cases(out)
    network_oracle.write_cases(out)
    gan_oracle.gan_case(out)


if __name__ == "__main__":
    main()
