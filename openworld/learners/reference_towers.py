"""CLIP's towers with rows that learners put into them, written for clarity: full sequences, masks,
states that are overwritten. Beside reference_clip.py, which has neither."""

import torch

from reference_clip import activate, layer_norm, linear, normalized


def masked_attention(x, tensors, name, heads, mask):
    """mask [length, length] is added to the scores."""
    batch, length, width = x.shape
    fused = x @ tensors[f"{name}.in_proj_weight"].T + tensors[f"{name}.in_proj_bias"]
    q, k, v = (part.reshape(batch, length, heads, width // heads).transpose(1, 2)
               for part in fused.split(width, dim=-1))
    weights = (q @ k.transpose(-1, -2) / (width // heads)**0.5 + mask).softmax(-1)
    mixed = (weights @ v).transpose(1, 2).reshape(batch, length, width)
    return linear(mixed, tensors, f"{name}.out_proj")


def block(x, tensors, name, heads, sizes, mask):
    normed = layer_norm(x, tensors, f"{name}.ln_1", sizes.epsilon)
    x = x + masked_attention(normed, tensors, f"{name}.attn", heads, mask)
    normed = layer_norm(x, tensors, f"{name}.ln_2", sizes.epsilon)
    hidden = activate(linear(normed, tensors, f"{name}.mlp.c_fc"), sizes.activation)
    return x + linear(hidden, tensors, f"{name}.mlp.c_proj")


def hidden_keys(mask, first):
    """The mask with keys from `first` on hidden from every query."""
    mask = mask.clone()
    mask[:, first:] = float("-inf")
    return mask


class Towers:
    """tower is a TextTower of reference_learners.py."""

    def __init__(self, tower):
        self.sizes, self.tensors, self.tower = tower.sizes, tower.tensors, tower

    def text(self, rows, end, deep=None):
        """The feature of one prompt, not normalised: rows [length, width] from start to end of
        text, read at `end`. deep[block] are rows that replace positions 1, 2, ... before it."""
        sizes, tensors = self.sizes, self.tensors
        padding = self.tower.embed([0] * (sizes.context - len(rows)))
        x = (torch.cat([rows, padding]) + tensors["positional_embedding"])[None]
        mask = torch.full([sizes.context] * 2, float("-inf"), dtype=x.dtype).triu(1)
        for i in range(sizes.text.layers):
            if deep and i in deep:
                new = deep[i][None]
                x = torch.cat([x[:, :1], new, x[:, 1 + new.shape[1]:]], 1)
            x = block(x, tensors, f"transformer.resblocks.{i}", sizes.text.heads, sizes, mask)
        x = layer_norm(x, tensors, "ln_final", sizes.epsilon)
        return (x @ tensors["text_projection"])[0, end]

    def prompt(self, context, before, after_text, deep=None):
        """start, context, tokens `before`, the tokens of a text, end."""
        first, last = self.sizes.vocabulary - 2, self.sizes.vocabulary - 1
        embed, tokenize = self.tower.embed, self.tower.tokenize
        rows = torch.cat([embed([first]), context, embed(before), embed(tokenize(after_text)),
                          embed([last])])
        return self.text(rows, len(rows) - 1, deep)

    def read_only_text(self, sentence, prompts):
        """[prompts, embed]: rows after the end of a sentence that no row sees."""
        sizes, tensors = self.sizes, self.tensors
        ids = [sizes.vocabulary - 2, *self.tower.tokenize(sentence), sizes.vocabulary - 1]
        length, count = len(ids), len(prompts)
        assert length + count <= sizes.context
        x = self.tower.embed(ids + [0] * (sizes.context - length)) + tensors["positional_embedding"]
        x = torch.cat([x[:length], prompts, x[length + count:]])[None]
        mask = torch.full([sizes.context] * 2, float("-inf"), dtype=x.dtype).triu(1)
        mask = hidden_keys(mask, length)
        for i in range(sizes.text.layers):
            x = block(x, tensors, f"transformer.resblocks.{i}", sizes.text.heads, sizes, mask)
        x = layer_norm(x, tensors, "ln_final", sizes.epsilon)
        return (x @ tensors["text_projection"])[0, length:length + count]

    def images(self, pixels, prompts=None, deep=None, read_only=False):
        """Features [n, embed] of the class token, not normalised; or [n, prompts, embed] of rows
        that no row sees. deep[block] are rows that replace the last ones before it."""
        sizes, tensors = self.sizes, self.tensors
        x = torch.nn.functional.conv2d(pixels, tensors["visual.conv1.weight"], stride=sizes.patch)
        x = x.flatten(2).transpose(1, 2)
        first = tensors["visual.class_embedding"].expand(len(x), 1, -1)
        x = torch.cat([first, x], dim=1) + tensors["visual.positional_embedding"]
        own = x.shape[1]
        if prompts is not None:
            x = torch.cat([x, prompts.expand(len(x), -1, -1)], 1)
        x = layer_norm(x, tensors, "visual.ln_pre", sizes.epsilon)
        mask = torch.zeros([x.shape[1]] * 2, dtype=x.dtype)
        if read_only:
            mask = hidden_keys(mask, own)
        for i in range(sizes.vision.layers):
            if deep and i in deep:
                x = torch.cat([x[:, :-deep[i].shape[0]], deep[i].expand(len(x), -1, -1)], 1)
            x = block(x, tensors, f"visual.transformer.resblocks.{i}", sizes.vision.heads, sizes,
                      mask)
        x = layer_norm(x, tensors, "visual.ln_post", sizes.epsilon) @ tensors["visual.proj"]
        return x[:, own:] if read_only else x[:, 0]

    def frozen_images(self, pixels):
        return normalized(self.images(pixels))
