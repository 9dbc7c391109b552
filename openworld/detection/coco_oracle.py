"""COCO's evaluation and the open-set matching in NumPy, image by image: what tests compare with, and
the rival of the benchmark. Follows pycocotools step by step (same sorts, same roundings), and shares
no code with the library.

    stats, precision, recall, scores = coco_oracle.evaluate(annotations, results)
"""

import numpy as np

IOU_THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
AREAS = {"all": (0, 1e10), "small": (0, 1024), "medium": (1024, 9216), "large": (9216, 1e10)}
MAX_DETS = (1, 10, 100)


def box_ious(detections, objects, crowd):
    """[D, G]; over the detection's own area for crowds."""
    d, g = np.asarray(detections, float), np.asarray(objects, float)
    right = np.minimum(d[:, None, 0] + d[:, None, 2], g[None, :, 0] + g[None, :, 2])
    below = np.minimum(d[:, None, 1] + d[:, None, 3], g[None, :, 1] + g[None, :, 3])
    width = right - np.maximum(d[:, None, 0], g[None, :, 0])
    height = below - np.maximum(d[:, None, 1], g[None, :, 1])
    both = width * height
    areas = (d[:, 2] * d[:, 3])[:, None]
    union = np.where(crowd, areas, areas + (g[:, 2] * g[:, 3])[None, :] - both)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((width > 0) & (height > 0), both / union, 0.0)


def mask_ious(detections, objects, crowd):
    """The same for boolean masks."""
    ious = np.zeros((len(detections), len(objects)))
    for i, d in enumerate(detections):
        for j, g in enumerate(objects):
            both = np.count_nonzero(d & g)
            union = np.count_nonzero(d) if crowd[j] else np.count_nonzero(d | g)
            ious[i, j] = both / union if both else 0.0
    return ious


def match(ious, ids, ignored, crowd, threshold):
    """Greedy matching of detections (rows, best first) to objects (counting ones first). The id of
    the object of each, 0 where there is none, and whether that object is ignored."""
    matched = np.zeros(ious.shape[0])
    to_ignored = np.zeros(ious.shape[0], bool)
    taken = np.zeros(ious.shape[1], bool)
    for d in range(ious.shape[0]):
        bound, best = min(threshold, 1 - 1e-10), -1
        for g in range(ious.shape[1]):
            if taken[g] and not crowd[g]:
                continue
            if best >= 0 and not ignored[best] and ignored[g]:
                break
            if ious[d, g] >= bound:
                bound, best = ious[d, g], g
        if best >= 0:
            taken[best] = True
            matched[d], to_ignored[d] = ids[best], ignored[best]
    return matched, to_ignored


def by_image_and_category(items):
    groups = {}
    for item in items:
        groups.setdefault((item["image_id"], item["category_id"]), []).append(item)
    return groups


def evaluate(annotations, results, iou_type="bbox", masks=None):
    """The twelve numbers, and the arrays of pycocotools' eval. `masks`, for segm: a function of an
    annotation or result that gives its boolean mask."""
    images = sorted({image["id"] for image in annotations["images"]})
    categories = sorted({category["id"] for category in annotations["categories"]})
    objects_of = by_image_and_category(annotations["annotations"])
    detections_of = by_image_and_category(results)
    by_mask = bool(results) and not results[0].get("bbox")

    def area_of(detection):
        if by_mask:
            return float(np.count_nonzero(masks(detection)))
        return detection["bbox"][2] * detection["bbox"][3]

    # Per image and category: scores, matches and ignored flags by area range and threshold.
    found = {}
    for key in sorted(set(objects_of) | set(detections_of)):
        objects, detections = objects_of.get(key, []), detections_of.get(key, [])
        order = np.argsort([-d["score"] for d in detections], kind="mergesort")[: MAX_DETS[-1]]
        detections = [detections[i] for i in order]
        crowd = np.array([bool(o.get("iscrowd", 0)) for o in objects], bool)
        ious = np.zeros((len(detections), len(objects)))
        if objects and detections:
            if iou_type == "bbox":
                ious = box_ious([d["bbox"] for d in detections], [o["bbox"] for o in objects], crowd)
            else:
                ious = mask_ious([masks(d) for d in detections], [masks(o) for o in objects], crowd)
        areas = np.array([area_of(d) for d in detections])
        scores = np.array([d["score"] for d in detections], float)
        for a, (low, high) in enumerate(AREAS.values()):
            ignored = np.array([o["area"] < low or o["area"] > high for o in objects], bool) | crowd
            order = np.argsort(ignored, kind="mergesort")
            ids = np.array([objects[i]["id"] for i in order])
            outside = (areas < low) | (areas > high)
            matched, skipped = [], []
            for threshold in IOU_THRESHOLDS:
                m, to_ignored = match(ious[:, order], ids, ignored[order], crowd[order], threshold)
                matched.append(m != 0)
                skipped.append(to_ignored | ((m == 0) & outside))
            found[key + (a,)] = scores, np.array(matched), np.array(skipped), np.sum(~ignored)

    shape = (len(IOU_THRESHOLDS), len(RECALLS), len(categories), len(AREAS), len(MAX_DETS))
    precision, scores_at = -np.ones(shape), -np.ones(shape)
    recall = -np.ones(shape[:1] + shape[2:])
    for k, category in enumerate(categories):
        for a in range(len(AREAS)):
            parts = [found[i, category, a] for i in images if (i, category, a) in found]
            count = sum(part[3] for part in parts)
            if count == 0:
                continue
            for m, limit in enumerate(MAX_DETS):
                scores = np.concatenate([part[0][:limit] for part in parts])
                order = np.argsort(-scores, kind="mergesort")
                matched = np.concatenate([part[1][:, :limit] for part in parts], axis=1)[:, order]
                skipped = np.concatenate([part[2][:, :limit] for part in parts], axis=1)[:, order]
                right = np.cumsum(matched & ~skipped, axis=1).astype(float)
                wrong = np.cumsum(~matched & ~skipped, axis=1).astype(float)
                for t in range(len(IOU_THRESHOLDS)):
                    rc = right[t] / count
                    pr = right[t] / (wrong[t] + right[t] + np.spacing(1))
                    recall[t, k, a, m] = rc[-1] if rc.size else 0
                    pr = np.maximum.accumulate(pr[::-1])[::-1]
                    at = np.searchsorted(rc, RECALLS, side="left")
                    inside = at < rc.size
                    precision[t, :, k, a, m] = scores_at[t, :, k, a, m] = 0
                    precision[t, inside, k, a, m] = pr[at[inside]]
                    scores_at[t, inside, k, a, m] = scores[order][at[inside]]
    return summarize(precision, recall), precision, recall, scores_at


def summarize(precision, recall):
    def mean(values):
        return float(np.mean(values[values > -1])) if (values > -1).any() else -1.0

    half, three_quarters = (int(np.flatnonzero(IOU_THRESHOLDS == t)[0]) for t in (0.5, 0.75))
    return np.array(
        [mean(precision[..., 0, 2]), mean(precision[half, ..., 0, 2])]
        + [mean(precision[three_quarters, ..., 0, 2])]
        + [mean(precision[..., a, 2]) for a in (1, 2, 3)]
        + [mean(recall[..., 0, m]) for m in (0, 1, 2)]
        + [mean(recall[..., a, 2]) for a in (1, 2, 3)]
    )


def openset_true_positives(detections, objects, matching):
    """Flags of the detections of one image: dict of boxes (corners), labels, scores; objects are
    (corners, label, crowd). `matching` as in the command."""
    published = matching == "published"
    pixel = 1 if published else 0
    flags = np.zeros(len(detections["labels"]), bool)
    for label in {label for _, label, _ in objects}:
        mine = [i for i, name in enumerate(detections["labels"]) if name == label]
        theirs = sorted((o for o in objects if o[1] == label), key=lambda o: bool(o[2]))
        scores = np.array([detections["scores"][i] for i in mine])
        if published:
            order = np.argsort(scores, kind="mergesort")[::-1]
        else:
            order = np.argsort(-scores, kind="mergesort")
        taken = [False] * len(theirs)
        bound = 0.5
        for i in order:
            if not published:
                bound = 0.5
            best = -1
            for g, (box, _, crowd) in enumerate(theirs):
                if taken[g] and not crowd:
                    continue
                if best >= 0 and not theirs[best][2] and crowd:
                    break
                a, b = detections["boxes"][mine[i]], box
                width = max(min(a[2], b[2]) - max(a[0], b[0]) + pixel, 0)
                height = max(min(a[3], b[3]) - max(a[1], b[1]) + pixel, 0)
                both = width * height
                size_a = (a[2] - a[0] + pixel) * (a[3] - a[1] + pixel)
                size_b = (b[2] - b[0] + pixel) * (b[3] - b[1] + pixel)
                iou = both / (size_a + size_b - both) if both else 0.0
                if iou >= bound:
                    bound, best = iou, g
            if best >= 0:
                taken[best] = True
                flags[mine[i]] = True
    return flags


def synthetic(images, categories, objects, detections, seed=0, crowds=0.01, grid=None, canvas=640):
    """Random annotations and results of these sizes. Half of the detections are moved objects, the
    rest boxes anywhere. `grid` rounds scores to its multiples, so that many tie."""
    rng = np.random.default_rng(seed)
    image_of = rng.integers(1, images + 1, objects)
    category_of = 1 + (rng.random(objects) ** 2 * categories).astype(int)
    size = np.exp(rng.uniform(np.log(8), np.log(canvas / 2), (objects, 2)))
    corner = rng.random((objects, 2)) * (canvas - size)
    boxes = np.round(np.hstack([corner, size]), 2)
    crowd = rng.random(objects) < crowds
    annotations = {
        "images": [{"id": i, "height": canvas, "width": canvas, "file_name": f"{i:012}.jpg"}
                   for i in range(1, images + 1)],
        "categories": [{"id": k, "name": f"class {k}"} for k in range(1, categories + 1)],
        "annotations": [
            {"id": i + 1, "image_id": int(image_of[i]), "category_id": int(category_of[i]),
             "bbox": boxes[i].tolist(), "area": round(float(boxes[i, 2] * boxes[i, 3] * 0.6), 3),
             "iscrowd": int(crowd[i])} for i in range(objects)],
    }
    near = rng.random(detections) < 0.5
    source = rng.integers(0, objects, detections)
    moved = boxes[source] * np.exp(rng.normal(0, 0.08, (detections, 4)))
    width = np.exp(rng.uniform(np.log(8), np.log(canvas / 2), (detections, 2)))
    anywhere = np.hstack([rng.random((detections, 2)) * (canvas - width), width])
    bbox = np.round(np.where(near[:, None], moved, anywhere), 2)
    image = np.where(near, image_of[source], rng.integers(1, images + 1, detections))
    right = near & (rng.random(detections) < 0.8)
    category = np.where(right, category_of[source], rng.integers(1, categories + 1, detections))
    score = np.clip(rng.beta(1, 4, detections) + 0.4 * right * rng.random(detections), 0, 1)
    score = np.round(score / grid) * grid if grid else np.round(score, 5)
    results = [
        {"image_id": int(image[i]), "category_id": int(category[i]), "bbox": bbox[i].tolist(),
         "score": float(score[i])} for i in range(detections)]
    return annotations, results
