"""Prompt learners as their papers and released programs define them: loss, gradient, inference.

A second writing, to hold the fast one against: plain PyTorch on prompts padded to the full length,
in the precision of the tensors, gradients by autograd. Nothing here is fast, and nothing comes from
the learners in C++. Features of images are given. r, the score of a test image, is larger for base.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from oracle_model import SELECT
from reference_clip import layer_norm, normalized, transformer, zeroshot_logits


class Batch(NamedTuple):
    features: torch.Tensor  # [b, embed], not normalised
    labels: torch.Tensor  # [b], of base classes
    local: torch.Tensor  # [b, positions, embed], not normalised


class Prediction(NamedTuple):
    base_logits: torch.Tensor  # [n, base names]
    new_logits: torch.Tensor  # [n, new names]; None where a method has none
    score: torch.Tensor  # [n], r


class TextTower:
    def __init__(self, clip, tokenize, dtype=torch.double):
        self.sizes, self.tokenize = clip.sizes, tokenize
        self.tensors = {name: torch.from_numpy(np.array(value)).to(dtype)
                        for name, value in clip.tensors.items()}
        self.scale = self.tensors["logit_scale"].exp()

    def embed(self, ids):
        return self.tensors["token_embedding.weight"][torch.tensor(ids, dtype=torch.long)]

    def encode(self, prompts):
        """Normalised features of prompts [length, width], without start and end of text."""
        first, last = self.sizes.vocabulary - 2, self.sizes.vocabulary - 1
        rows, ends = [], []
        for prompt in prompts:
            padded = [last] + [0] * (self.sizes.context - len(prompt) - 2)
            rows.append(torch.cat([self.embed([first]), prompt, self.embed(padded)]))
            ends.append(len(prompt) + 1)
        x = torch.stack(rows) + self.tensors["positional_embedding"]
        x = transformer(x, self.tensors, "transformer", self.sizes.text, self.sizes, causal=True)
        x = layer_norm(x, self.tensors, "ln_final", self.sizes.epsilon)
        return normalized(x[torch.arange(len(x)), ends] @ self.tensors["text_projection"])

    def texts(self, texts):
        return self.encode([self.embed(self.tokenize(text)) for text in texts])

    def names(self, names, context, position="end"):
        """Features of names after a context [n, width], or one for each name [names, n, width]."""
        if context.dim() == 2:
            context = context.expand(len(names), -1, -1)
        before = {"end": context.shape[1], "middle": context.shape[1] // 2, "front": 0}[position]
        stop = self.embed(self.tokenize("."))
        return self.encode([
            torch.cat([rows[:before], self.embed(self.tokenize(name)), rows[before:], stop])
            for name, rows in zip(names, context)])

    def logits(self, images, texts):
        return self.scale * normalized(images) @ texts.T

    def zero_shot(self, images, names, templates, ensemble="logits"):
        """Ensembles: "features" averages normalised features and normalises the average,
        "logits" averages logits."""
        features = torch.stack([self.texts([template.replace("{}", name) for name in names])
                                for template in templates], dim=1)
        return zeroshot_logits(self.tensors, images, features, ensemble)


def entropy(logits):
    return -(logits.softmax(-1) * logits.log_softmax(-1)).sum(-1)


def otsu(values, bins=256):
    """skimage's threshold_otsu: the centre of the bin after which the classes differ most."""
    values = values.detach().double().numpy()
    if (values == values[0]).all():
        return float(values[0])
    counts, edges = np.histogram(values, bins)
    centres = (edges[:-1] + edges[1:]) / 2
    best, threshold = -1.0, None
    for i in range(bins - 1):
        low, high = counts[:i + 1].sum(), counts[i + 1:].sum()
        mean_low = (counts * centres)[:i + 1].sum() / low
        mean_high = (counts * centres)[i + 1:].sum() / high
        variance = low * high * (mean_low - mean_high)**2
        # Bins without samples change nothing but the last digit; the first of them counts.
        if variance > best * (1 + 1e-12):
            best, threshold = variance, centres[i]
    return float(threshold)


class Partition:
    """Pseudo-base and pseudo-new classes of detector i of k."""

    def __init__(self, classes, k, i):
        self.base = [c for c in range(classes) if c % k != i]
        self.columns = list(self.base)
        self.size = math.ceil(classes * (k - 1) / k)
        if len(self.columns) < self.size:
            self.columns.append(i)  # a name to be as long as the others; its images stay pseudo-new
        assert len(self.columns) == self.size

    def labels(self, labels):
        """Columns of pseudo-base labels, -1 for pseudo-new ones."""
        return torch.tensor([self.base.index(y) if y in self.base else -1 for y in labels.tolist()])


class Learner:
    """What the others start from. Parameters are tensors by name."""
    DEFAULTS = {}

    def __init__(self, tower, base_names, new_names, templates, options=None, stage=0):
        self.tower, self.base, self.new, self.templates = tower, base_names, new_names, templates
        self.options = {**self.DEFAULTS, **(options or {})}
        unknown = set(self.options) - set(self.DEFAULTS)
        assert not unknown, f"options {unknown}"
        self.stage = stage

    def gradients(self, parameters, batch):
        """The loss and its gradient, zeros where it does not depend on a parameter."""
        leaves = {name: value.clone().requires_grad_() for name, value in parameters.items()}
        loss = self.loss(leaves, batch)
        found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        return loss.detach(), {name: torch.zeros_like(leaf) if gradient is None else gradient
                               for (name, leaf), gradient in zip(leaves.items(), found)}

    def max_base_probability(self, base_logits, new_logits):
        probabilities = torch.cat([base_logits, new_logits], 1).softmax(1)
        return probabilities[:, :len(self.base)].max(1).values


class ZeroShot(Learner):
    DEFAULTS = {"ensemble": "none"}

    def shapes(self):
        return {}

    def predict(self, parameters, images):
        ensemble = self.options["ensemble"]
        templates = self.templates[:1] if ensemble == "none" else self.templates
        base, new = (self.tower.zero_shot(images, names, templates, ensemble)
                     for names in (self.base, self.new))
        return Prediction(base, new, self.max_base_probability(base, new))


class CoOp(Learner):
    """Zhou et al., IJCV 2022: cross-entropy."""
    DEFAULTS = {"tokens": 16, "position": "end", "class_specific": False}

    def shapes(self):
        shape = [self.options["tokens"], self.tower.sizes.text.width]
        return {"context": [len(self.base), *shape] if self.options["class_specific"] else shape}

    def texts(self, names, parameters):
        return self.tower.names(names, parameters["context"], self.options["position"])

    def base_logits(self, parameters, images):
        return self.tower.logits(images, self.texts(self.base, parameters))

    def loss(self, parameters, batch):
        return cross_entropy(self.base_logits(parameters, batch.features), batch.labels)

    def predict(self, parameters, images):
        base = self.base_logits(parameters, images)
        if self.options["class_specific"]:
            return Prediction(base, None, None)  # no context belongs to a new name
        new = self.tower.logits(images, self.texts(self.new, parameters))
        return Prediction(base, new, self.max_base_probability(base, new))


class KgCoOp(CoOp):
    """Yao et al., CVPR 2023: the texts stay near those of a template."""
    DEFAULTS = {**CoOp.DEFAULTS, "tokens": 4, "weight": 8.0}

    def loss(self, parameters, batch):
        texts = self.texts(self.base, parameters)
        teacher = self.tower.texts([self.templates[0].replace("{}", name) for name in self.base])
        distance = 1 - (texts * teacher).sum(1).mean()
        logits = self.tower.logits(batch.features, texts)
        return cross_entropy(logits, batch.labels) + self.options["weight"] * distance


class ProGrad(CoOp):
    """Zhu et al., ICCV 2023: no step against the gradient towards the zero-shot probabilities."""
    DEFAULTS = {**CoOp.DEFAULTS, "lambda": 1.0, "temperature": 1.0}

    def general_loss(self, parameters, batch):
        t = self.options["temperature"]
        teacher = self.tower.zero_shot(batch.features, self.base, self.templates[:1])
        log_p = (self.base_logits(parameters, batch.features) / t).log_softmax(1)
        return -t * t * ((teacher / t).softmax(1) * log_p).sum(1).mean()

    def both_gradients(self, parameters, batch):
        loss, gradients = super().gradients(parameters, batch)
        leaf = parameters["context"].detach().clone().requires_grad_()
        general, = torch.autograd.grad(self.general_loss({"context": leaf}, batch), [leaf])
        return loss, gradients["context"], general

    def gradients(self, parameters, batch):
        """The gradient is the one of the step; the loss is the cross-entropy."""
        loss, g, q = self.both_gradients(parameters, batch)
        if (g * q).sum() < 0:
            unit = q / q.norm()
            g = g - self.options["lambda"] * (g * unit).sum() * unit
        return loss, {"context": g}


class LoCoOp(CoOp):
    """Miyai et al., NeurIPS 2023: positions that do not show the class should resemble no class."""
    DEFAULTS = {**CoOp.DEFAULTS, "lambda": 0.25, "top": None, "score": "msp"}

    def predict(self, parameters, images, patches):
        prediction = super().predict(parameters, images)
        if self.options["score"] == "msp":
            return prediction
        texts = self.texts(self.base, parameters)
        score = (normalized(images) @ texts.T).softmax(-1).max(-1).values  # MCM
        if self.options["score"] == "gl_mcm":
            score = score + (normalized(patches) @ texts.T).softmax(-1).flatten(1).max(1).values
        return prediction._replace(score=score)

    def loss(self, parameters, batch):
        texts = self.texts(self.base, parameters)
        logits = self.tower.logits(batch.features, texts)
        local = self.tower.logits(batch.local, texts)
        best = local.topk(self.options["top"] or max(1, len(self.base) // 5), dim=-1).indices
        outside = (best != batch.labels[:, None, None]).all(-1)
        regulariser = torch.zeros_like(logits[0, 0])
        if outside.any():
            p = local[outside].softmax(-1)
            regulariser = -(p * (p + 1e-5).log()).sum(-1).mean()
        return cross_entropy(logits, batch.labels) - self.options["lambda"] * regulariser


class WithDetectors(Learner):
    """What DeCoOp and GMoP share: detectors of pseudo-base classes."""

    def partitions(self):
        k = self.options["partitions"]
        return [Partition(len(self.base), k, i) for i in range(k)]

    def detector_context(self, parameters, i):
        return parameters[f"detector.{i}"]

    def detector_logits(self, parameters, i, images):
        """Over the columns of training."""
        names = [self.base[c] for c in self.partitions()[i].columns]
        texts = self.tower.names(names, self.detector_context(parameters, i))
        return self.tower.logits(images, texts)

    def detections(self, parameters, images, names):
        """[detectors, n]: the largest probability of a column of the detector, among all names."""
        result = []
        for i, partition in enumerate(self.partitions()):
            columns = [self.base[c] for c in partition.columns]
            columns += [name for name in names if name not in columns]
            texts = self.tower.names(columns, self.detector_context(parameters, i))
            probabilities = self.tower.logits(images, texts).softmax(1)
            result.append(probabilities[:, :partition.size].max(1).values)
        return torch.stack(result)


class DeCoOp(WithDetectors):
    """Zhou et al., ICML 2024. Stage 0 trains detectors, stage 1 a classifier for each."""
    DEFAULTS = {"partitions": 3, "margin": 0.4, "detector_tokens": 16, "classifier_tokens": 16}

    def shapes(self):
        width = self.tower.sizes.text.width
        return {f"{kind}.{i}": [self.options[f"{kind}_tokens"], width]
                for kind in ("detector", "classifier") for i in range(self.options["partitions"])}

    def margin(self, columns):
        if self.options["margin"] != "auto":
            return self.options["margin"]
        rest = 0.4 / (columns - 1)
        return math.log(columns) + 0.6 * math.log(0.6) + 0.4 * math.log(rest)

    def loss(self, parameters, batch):
        terms = self.detector_terms if self.stage == 0 else self.classifier_terms
        zero = torch.zeros_like(batch.features[0, 0])
        return sum(terms(parameters, batch), zero) / self.options["partitions"]

    def detector_terms(self, parameters, batch):
        for i, partition in enumerate(self.partitions()):
            logits = self.detector_logits(parameters, i, batch.features)
            labels = partition.labels(batch.labels)
            inside, outside = logits[labels >= 0], logits[labels < 0]
            if len(inside):
                yield cross_entropy(inside, labels[labels >= 0])
            if len(inside) and len(outside):
                gap = entropy(inside).mean() - entropy(outside).mean()
                yield (self.margin(partition.size) + gap).clamp(min=0)

    def threshold(self, parameters, images):
        """images are those of the training set."""
        return min(otsu(q) for q in self.detections(parameters, images, self.base))

    def classifier_terms(self, parameters, batch):
        with torch.no_grad():
            detections = self.detections(parameters, batch.features, self.base)
            threshold = self.threshold(parameters, batch.features)
            zero_shot = self.tower.zero_shot(batch.features, self.base, SELECT).softmax(1)
        for i, q in enumerate(detections):
            texts = self.tower.names(self.base, parameters[f"classifier.{i}"])
            logits = self.tower.logits(batch.features, texts)
            inside = q >= threshold
            if inside.any():
                yield cross_entropy(logits[inside], batch.labels[inside])
            if not inside.all():
                p, target = logits[~inside].log_softmax(1), zero_shot[~inside]
                yield (target * (target.log() - p)).sum(1).mean()

    def predict(self, parameters, images, threshold):
        names = self.base + self.new
        detections = self.detections(parameters, images, names)
        logits = self.tower.zero_shot(images, names, SELECT)
        classified = torch.zeros_like(logits)
        for i, q in enumerate(detections):
            texts = self.tower.names(names, parameters[f"classifier.{i}"])
            classified += (q >= threshold)[:, None] * self.tower.logits(images, texts)
        score = detections.max(0).values
        logits = torch.where((score >= threshold)[:, None], classified / len(detections), logits)
        return Prediction(logits[:, :len(self.base)], logits[:, len(self.base):], score)


class GMoP(WithDetectors):
    """Hua et al., ICML 2025: pairs of pseudo-base and pseudo-new images, weighted by gates."""
    DEFAULTS = {"partitions": 3, "gate": "sigmoid", "detach": False, "alpha": 0.5, "lambda": 1.0,
                "detector_tokens": 16, "classifier_tokens": 4, "new": "zero_shot", "single": False,
                "zero_shot": "single"}

    def shapes(self):
        width = self.tower.sizes.text.width
        detector = [self.options["detector_tokens"], width]
        classifier = [self.options["classifier_tokens"], width]
        if self.options["single"]:
            return {"prompt": detector}
        result = {f"detector.{i}": detector for i in range(self.options["partitions"])}
        result["classifier"] = classifier
        if self.options["new"] == "trained":
            result["new_classifier"] = classifier
        return result

    def detector_context(self, parameters, i):
        return parameters["prompt" if self.options["single"] else f"detector.{i}"]

    def base_classifier(self, parameters, images):
        """g over base names."""
        context = parameters["prompt" if self.options["single"] else "classifier"]
        return self.tower.logits(images, self.tower.names(self.base, context))

    def new_classifier(self, parameters, images, names):
        """h over the given names."""
        if self.options["single"] or self.options["new"] == "trained":
            context = parameters["prompt" if self.options["single"] else "new_classifier"]
            return self.tower.logits(images, self.tower.names(names, context))
        ensemble = self.options["zero_shot"] == "ensemble"
        return self.tower.zero_shot(images, names, SELECT if ensemble else self.templates)

    def gate(self, logits, labels):
        rows = torch.arange(len(labels))
        return {"sigmoid": lambda: logits.softmax(1)[rows, labels].sigmoid(),
                "logit": lambda: logits[rows, labels].sigmoid(),
                "zero_one": lambda: (logits.argmax(1) == labels).to(logits.dtype),
                "none": lambda: torch.ones_like(logits[:, 0])}[self.options["gate"]]()

    def gates(self, g, h, labels):
        """Of g for pseudo-base images and, never differentiated, of h for pseudo-new ones."""
        g_gate = self.gate(g, labels)
        return g_gate.detach() if self.options["detach"] else g_gate, self.gate(h, labels).detach()

    def pair_loss(self, logits, inside, g_gate, h_gate):
        rho = logits.softmax(1).max(1).values
        weights = g_gate[inside][:, None] * h_gate[~inside][None, :]
        gaps = rho[inside][:, None] - rho[~inside][None, :]
        return (weights * (1 - gaps)**2).mean()

    def loss(self, parameters, batch):
        g = self.base_classifier(parameters, batch.features)
        h = self.new_classifier(parameters, batch.features, self.base)
        loss = cross_entropy(g, batch.labels)
        if self.options["new"] == "trained" and not self.options["single"]:
            loss = loss + cross_entropy(h, batch.labels)
        g_gate, h_gate = self.gates(g, h, batch.labels)
        for i, partition in enumerate(self.partitions()):
            labels = partition.labels(batch.labels)
            inside = labels >= 0
            if inside.all() or not inside.any():
                continue
            logits = self.detector_logits(parameters, i, batch.features)
            warm = cross_entropy(logits[inside], labels[inside])
            pairs = self.pair_loss(logits, inside, g_gate, h_gate)
            terms = self.options["alpha"] * warm + self.options["lambda"] * pairs
            loss = loss + terms / self.options["partitions"]
        return loss

    def predict(self, parameters, images):
        score = self.detections(parameters, images, self.base + self.new).max(0).values
        return Prediction(self.base_classifier(parameters, images),
                          self.new_classifier(parameters, images, self.new), score)


LEARNERS = {"zero-shot": ZeroShot, "coop": CoOp, "kgcoop": KgCoOp, "prograd": ProGrad,
            "locoop": LoCoOp, "decoop": DeCoOp, "gmop": GMoP}
