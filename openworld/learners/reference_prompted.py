"""The nine learners after those of reference_learners.py, as their papers and released programs
define them: prompts in both towers, prompts per image, patches, heads. The same rules hold: plain
PyTorch on full sequences, gradients by autograd, nothing from the learners in C++."""

import math

import torch
from torch.nn.functional import cross_entropy

from oracle_model import SELECT
from reference_clip import normalized
from reference_learners import Learner, Prediction
from reference_random import Random, mix64
from reference_towers import Towers

PLAIN = "a photo of a"
SEED = 1  # of the C++ side, for what is drawn at random


def name_of(image_or_text, part):
    return f"{image_or_text}_channels.{part}"


class Prompted(Learner):
    """Logits over names from `logits`, the maximum softmax probability as score."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.towers = Towers(self.tower)
        self.scale = self.tower.scale

    def width(self):
        return self.tower.sizes.text.width

    def vision_width(self):
        return self.tower.sizes.vision.width

    def rest(self):
        """Tokens of the words that the context does not take the place of."""
        return self.tower.tokenize(PLAIN)[self.options["tokens"]:] if self.options["init"] else []

    def sentences(self, names, template=None):
        template = template or self.templates[0]
        return normalized(torch.stack(
            [self.towers.prompt(self.tower.embed([]), [], template.replace("{}", name))
             for name in names]))

    def loss(self, parameters, batch):
        return cross_entropy(self.logits(parameters, batch, self.base), batch.labels)

    def predict(self, parameters, tests):
        """tests is a Batch without labels."""
        logits = self.logits(parameters, tests, self.base + self.new)
        base, new = logits[:, :len(self.base)], logits[:, len(self.base):]
        return Prediction(base, new, self.max_base_probability(base, new))


class CoCoOp(Prompted):
    """Zhou et al., CVPR 2022."""
    DEFAULTS = {"tokens": 4, "hidden": 0, "position": "end"}

    def shapes(self):
        embed, width = self.tower.sizes.embed, self.width()
        hidden = self.options["hidden"] or max(1, embed // 16)
        return {"context": [self.options["tokens"], width],
                "meta_net.linear1.weight": [hidden, embed], "meta_net.linear1.bias": [hidden],
                "meta_net.linear2.weight": [width, hidden], "meta_net.linear2.bias": [width]}

    def shift(self, p, feature):
        hidden = p["meta_net.linear1.weight"] @ feature + p["meta_net.linear1.bias"]
        return p["meta_net.linear2.weight"] @ hidden.clamp(min=0) + p["meta_net.linear2.bias"]

    def logits(self, parameters, batch, names):
        rows = []
        for feature in normalized(batch.features):
            context = parameters["context"] + self.shift(parameters, feature)
            texts = self.tower.names(names, context, self.options["position"])
            rows.append(self.scale * texts @ feature)
        return torch.stack(rows)


class VPT(Prompted):
    """Jia et al., ECCV 2022, on CLIP as released with MaPLe."""
    DEFAULTS = {"tokens": 8, "depth": 0, "sentence": "plain"}

    def depth(self):
        return self.options["depth"] or min(12, self.tower.sizes.vision.layers)

    def shapes(self):
        rows = [self.options["tokens"], self.vision_width()]
        deep = {"visual_deep": [self.depth() - 1, *rows]} if self.depth() > 1 else {}
        return {"visual": rows, **deep}

    def logits(self, parameters, batch, names):
        deep = {i + 1: rows for i, rows in enumerate(parameters.get("visual_deep", []))}
        images = normalized(self.towers.images(batch.pixels, parameters["visual"], deep))
        template = PLAIN + " {}." if self.options["sentence"] == "plain" else None
        return self.scale * images @ self.sentences(names, template).T


class MaPLe(Prompted):
    """Khattak et al., CVPR 2023."""
    DEFAULTS = {"tokens": 2, "init": "", "depth": 0}

    def depth(self):
        sizes = self.tower.sizes
        return self.options["depth"] or min(9, sizes.text.layers, sizes.vision.layers)

    def shapes(self):
        tokens, width, vision = self.options["tokens"], self.width(), self.vision_width()
        later = self.depth() - 1
        result = {"context": [tokens, width], "proj.weight": [vision, width],
                  "proj.bias": [vision]}
        if later:
            result.update({"deep": [later, tokens, width],
                           "deep_proj.weight": [later, vision, width],
                           "deep_proj.bias": [later, vision]})
        return result

    def texts(self, parameters, names):
        deep = {i + 1: rows for i, rows in enumerate(parameters.get("deep", []))}
        return normalized(torch.stack([
            self.towers.prompt(parameters["context"], self.rest(), name + ".", deep)
            for name in names]))

    def logits(self, parameters, batch, names):
        p = parameters
        visual = p["context"] @ p["proj.weight"].T + p["proj.bias"]
        deep = {i + 1: p["deep"][i] @ p["deep_proj.weight"][i].T + p["deep_proj.bias"][i]
                for i in range(self.depth() - 1)}
        images = normalized(self.towers.images(batch.pixels, visual, deep))
        return self.scale * images @ self.texts(parameters, names).T


class PromptSRC(MaPLe):
    """Khattak et al., ICCV 2023: independent prompts, three ties to the frozen model."""
    DEFAULTS = {"tokens": 4, "visual_tokens": 4, "init": "", "depth": 0, "text_weight": 25.0,
                "image_weight": 10.0, "logits_weight": 1.0, "teacher": "ensemble",
                "gpa_mean": 0.0, "gpa_std": 1.0}

    def depth(self):
        return self.options["depth"] or 3  # of both towers of the oracle's model

    def shapes(self):
        tokens, visual = self.options["tokens"], self.options["visual_tokens"]
        result = {"context": [tokens, self.width()], "visual": [visual, self.vision_width()]}
        if self.depth() > 1:
            result["deep"] = [self.depth() - 1, tokens, self.width()]
            result["visual_deep"] = [self.depth() - 1, visual, self.vision_width()]
        return result

    def image_features(self, parameters, batch):
        deep = {i + 1: rows for i, rows in enumerate(parameters.get("visual_deep", []))}
        return normalized(self.towers.images(batch.pixels, parameters["visual"], deep))

    def logits(self, parameters, batch, names):
        return self.scale * self.image_features(parameters, batch) @ self.texts(
            parameters, names).T

    def teacher(self):
        templates = SELECT if self.options["teacher"] == "ensemble" else self.templates
        empty = self.tower.embed([])
        features = [[self.towers.prompt(empty, [], template.replace("{}", name))
                     for name in self.base] for template in templates]
        return normalized(torch.stack([torch.stack(row) for row in features]).mean(0))

    def loss(self, parameters, batch):
        f, g = self.image_features(parameters, batch), self.texts(parameters, self.base)
        with torch.no_grad():
            frozen, teacher = self.towers.frozen_images(batch.pixels), self.teacher()
            target = (self.scale * frozen @ teacher.T).softmax(1)
        logits = self.scale * f @ g.T
        divergence = (target * (target.log() - logits.log_softmax(1))).sum() / logits.numel()
        return (cross_entropy(logits, batch.labels)
                + self.options["text_weight"] * (g - teacher).abs().mean()
                + self.options["image_weight"] * (f - frozen).abs().mean()
                + self.options["logits_weight"] * divergence)

    def epoch_weights(self, epochs):
        mean = self.options["gpa_mean"] or 0.75 * epochs
        weights = [math.exp(-((e - mean) / self.options["gpa_std"])**2 / 2)
                   for e in range(1, epochs + 1)]
        return [weight / sum(weights) for weight in weights]


class RPO(Prompted):
    """Lee et al., ICCV 2023: read-only rows."""
    DEFAULTS = {"tokens": 24, "sentence": "plain"}

    def shapes(self):
        tokens = self.options["tokens"]
        return {"text": [tokens, self.width()], "visual": [tokens, self.vision_width()]}

    def logits(self, parameters, batch, names):
        template = PLAIN + " {}." if self.options["sentence"] == "plain" else self.templates[0]
        images = normalized(self.towers.images(batch.pixels, parameters["visual"], read_only=True))
        texts = normalized(torch.stack([
            self.towers.read_only_text(template.replace("{}", name), parameters["text"])
            for name in names]))
        return self.scale * torch.einsum("bke,cke->bck", images, texts).mean(-1)


class ProDA(Prompted):
    """Lu et al., CVPR 2022, with the divisor of its public ports."""
    DEFAULTS = {"tokens": 16, "prompts": 32, "prompt_batch": 4, "lambda": 0.1, "divisor": "ports"}

    def shapes(self):
        return {"context": [self.options["prompts"], self.options["tokens"], self.width()]}

    def position(self, k):
        n = self.options["prompts"]
        return "front" if k < n // 4 else "middle" if k < n // 2 else "end"

    def texts(self, parameters, names, contexts):
        return torch.stack([self.tower.names(names, parameters["context"][k], self.position(k))
                            for k in contexts])

    def chosen(self, step):
        n, count = self.options["prompts"], self.options["prompt_batch"]
        turn = step % (n // count)
        order = Random(mix64(SEED ^ 3000017), step // (n // count)).shuffled(n)
        return order[turn * count:(turn + 1) * count]

    def loss(self, parameters, batch):
        w = self.texts(parameters, self.base, self.chosen(batch.step))
        k, classes = w.shape[:2]
        mean = w.mean(0)
        d = w - mean
        f = normalized(batch.features)
        divisor = k + 1 if self.options["divisor"] == "ports" else k - 1
        logits = []
        for image, label in zip(f, batch.labels):
            a = torch.einsum("j,kcj,kdj->cd", image**2, d, d) / divisor
            sigma = a[label, label] + a.diagonal() - 2 * a[label]
            logits.append(self.scale * mean @ image + self.scale**2 / 2 * sigma)
        return (cross_entropy(torch.stack(logits), batch.labels)
                + self.options["lambda"] * self.overlaps(parameters).abs().mean())

    def overlaps(self, parameters):
        """Cosines of pairs of contexts without a name."""
        stop = self.tower.tokenize(".")
        u = normalized(torch.stack([
            self.towers.prompt(context, stop, "") for context in parameters["context"]]))
        return torch.stack([u[i] @ u[j] for i in range(len(u)) for j in range(len(u)) if i != j])

    def logits(self, parameters, batch, names):
        mean = self.texts(parameters, names, range(self.options["prompts"])).mean(0)
        return self.scale * normalized(batch.features) @ mean.T


class TCP(Prompted):
    """Yao et al., CVPR 2024: rows from the class's own sentence."""
    DEFAULTS = {"tokens": 4, "weight": 8.0, "block": 0, "hidden": 0}

    def shapes(self):
        embed, width, tokens = self.tower.sizes.embed, self.width(), self.options["tokens"]
        hidden = self.options["hidden"] or max(1, embed // 4)
        return {"context": [tokens, width], "meta_net.linear1.weight": [hidden, embed],
                "meta_net.linear1.bias": [hidden],
                "meta_net.linear2.weight": [tokens * width, hidden],
                "meta_net.linear2.bias": [tokens * width]}

    def texts(self, p, names):
        teacher = self.sentences(names)
        inner = teacher @ p["meta_net.linear1.weight"].T + p["meta_net.linear1.bias"]
        inner = inner * torch.sigmoid(1.702 * inner)
        made = inner @ p["meta_net.linear2.weight"].T + p["meta_net.linear2.bias"]
        block = self.options["block"] or self.tower.sizes.text.layers * 2 // 3
        tail = self.templates[0].partition("{}")[2]
        texts = torch.stack([
            self.towers.prompt(p["context"], [], name + tail,
                               {block: rows.reshape(self.options["tokens"], -1)})
            for name, rows in zip(names, made)])
        return normalized(texts), teacher

    def loss(self, parameters, batch):
        texts, teacher = self.texts(parameters, self.base)
        logits = self.scale * normalized(batch.features) @ texts.T
        distance = 1 - (texts * teacher).sum(1).mean()
        return cross_entropy(logits, batch.labels) + self.options["weight"] * distance

    def logits(self, parameters, batch, names):
        return self.scale * normalized(batch.features) @ self.texts(parameters, names)[0].T


class GalLoP(Prompted):
    """Lafon et al., ECCV 2024: batch.local are states of patches before the projection."""
    DEFAULTS = {"tokens": 4, "global_prompts": 4, "local_prompts": 4, "patches": 5,
                "patches_step": 5, "dropout": 0.75, "score": "msp"}

    def shapes(self):
        rows, vision = [self.options["tokens"], self.width()], self.vision_width()
        return {"global": [self.options["global_prompts"], *rows],
                "local": [self.options["local_prompts"], *rows], "local_proj": [vision, vision]}

    def texts(self, context, names):
        return normalized(torch.stack([self.towers.prompt(context, [], name) for name in names]))

    def global_cosines(self, parameters, batch, names):
        """[n, names, prompts]"""
        f = normalized(batch.features)
        return torch.stack([f @ self.texts(c, names).T for c in parameters["global"]], -1)

    def local_cosines(self, parameters, batch, names):
        projection = self.tower.tensors["visual.proj"]
        v = normalized(batch.local @ parameters["local_proj"].T @ projection)
        result = []
        for m, context in enumerate(parameters["local"]):
            k = min(self.options["patches"] + m * self.options["patches_step"], v.shape[1])
            cosines = v @ self.texts(context, names).T
            result.append(cosines.sort(1, descending=True).values[:, :k].mean(1))
        return torch.stack(result, -1)

    def kept(self, images, step):
        prompts = self.options["global_prompts"]
        kept = prompts - int(self.options["dropout"] * prompts)
        if kept == prompts:
            return torch.arange(prompts).expand(images, -1)
        random = Random(mix64(SEED ^ 4000037), step)
        return torch.tensor([[random.below(prompts) for _ in range(kept)] for _ in range(images)])

    def loss(self, parameters, batch):
        local = self.local_cosines(parameters, batch, self.base)
        whole = self.global_cosines(parameters, batch, self.base)
        of_patches = sum(cross_entropy(self.scale * local[..., m], batch.labels)
                         for m in range(local.shape[-1])) / local.shape[-1]
        kept = self.kept(len(whole), batch.step)
        terms = [cross_entropy(self.scale * whole[b, :, m][None], batch.labels[b][None])
                 for b in range(len(whole)) for m in kept[b]]
        return of_patches + sum(terms) / len(terms)

    def predict(self, parameters, tests):
        names = self.base + self.new
        whole = self.global_cosines(parameters, tests, names).mean(-1)
        local = self.local_cosines(parameters, tests, names).mean(-1)
        logits = self.scale * (whole + local) / 2
        n = len(self.base)
        score = self.max_base_probability(logits[:, :n], logits[:, n:])
        if self.options["score"] != "msp":
            score = whole[:, :n].softmax(1).max(1).values
        if self.options["score"] == "gl_mcm":
            score = score + local[:, :n].softmax(1).max(1).values
        return Prediction(logits[:, :n], logits[:, n:], score)


class DePT(Prompted):
    """Zhang et al., CVPR 2024, on KgCoOp, CoOp or CoCoOp. Features are not normalised."""
    DEFAULTS = {"tokens": 4, "on": "kgcoop", "head": 0.7, "weight": 2.0, "hidden": 0,
                "head_lr": 6.5, "score": "fused"}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.conditional = None
        if self.options["on"] == "cocoop":
            options = {"tokens": self.options["tokens"], "hidden": self.options["hidden"]}
            self.conditional = CoCoOp(self.tower, self.base, self.new, self.templates, options)

    def shapes(self):
        embed = self.tower.sizes.embed
        own = (self.conditional.shapes() if self.conditional
               else {"context": [self.options["tokens"], self.width()]})
        channels = {name_of(side, part): [embed] for side in ("image", "text")
                    for part in ("scale", "shift")}
        return {**own, "head.weight": [len(self.base), embed], "head.bias": [len(self.base)],
                **channels}

    def texts(self, parameters, batch, names):
        """[n, names, embed], not normalised, of every image."""
        contexts = [parameters["context"]] * len(batch.features)
        if self.conditional:
            contexts = [parameters["context"] + self.conditional.shift(parameters, feature)
                        for feature in normalized(batch.features)]
        else:
            texts = torch.stack([self.towers.prompt(contexts[0], [], name + ".")
                                 for name in names])
            return texts.expand(len(batch.features), -1, -1)
        return torch.stack([torch.stack([self.towers.prompt(context, [], name + ".")
                                         for name in names]) for context in contexts])

    def channels(self, parameters, side, features):
        return features * parameters[name_of(side, "scale")] + parameters[name_of(side, "shift")]

    def head(self, parameters, features):
        return features @ parameters["head.weight"].T + parameters["head.bias"]

    def cosines(self, texts, batch):
        return self.scale * torch.einsum("nce,ne->nc", normalized(texts),
                                         normalized(batch.features))

    def loss(self, parameters, batch):
        texts = self.texts(parameters, batch, self.base)
        rows = torch.arange(len(batch.labels))
        both = torch.cat([self.channels(parameters, "text", texts[rows, batch.labels]),
                          self.channels(parameters, "image", batch.features)])
        labels = torch.cat([batch.labels, batch.labels])
        share = self.options["head"]
        loss = ((1 - share) * cross_entropy(self.cosines(texts, batch), batch.labels)
                + share * cross_entropy(self.head(parameters, both), labels))
        if self.options["on"] == "kgcoop":
            close = (normalized(texts[0]) * self.sentences(self.base)).sum(1).mean()
            loss = loss + self.options["weight"] * (1 - close)
        return loss

    def predict(self, parameters, tests):
        cosines = self.cosines(self.texts(parameters, tests, self.base + self.new), tests)
        n, share = len(self.base), self.options["head"]
        head = self.head(parameters, self.channels(parameters, "image", tests.features))
        base, new = (1 - share) * cosines[:, :n] + share * head, cosines[:, n:]
        scored = cosines[:, :n] if self.options["score"] == "cosines" else base
        return Prediction(base, new, self.max_base_probability(scored, new))


PROMPTED = {"cocoop": CoCoOp, "vpt": VPT, "maple": MaPLe, "promptsrc": PromptSRC, "rpo": RPO,
            "proda": ProDA, "tcp": TCP, "gallop": GalLoP, "dept": DePT}
