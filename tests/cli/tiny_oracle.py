"""The tiny model in NumPy, in double precision and as the papers write it."""

import numpy as np
from make_clip import hugging_face_tensors
from tiny_model import CLIP, MERGES, TOKENS


def normalized(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


class Oracle:
    def __init__(self, clip=CLIP):
        self.sizes = clip.sizes
        self.weights = {name: value.astype("f8")
                        for name, value in hugging_face_tensors(clip).items()}

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def act(self, x):
        if self.sizes.activation == "quick_gelu":
            return x / (1 + np.exp(-1.702 * x))
        from scipy.special import ndtr
        return x * ndtr(x)

    def attention(self, name, x, heads, causal):
        length, size = len(x), x.shape[1] // heads
        q, k, v = (self.linear(f"{name}.{letter}_proj", x).reshape(length, heads, size)
                   for letter in "qkv")
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(size)
        if causal:
            scores += np.triu(np.full((length, length), -np.inf), 1)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", weights, v).reshape(x.shape)
        return self.linear(f"{name}.out_proj", mixed)

    def blocks(self, tower, x, causal):
        sizes = getattr(self.sizes, tower)
        for i in range(sizes.layers):
            name = f"{tower}_model.encoder.layers.{i}"
            x = x + self.attention(f"{name}.self_attn", self.norm(f"{name}.layer_norm1", x),
                                   sizes.heads, causal)
            hidden = self.act(self.linear(f"{name}.mlp.fc1", self.norm(f"{name}.layer_norm2", x)))
            x = x + self.linear(f"{name}.mlp.fc2", hidden)
        return x

    def image(self, values):
        """The feature of [height, width, 3] bytes, as large as the model wants them."""
        embeddings = "vision_model.embeddings"
        x = (values / 255 - self.sizes.mean) / self.sizes.std
        side, patch = self.sizes.grid, self.sizes.patch
        x = x.transpose(2, 0, 1).reshape(3, side, patch, side, patch).transpose(1, 3, 0, 2, 4)
        kernel = self.weights[f"{embeddings}.patch_embedding.weight"]
        kernel = kernel.reshape(len(kernel), -1)
        x = x.reshape(side * side, -1) @ kernel.T
        x = np.vstack([self.weights[f"{embeddings}.class_embedding"], x])
        x = x + self.weights[f"{embeddings}.position_embedding.weight"]
        x = self.blocks("vision", self.norm("vision_model.pre_layrnorm", x), causal=False)
        x = self.norm("vision_model.post_layernorm", x[0])
        return x @ self.weights["visual_projection.weight"].T

    def logits(self, images, prompts):
        """Rows of images, columns of classes; `prompts` has the texts of each class."""
        features = normalized(np.array([self.image(image) for image in images]))
        classes = [np.mean([normalized(self.text(text)) for text in texts], 0) for texts in prompts]
        return np.exp(self.weights["logit_scale"]) * features @ normalized(np.array(classes)).T

    def text(self, text):
        """The feature of words of lower case, and full stops."""
        return self.text_of_ids(token_ids(text))

    def text_of_ids(self, ids):
        """The feature of token ids, read at the last."""
        embeddings = "text_model.embeddings"
        x = (self.weights[f"{embeddings}.token_embedding.weight"][ids]
             + self.weights[f"{embeddings}.position_embedding.weight"][:len(ids)])
        x = self.norm("text_model.final_layer_norm", self.blocks("text", x, causal=True)[-1])
        return x @ self.weights["text_projection.weight"].T


def token_ids(text):
    """Of words of lower case and full stops. The merges apply one after the other."""
    ids = [len(TOKENS) - 2]
    for word in text.replace(".", " .").split():
        parts = [*word[:-1], word[-1] + "</w>"]
        for left, right in (merge.split() for merge in MERGES):
            for at in range(len(parts) - 2, -1, -1):
                if parts[at:at + 2] == [left, right]:
                    parts[at:at + 2] = [left + right]
        ids += [TOKENS.index(part) for part in parts]
    return [*ids, len(TOKENS) - 1]
