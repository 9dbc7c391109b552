"""The prompt learners in PyTorch as their authors train them, at ViT-B/16 size with random weights: the
rivals of benchmarks/tune.py.

nn.MultiheadAttention, prompts padded to 77 tokens, autograd through frozen weights, torch's optimisers.
They are spared what a careful user would spare them: features of images and of frozen prompts are
computed once where the method does not change them. A method is a module whose forward(batch) is its
loss; BATCHES has the batch sizes of the released code.
"""

from typing import NamedTuple

from clip import CONTEXT, EMBED, END, PLACEHOLDER, START, STOP, WIDTH, TextTower, VisionTower, \
    name_tokens, prompt_ids
import torch
from torch import nn
from torch.nn.functional import cross_entropy, kl_div, log_softmax, normalize

PARTITIONS, SCALE, VISION = 3, 100, 768
PHOTO = [320, 1125, 539, 320]  # a photo of a
BATCHES = {"coop": 32, "kgcoop": 128, "prograd": 32, "locoop": 32, "cocoop": 1, "proda": 32, "vpt": 4,
           "maple": 4, "promptsrc": 4, "rpo": 4, "tcp": 32, "gallop": 32, "dept": 4, "decoop": 32,
           "gmop": 32}
WITH_PIXELS = ("vpt", "maple", "promptsrc", "rpo")


class Batch(NamedTuple):
    images: torch.Tensor  # normalised features
    labels: torch.Tensor
    local: torch.Tensor  # patches: normalised features, or states for GalLoP
    pixels: torch.Tensor


class Towers:
    def __init__(self, method, classes, layers):
        self.text = TextTower(layers)
        self.vision = VisionTower() if method in WITH_PIXELS else None
        self.classes = classes

    def sentences(self, classes=None):
        ids, ends = prompt_ids([[START, *PHOTO, *name_tokens(c), STOP, END]
                                for c in classes or range(self.classes)])
        with torch.no_grad():
            return normalize(self.text(self.text.tokens[ids], ends))


class Prompts:
    """Names after a context of so many rows, padded; at the end, in the middle or in front."""

    def __init__(self, tower, classes, tokens, position="end", stop=(STOP,)):
        self.tower, self.tokens = tower, tokens
        names = [name_tokens(c) if c is not None else [] for c in classes]
        before = {"end": tokens, "middle": tokens // 2, "front": 0}[position]
        self.before = before
        prompts = [[START] + [PLACEHOLDER] * tokens + name + [*stop, END] for name in names]
        ids, self.ends = prompt_ids(prompts)
        embedded = tower.tokens[ids]
        self.prefix, self.suffix = embedded[:, :1].clone(), embedded[:, 1 + tokens:].clone()
        self.lengths = [len(name) for name in names]

    def rows(self, context):
        """context [tokens, width], or of every prompt."""
        if context.dim() == 2:
            context = context.expand(len(self.prefix), -1, -1)
        if self.before == self.tokens:
            return torch.cat([self.prefix, context, self.suffix], 1)
        parts = []
        for i, length in enumerate(self.lengths):
            parts.append(torch.cat([self.prefix[i], context[i, :self.before], self.suffix[i, :length],
                                    context[i, self.before:], self.suffix[i, length:]]))
        return torch.stack(parts)

    def __call__(self, context):
        return self.tower(self.rows(context), self.ends)


def rows_of(*shape):
    return nn.Parameter(torch.empty(*shape).normal_(std=0.02))


class Method(nn.Module):
    def __init__(self, towers):
        super().__init__()
        self.towers, self.all = towers, range(towers.classes)

    def step(self, batch):
        """Leaves the gradient in the parameters."""
        loss = self(batch)
        loss.backward()
        return loss

    def optimisers(self):
        return [torch.optim.SGD(self.parameters(), lr=0.002, momentum=0.9, weight_decay=5e-4)]


class CoOp(Method):
    TOKENS = 16

    def __init__(self, towers):
        super().__init__(towers)
        self.context = rows_of(self.TOKENS, WIDTH)
        self.prompts = Prompts(towers.text, self.all, self.TOKENS)

    def logits(self, images):
        return SCALE * images @ normalize(self.prompts(self.context)).t()

    def forward(self, batch):
        return cross_entropy(self.logits(batch.images), batch.labels)


class KgCoOp(CoOp):
    TOKENS = 4

    def __init__(self, towers):
        super().__init__(towers)
        self.teacher = towers.sentences()

    def forward(self, batch):
        texts = normalize(self.prompts(self.context))
        away = 1 - (texts * self.teacher).sum(1).mean()
        return cross_entropy(SCALE * batch.images @ texts.t(), batch.labels) + 8 * away


class ProGrad(CoOp):
    def __init__(self, towers):
        super().__init__(towers)
        self.teacher = towers.sentences()

    def step(self, batch):
        logits = self.logits(batch.images)
        target = (SCALE * batch.images @ self.teacher.t()).softmax(1)
        own = cross_entropy(logits, batch.labels)
        general = -(target * logits.log_softmax(1)).sum(1).mean()
        general.backward(retain_graph=True)
        q = self.context.grad.clone()
        self.context.grad = None
        own.backward()
        g = self.context.grad
        if (g * q).sum() < 0:
            unit = q / q.norm()
            self.context.grad = g - (g * unit).sum() * unit
        return own


class LoCoOp(CoOp):
    def forward(self, batch):
        texts = normalize(self.prompts(self.context))
        local = SCALE * batch.local @ texts.t()
        outside = (local.topk(len(texts) // 5, -1).indices != batch.labels[:, None, None]).all(-1)
        p = local[outside].softmax(-1)
        entropy = -(p * (p + 1e-5).log()).sum(-1).mean()
        return cross_entropy(SCALE * batch.images @ texts.t(), batch.labels) - 0.25 * entropy


class CoCoOp(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.context = rows_of(4, WIDTH)
        self.net = nn.Sequential(nn.Linear(EMBED, 32), nn.ReLU(), nn.Linear(32, WIDTH))
        self.prompts = Prompts(towers.text, self.all, 4)

    def forward(self, batch):
        logits = []
        for image, shift in zip(batch.images, self.net(batch.images)):
            texts = normalize(self.prompts(self.context + shift))
            logits.append(SCALE * image @ texts.t())
        return cross_entropy(torch.stack(logits), batch.labels)


class ProDA(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.context = rows_of(32, 16, WIDTH)
        positions = ["front"] * 8 + ["middle"] * 8 + ["end"] * 16
        lists = {p: Prompts(towers.text, self.all, 16, p) for p in set(positions)}
        self.prompts = [lists[p] for p in positions]
        self.nameless = Prompts(towers.text, [None] * 32, 16)

    def forward(self, batch):
        chosen = torch.randperm(32)[:4].tolist()
        w = normalize(torch.stack([self.prompts[k](self.context[k]) for k in chosen]), dim=-1)
        mean = w.mean(0)
        d = w - mean
        covariance = torch.einsum("kcj,kdj->cdj", d, d) / 5
        a = torch.einsum("bj,cdj->bcd", batch.images**2, covariance)
        y, rows = batch.labels, torch.arange(len(batch.labels))
        sigma = a[rows, y, y][:, None] + a.diagonal(dim1=1, dim2=2) - 2 * a[rows, y]
        u = normalize(self.nameless(self.context))
        overlap = ((u @ u.t()).abs() * (1 - torch.eye(32))).sum() / (32 * 31)
        logits = SCALE * batch.images @ mean.t() + SCALE**2 / 2 * sigma
        return cross_entropy(logits, y) + 0.1 * overlap


def image_features(tower, pixels, prompts, deep=(), read_only=False):
    """As the released code: rows after the patches, replaced at later blocks."""
    x = tower.conv1(pixels).flatten(2).permute(0, 2, 1)
    x = torch.cat([tower.class_embedding.expand(len(x), 1, -1), x], 1) + tower.positions
    own, count = x.shape[1], prompts.shape[0]
    x = torch.cat([x, prompts.expand(len(x), -1, -1)], 1)
    x = tower.ln_pre(x).permute(1, 0, 2)
    mask = None
    if read_only:
        mask = torch.zeros(own + count, own + count)
        mask[:, own:] = float("-inf")
    for i, block in enumerate(tower.blocks):
        if 0 < i <= len(deep):
            rows = deep[i - 1][:, None].expand(-1, x.shape[1], -1)
            x = torch.cat([x[:-count], rows], 0)
        y = block.ln_1(x)
        x = x + block.attn(y, y, y, need_weights=False, attn_mask=mask)[0]
        x = x + block.mlp(block.ln_2(x))
    x = x.permute(1, 0, 2)
    read = x[:, own:] if read_only else x[:, 0]
    return normalize(tower.ln_post(read) @ tower.projection, dim=-1)


def text_features(tower, rows, ends, deep=(), read=None, mask=None):
    """deep[i] replaces positions 1, 2, ... before block i + 1."""
    x = (rows if read is not None else rows + tower.positions).permute(1, 0, 2)
    for i, block in enumerate(tower.blocks):
        if 0 < i <= len(deep) and deep[i - 1] is not None:
            new = deep[i - 1]
            new = new[:, None].expand(-1, x.shape[1], -1) if new.dim() == 2 else new.permute(1, 0, 2)
            x = torch.cat([x[:1], new, x[1 + len(new):]], 0)
        y = block.ln_1(x)
        if mask is None:
            x = x + block.attn(y, y, y, need_weights=False, attn_mask=block.mask)[0]
        else:
            x = x + block.attn(y, y, y, need_weights=False, attn_mask=mask)[0]
        x = x + block.mlp(block.ln_2(x))
    x = tower.ln_final(x.permute(1, 0, 2))
    if read is not None:
        return x
    return x[torch.arange(len(ends)), ends] @ tower.projection


class VPT(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.first, self.deep = rows_of(8, VISION), rows_of(11, 8, VISION)
        self.texts = towers.sentences()

    def forward(self, batch):
        f = image_features(self.towers.vision, batch.pixels, self.first, self.deep)
        return cross_entropy(SCALE * f @ self.texts.t(), batch.labels)


class MaPLe(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.context, self.deep = rows_of(2, WIDTH), nn.ParameterList([rows_of(2, WIDTH) for _ in range(8)])
        self.maps = nn.ModuleList([nn.Linear(WIDTH, VISION) for _ in range(9)])
        self.prompts = Prompts(towers.text, self.all, 2, stop=(STOP,))

    def forward(self, batch):
        visual = [layer(rows) for layer, rows in zip(self.maps, [self.context, *self.deep])]
        f = image_features(self.towers.vision, batch.pixels, visual[0], visual[1:])
        g = normalize(text_features(self.towers.text, self.prompts.rows(self.context),
                                    self.prompts.ends, list(self.deep)))
        return cross_entropy(SCALE * f @ g.t(), batch.labels)


class PromptSRC(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.context, self.deep = rows_of(4, WIDTH), rows_of(8, 4, WIDTH)
        self.first, self.later = rows_of(4, VISION), rows_of(8, 4, VISION)
        self.prompts = Prompts(towers.text, self.all, 4)
        self.teacher = towers.sentences()

    def forward(self, batch):
        f = image_features(self.towers.vision, batch.pixels, self.first, self.later)
        g = normalize(text_features(self.towers.text, self.prompts.rows(self.context),
                                    self.prompts.ends, list(self.deep)))
        with torch.no_grad():
            frozen = normalize(self.towers.vision(batch.pixels))
        logits, target = SCALE * f @ g.t(), SCALE * frozen @ self.teacher.t()
        kl = kl_div(log_softmax(logits, 1), log_softmax(target, 1), reduction="sum", log_target=True)
        return (cross_entropy(logits, batch.labels) + 25 * (g - self.teacher).abs().mean()
                + 10 * (f - frozen).abs().mean() + kl / logits.numel())


class RPO(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.text, self.visual = rows_of(24, WIDTH), rows_of(24, VISION)
        ids, self.ends = prompt_ids([[START, *PHOTO, *name_tokens(c), STOP, END] for c in self.all])
        self.embedded = towers.text.tokens[ids] + towers.text.positions

    def forward(self, batch):
        tower = self.towers.text
        rows, masks = [], []
        for row, end in zip(self.embedded, self.ends + 1):
            rows.append(torch.cat([row[:end], self.text, row[end + 24:]]))
            mask = torch.full((CONTEXT, CONTEXT), float("-inf")).triu(1)
            mask[:, end:] = float("-inf")
            masks.append(mask)
        masks = torch.stack(masks).repeat_interleave(8, 0)  # of every head
        x = text_features(tower, torch.stack(rows), None, read=True, mask=masks)
        read = torch.stack([row[end:end + 24] for row, end in zip(x, self.ends + 1)])
        g = normalize(read @ tower.projection, dim=-1)
        f = image_features(self.towers.vision, batch.pixels, self.visual, read_only=True)
        return cross_entropy(SCALE * torch.einsum("bke,cke->bck", f, g).mean(-1), batch.labels)


class TCP(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.context = rows_of(4, WIDTH)
        self.first, self.second = nn.Linear(EMBED, EMBED // 4), nn.Linear(EMBED // 4, 4 * WIDTH)
        self.prompts = Prompts(towers.text, self.all, 4)
        self.teacher = towers.sentences()

    def optimisers(self):
        return [torch.optim.Adam(self.parameters(), lr=0.002, weight_decay=5e-4, eps=1e-3)]

    def forward(self, batch):
        inner = self.first(self.teacher)
        made = self.second(inner * torch.sigmoid(1.702 * inner)).reshape(-1, 4, WIDTH)
        g = normalize(text_features(self.towers.text, self.prompts.rows(self.context),
                                    self.prompts.ends, [None] * 7 + [made]))
        away = 1 - (g * self.teacher).sum(1).mean()
        return cross_entropy(SCALE * batch.images @ g.t(), batch.labels) + 8 * away


class GalLoP(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.whole, self.local = rows_of(4, 4, WIDTH), rows_of(4, 4, WIDTH)
        self.map = nn.Linear(VISION, VISION, bias=False)
        self.prompts = Prompts(towers.text, self.all, 4, stop=())
        self.projection = torch.randn(VISION, EMBED) / VISION**0.5

    def forward(self, batch):
        g, h = (torch.stack([normalize(self.prompts(context)) for context in contexts])
                for contexts in (self.whole, self.local))
        whole = torch.einsum("be,mce->bcm", batch.images, g)
        patches = normalize(self.map(batch.local) @ self.projection, dim=-1)
        local = torch.einsum("bpe,mce->bpcm", patches, h).topk(20, 1).values
        loss = 0
        for m, k in enumerate((5, 10, 15, 20)):
            loss = loss + cross_entropy(SCALE * local[:, :k, :, m].mean(1), batch.labels) / 4
        kept = torch.randint(4, (len(whole),))
        return loss + cross_entropy(SCALE * whole[torch.arange(len(whole)), :, kept], batch.labels)


class DePT(Method):
    def __init__(self, towers):
        super().__init__(towers)
        self.context = rows_of(4, WIDTH)
        self.head = nn.Linear(EMBED, towers.classes)
        self.scales, self.shifts = nn.Parameter(torch.ones(2, EMBED)), nn.Parameter(torch.zeros(2, EMBED))
        self.prompts = Prompts(towers.text, self.all, 4)
        self.teacher = towers.sentences()

    def forward(self, batch):
        texts = self.prompts(self.context)
        g = normalize(texts)
        both = torch.cat([texts[batch.labels] * self.scales[0] + self.shifts[0],
                          batch.images * self.scales[1] + self.shifts[1]])
        head = cross_entropy(self.head(both), torch.cat([batch.labels] * 2))
        own = cross_entropy(SCALE * batch.images @ g.t(), batch.labels)
        return 0.3 * own + 0.7 * head + 2 * (1 - (g * self.teacher).sum(1).mean())


class WithDetectors(Method):
    def __init__(self, towers):
        super().__init__(towers)
        columns = -(-towers.classes * (PARTITIONS - 1) // PARTITIONS)
        self.columns, self.lists = [], []
        for k in range(PARTITIONS):
            names = [c for c in self.all if c % PARTITIONS != k]
            where = torch.full([towers.classes], -1)
            where[names] = torch.arange(len(names))
            self.columns.append(where)
            self.lists.append(Prompts(towers.text, names + [k] * (columns - len(names)), 16))
        self.detectors = nn.ParameterList([rows_of(16, WIDTH) for _ in range(PARTITIONS)])

    def detections(self, batch):
        for context, prompts, where in zip(self.detectors, self.lists, self.columns):
            targets = where[batch.labels]
            inside = targets >= 0
            if inside.any() and not inside.all():
                yield SCALE * batch.images @ normalize(prompts(context)).t(), targets, inside

    def optimisers(self):
        return [torch.optim.SGD(self.parameters(), lr=0.002)]


class DeCoOp(WithDetectors):
    """Its first stage, the detectors; classifiers are not trained in it."""

    def __init__(self, towers):
        super().__init__(towers)
        self.untrained = PARTITIONS * 16 * WIDTH

    def forward(self, batch):
        loss = 0
        for z, targets, inside in self.detections(batch):
            entropy = -(z.softmax(1) * z.log_softmax(1)).sum(1)
            margin = (0.4 + entropy[inside].mean() - entropy[~inside].mean()).clamp(min=0)
            loss = loss + (cross_entropy(z[inside], targets[inside]) + margin) / PARTITIONS
        return loss


class GMoP(WithDetectors):
    def __init__(self, towers):
        super().__init__(towers)
        self.context = rows_of(4, WIDTH)
        self.prompts = Prompts(towers.text, self.all, 4)
        self.zero_shot = towers.sentences()

    def forward(self, batch):
        rows = torch.arange(len(batch.labels))
        g = SCALE * batch.images @ normalize(self.prompts(self.context)).t()
        h = SCALE * batch.images @ self.zero_shot.t()
        g_gate, h_gate = (logits.softmax(1)[rows, batch.labels].sigmoid() for logits in (g, h))
        loss = cross_entropy(g, batch.labels)
        for z, targets, inside in self.detections(batch):
            rho = z.softmax(1).amax(1)
            gaps = 1 - (rho[inside][:, None] - rho[~inside])
            pairs = (g_gate[inside][:, None] * h_gate[~inside] * gaps**2).mean()
            warm = cross_entropy(z, targets, ignore_index=-1)
            loss = loss + (0.5 * warm + pairs) / PARTITIONS
        return loss


METHODS = {"coop": CoOp, "kgcoop": KgCoOp, "prograd": ProGrad, "locoop": LoCoOp, "cocoop": CoCoOp,
           "proda": ProDA, "vpt": VPT, "maple": MaPLe, "promptsrc": PromptSRC, "rpo": RPO, "tcp": TCP,
           "gallop": GalLoP, "dept": DePT, "decoop": DeCoOp, "gmop": GMoP}


def make_batch(method, classes, shots):
    """A function that draws a batch of the released size."""
    images = normalize(torch.randn(classes * shots, EMBED))
    labels = torch.arange(classes).repeat_interleave(shots)
    size = BATCHES[method]
    pixels = torch.randn(size, 3, 224, 224) if method in WITH_PIXELS else None
    local = None
    if method in ("locoop", "gallop"):
        local = torch.randn(size, 196, EMBED if method == "locoop" else VISION)
        local = normalize(local, dim=-1) if method == "locoop" else local

    def draw():
        chosen = torch.randperm(len(images))[:size]
        return Batch(images[chosen], labels[chosen], local, pixels)

    return draw
