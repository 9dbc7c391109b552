"""CLIP as openai/CLIP defines it, written a second time: plain functions over a dict of tensors by
OpenAI's names. They compute in the precision of the tensors; given doubles, what differs from a
program in fp32 is that program's rounding. Nothing here is fast, and nothing comes from openworld.
"""

import numpy as np
import torch
from PIL import Image


def activate(x, activation):
    if activation == "quick_gelu":
        return x * torch.sigmoid(1.702 * x)
    assert activation == "gelu"
    return x * (1 + torch.erf(x / 2**0.5)) / 2


def layer_norm(x, tensors, name, epsilon):
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return (centred / torch.sqrt(variance + epsilon) * tensors[f"{name}.weight"]
            + tensors[f"{name}.bias"])


def linear(x, tensors, name):
    return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]


def attention(x, tensors, name, heads, causal):
    batch, length, width = x.shape
    fused = x @ tensors[f"{name}.in_proj_weight"].T + tensors[f"{name}.in_proj_bias"]
    q, k, v = (part.reshape(batch, length, heads, width // heads).transpose(1, 2)
               for part in fused.split(width, dim=-1))
    scores = q @ k.transpose(-1, -2) / (width // heads)**0.5
    if causal:
        above = torch.ones(length, length, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(above, float("-inf"))
    mixed = scores.softmax(-1) @ v
    return linear(mixed.transpose(1, 2).reshape(batch, length, width), tensors, f"{name}.out_proj")


def transformer(x, tensors, name, tower, sizes, causal):
    for i in range(tower.layers):
        block = f"{name}.resblocks.{i}"
        normed = layer_norm(x, tensors, f"{block}.ln_1", sizes.epsilon)
        x = x + attention(normed, tensors, f"{block}.attn", tower.heads, causal)
        normed = layer_norm(x, tensors, f"{block}.ln_2", sizes.epsilon)
        hidden = activate(linear(normed, tensors, f"{block}.mlp.c_fc"), sizes.activation)
        x = x + linear(hidden, tensors, f"{block}.mlp.c_proj")
    return x


def encode_images(tensors, sizes, pixels):
    """Features [n, embed], not normalised, of pixels [n, 3, image, image]."""
    x = pixels
    for i, (_, stride) in enumerate(sizes.stem):
        x = torch.nn.functional.conv2d(x, tensors[f"visual.stem.{i}.weight"],
                                       tensors[f"visual.stem.{i}.bias"], stride, padding=1)
        x = activate(x, sizes.activation)
    x = torch.nn.functional.conv2d(x, tensors["visual.conv1.weight"], stride=sizes.patch)
    x = x.flatten(2).transpose(1, 2)
    first = tensors["visual.class_embedding"].expand(len(x), 1, -1)
    x = torch.cat([first, x], dim=1) + tensors["visual.positional_embedding"]
    x = layer_norm(x, tensors, "visual.ln_pre", sizes.epsilon)
    x = transformer(x, tensors, "visual.transformer", sizes.vision, sizes, causal=False)
    x = layer_norm(x[:, 0], tensors, "visual.ln_post", sizes.epsilon)
    return x @ tensors["visual.proj"]


def encode_texts(tensors, sizes, texts):
    """Features [n, embed], not normalised, of lists of ids without start and end of text."""
    start, end = sizes.vocabulary - 2, sizes.vocabulary - 1
    padded = np.zeros((len(texts), sizes.context), np.int64)
    for row, ids in zip(padded, texts):
        row[:len(ids) + 2] = [start, *ids, end]
    ids = torch.from_numpy(padded)
    x = tensors["token_embedding.weight"][ids] + tensors["positional_embedding"]
    x = transformer(x, tensors, "transformer", sizes.text, sizes, causal=True)
    x = layer_norm(x, tensors, "ln_final", sizes.epsilon)
    return x[torch.arange(len(x)), ids.argmax(-1)] @ tensors["text_projection"]


def load_pixels(path, sizes):
    """One image as the vision tower takes it, [3, image, image], in double."""
    side = sizes.image
    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    if min(width, height) != side:
        if width <= height:
            width, height = side, side * height // width
        else:
            width, height = side * width // height, side
        picture = picture.resize((width, height), Image.Resampling.BICUBIC)
    left, top = round((width - side) / 2), round((height - side) / 2)
    picture = picture.crop((left, top, left + side, top + side))
    pixels = torch.from_numpy(np.array(picture)).double().permute(2, 0, 1) / 255
    mean, std = torch.tensor([sizes.mean, sizes.std], dtype=torch.double)[..., None, None]
    return (pixels - mean) / std


def normalized(features):
    return features / features.norm(dim=-1, keepdim=True)


def zeroshot_logits(tensors, images, prompts, ensemble):
    """Scaled cosines [n, classes] of image features and text features [classes, templates, embed].
    Averaged over templates are the normalised text features, which are then normalised again, or
    the logits."""
    average = normalized(prompts).mean(1)
    if ensemble == "features":
        average = normalized(average)
    return tensors["logit_scale"].exp() * normalized(images) @ average.T
