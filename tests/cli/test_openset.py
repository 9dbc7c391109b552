"""`openworld openset` beside the published way in NumPy and scikit-learn, and what it refuses."""

import json

import numpy as np
import pytest
from command import json_of, needs_models, refused, run, succeed
from data import write_npz
from tiny_model import TOKENS, write_model
from tiny_oracle import Oracle

metrics = pytest.importorskip("sklearn.metrics")

SOFTMAX = ("softmax", "cosine", "entropy", "max_logit", "energy", "mcm", "margin", "logit_margin")


def make(n=400, classes=12, negatives=0, seed=0, spread=3.0):
    """Logits of a model that is right about half of the time, with some ties."""
    random = np.random.default_rng(seed)
    label = random.integers(0, classes, n)
    logits = random.normal(20, spread, (n, classes + negatives))
    logits[np.arange(n), label] += random.normal(1.5 * spread, spread, n)
    logits[::17] = np.round(logits[::17])
    logits[5] = 3.0  # every query is as good
    return logits.astype(np.float32), label


def uncertainties(z, scale=100.0, temperature=1.0):
    """Of rows of logits over the queries that are left, in double."""
    z = z.astype(np.float64)
    top = z.max(axis=1)
    shifted = z - top[:, None]
    e = np.exp(shifted)
    total = e.sum(axis=1)
    p = e / total[:, None]
    log_p = shifted - np.log(total)[:, None]
    ordered = np.sort(z, axis=1)
    cold = np.exp(shifted / (scale * temperature))
    return {
        "softmax": p.max(axis=1),
        "cosine": top / scale,
        "entropy": (p * log_p).sum(axis=1),
        "max_logit": top,
        "energy": top + np.log(total),
        "mcm": 1 / cold.sum(axis=1),
        "margin": (1 - np.exp(ordered[:, -2] - top)) / total if z.shape[1] > 1 else p[:, 0],
        "logit_margin": top - ordered[:, -2] if z.shape[1] > 1 else None,
        "sigmoid": 1 / (1 + np.exp(-top)),
    }


def published(logits, label, classes):
    """Two passes: all columns, and all but the true one. Scores of TPs, OSEs and wrong answers."""
    n, columns = logits.shape
    answer = logits.argmax(axis=1)
    right = answer == label
    wrong = ~right & (answer < classes)
    keep = np.ones((n, columns), bool)
    keep[np.arange(n), label] = False
    without = logits[keep].reshape(n, columns - 1)
    error = without.argmax(axis=1) < classes - 1
    closed, open_ = uncertainties(logits), uncertainties(without)
    return {name: (closed[name][right], open_[name][error], closed[name][wrong])
            for name in closed}, right, error, wrong


def four_metrics(tp, errors):
    """AuROC, AuPR, P@95R and R@95P as the published code computes them."""
    truth = np.r_[np.ones(len(tp)), np.zeros(len(errors))]
    scores = np.r_[tp, errors]
    precision, recall, _ = metrics.precision_recall_curve(truth, scores)
    at_recall = np.abs(recall - 0.95).argmin()
    at_precision = np.abs(precision - 0.95).argmin()
    return {
        "auroc": metrics.roc_auc_score(truth, scores),
        "aupr": metrics.auc(recall, precision),
        "p_at_95r": precision[at_recall] if abs(recall[at_recall] - 0.95) < 0.01 else None,
        "r_at_95p":
            recall[at_precision] if abs(precision[at_precision] - 0.95) < 0.01 else None,
    }


def check(found, expected, what):
    for name, value in expected.items():
        if value is None:
            assert found[name]["value"] is None and "not achieved" in found[name]["why"], what
        else:
            assert found[name]["value"] == pytest.approx(value, abs=1e-9), (what, name)
            assert found[name]["why"] is None


@pytest.mark.parametrize("negatives", [0, 9])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "fortran", "compressed"])
def test_logits_are_the_published_two_passes(folder, negatives, kind):
    logits, label = make(negatives=negatives)
    if kind in ("float64", "float16"):
        logits = logits.astype(kind)
    arrays = {"logits": np.asfortranarray(logits) if kind == "fortran" else logits, "label": label}
    if negatives:
        arrays["negatives"] = negatives
    path = folder / "f.npz"
    (np.savez_compressed if kind == "compressed" else np.savez)(path, **arrays)
    result = json_of("openset", "--logits", path, "--ci", "none")
    scores, right, error, wrong = published(logits.astype(np.float64), label, 12)
    assert result["schema"] == "openworld.openset/1"
    assert result["tp"] == right.sum() and result["ose"] == error.sum()
    assert result["accuracy"] == pytest.approx(right.mean())
    assert result["closed_set_errors"] == wrong.sum()
    assert tuple(result["measures"]) == SOFTMAX
    for name in SOFTMAX:
        tp, errors, closed_errors = scores[name]
        check(result["measures"][name], four_metrics(tp, errors), name)
        check(result["measures"][name]["closed_set"], four_metrics(tp, closed_errors), name)


@pytest.mark.parametrize("negatives", [0, 9])
def test_files_of_the_published_code(folder, negatives):
    """Two .npy files, float64 and int64, as its notebooks write them."""
    logits, label = make(negatives=negatives)
    np.save(folder / "standard_cosine_clip.npy", logits.astype(np.float64))
    np.save(folder / "standard_gt_clip.npy", label)
    columns = ("--negative-columns", negatives) if negatives else ()
    result = json_of("openset", "--logits", folder / "standard_cosine_clip.npy", "--labels",
                     folder / "standard_gt_clip.npy", *columns, "--ci", "none")
    path = write_npz(folder / "f.npz", {"logits": logits, "label": label, "negatives": negatives})
    expected = json_of("openset", "--logits", path, "--ci", "none")
    for field in ("tp", "ose", "accuracy", "negatives", "measures"):
        assert result[field] == expected[field]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_features_are_scaled_cosines(folder, kind):
    random = np.random.default_rng(1)
    images = random.normal(0, 1, (300, 24)).astype(kind)
    texts = random.normal(0, 1, (15, 24)).astype(kind)
    negatives = random.normal(0, 1, (40, 24)).astype(kind)
    label = random.integers(0, 15, 300)
    images += 2 * texts[label]
    i = write_npz(folder / "i.npz", {"features": images, "label": label})
    names = np.array([f"name {k}" for k in range(15)])
    t = write_npz(folder / "t.npz", {"features": texts, "names": names})
    n = write_npz(folder / "n.npz", {"features": negatives})

    def unit(x):
        x = x.astype(np.float64)
        return x / np.linalg.norm(x, axis=1, keepdims=True)

    z = 30 * unit(images) @ unit(np.r_[texts, negatives]).T
    result = json_of("openset", "--images", i, "--texts", t, "--negatives", n, "--logit-scale", 30,
                     "--counts", "1,7,25", "--ci", "none")
    for entry in result["by_extra"]:
        scores, right, error, _ = published(z[:, :15 + entry["count"]], label, 15)
        assert entry["tp"] == right.sum() and entry["ose"] == error.sum()
        for name in ("softmax", "entropy", "margin"):
            found = entry["measures"][name]
            for key, value in four_metrics(*scores[name][:2]).items():
                if value is None:
                    assert found[key]["value"] is None
                else:
                    assert found[key]["value"] == pytest.approx(value, abs=1e-4)
    assert [entry["count"] for entry in result["by_extra"]] == [0, 1, 7, 25, 40]
    answers = z.argmax(axis=1)
    keep = np.ones(z.shape, bool)
    keep[np.arange(300), label] = False
    open_answers = np.where(keep, z, -np.inf).argmax(axis=1)
    was_right = z[:, :15].argmax(axis=1) == label
    for m, entry in enumerate(result["efficacy"]):
        assert entry["n_closed"] == (answers == 15 + m).sum()
        assert entry["n_open"] == (open_answers == 15 + m).sum()
        assert entry["n_tp_lost"] == (was_right & (answers == 15 + m)).sum()


def test_growth_takes_the_subsets_of_numpy(folder):
    logits, label = make(n=500, classes=12)
    path = write_npz(folder / "f.npz", {"logits": logits, "label": label})
    result = json_of("openset", "--logits", path, "--sizes", "3,5,12", "--seeds", 4, "--ci", "none")
    for entry in result["growth"]:
        accuracies, areas = [], []
        for seed in range(4):
            np.random.seed(seed)
            subset = np.sort(np.random.choice(np.arange(12), entry["size"], replace=False))
            rows = np.isin(label, subset)
            small = logits[rows][:, subset].astype(np.float64)
            truth = np.searchsorted(subset, label[rows])
            scores, right, error, _ = published(small, truth, entry["size"])
            assert entry["images_by_seed"][seed] == rows.sum()
            assert entry["tp_by_seed"][seed] == right.sum()
            assert entry["ose_by_seed"][seed] == error.sum()
            accuracies.append(right.mean())
            areas.append(four_metrics(*scores["softmax"][:2])["aupr"])
        assert entry["accuracy"]["mean"] == pytest.approx(np.mean(accuracies))
        found = entry["measures"]["softmax"]["aupr"]
        assert found["mean"] == pytest.approx(np.mean(areas), abs=1e-9)
        assert found["sd"] == pytest.approx(np.std(areas, ddof=1), abs=1e-9)


def test_sigmoid_models_have_what_is_defined_for_them(folder):
    logits, label = make()
    logits = logits - 30
    path = write_npz(folder / "f.npz", {"logits": logits, "label": label})
    result = json_of("openset", "--logits", path, "--activation", "sigmoid", "--logit-bias", -10,
                     "--ci", "none")
    assert set(result["measures"]) == {"sigmoid", "cosine", "max_logit", "mcm", "logit_margin"}
    scores, *_ = published(logits.astype(np.float64), label, 12)
    check(result["measures"]["sigmoid"], four_metrics(*scores["sigmoid"][:2]), "sigmoid")
    ranks = [result["measures"][m]["auroc"]["value"] for m in ("sigmoid", "cosine", "max_logit")]
    assert ranks[0] == pytest.approx(ranks[1]) == pytest.approx(ranks[2])


def test_extra_names_are_answers(folder):
    random = np.random.default_rng(2)
    texts, extra = random.normal(0, 1, (6, 8)), random.normal(0, 1, (10, 8))
    label = random.integers(0, 6, 90)
    images = texts[label] + random.normal(0, 0.8, (90, 8))
    i = write_npz(folder / "i.npz", {"features": images, "label": label})
    t = write_npz(folder / "t.npz", {"features": texts})
    e = write_npz(folder / "e.npz", {"features": extra})
    result = json_of("openset", "--images", i, "--texts", t, "--extra", e, "--ci", "none")
    assert result["extra_classes"] == 10 and "negatives" not in result
    assert [entry["ose"] for entry in result["by_extra"]] == [90, 90]
    tps = [entry["tp"] for entry in result["by_extra"]]
    assert tps[1] < tps[0]


def test_nothing_left_is_null_with_its_reason(folder):
    logits = np.array([[9.0, 1, 5], [1, 9, 5]])
    path = write_npz(folder / "f.npz", {"logits": logits, "label": [0, 1], "negatives": 1})
    result = json_of("openset", "--logits", path)
    assert result["tp"] == 2 and result["ose"] == 0
    auroc = result["measures"]["softmax"]["auroc"]
    assert auroc == {"value": None, "interval": None, "why": "no open-set error is left"}
    text = succeed("openset", "--logits", path)
    assert "no open-set error is left" in text


def test_intervals_are_over_images(folder):
    logits, label = make(n=300)
    path = write_npz(folder / "f.npz", {"logits": logits, "label": label})
    result = json_of("openset", "--logits", path, "--measures", "published", "--resamples", 300)
    for name in ("softmax", "entropy"):
        found = result["measures"][name]
        assert found["auroc"]["interval"]["method"] == "delong_clustered"
        assert found["aupr"]["interval"]["method"] == "bootstrap_bca"
        for metric in ("auroc", "aupr"):
            low, high = found[metric]["interval"]["low"], found[metric]["interval"]["high"]
            assert low < found[metric]["value"] < high
    # Images drawn whole, in NumPy.
    scores, right, error, _ = published(logits.astype(np.float64), label, 12)
    keep = np.ones(logits.shape, bool)
    keep[np.arange(300), label] = False
    closed = uncertainties(logits)["softmax"]
    open_ = uncertainties(logits[keep].reshape(300, -1))["softmax"]
    random = np.random.default_rng(0)
    values = []
    for _ in range(300):
        drawn = random.integers(0, 300, 300)
        values.append(four_metrics(closed[drawn][right[drawn]], open_[drawn][error[drawn]])["auroc"])
    interval = result["measures"]["softmax"]["auroc"]["interval"]
    width = interval["high"] - interval["low"]
    assert width == pytest.approx(2 * 1.96 * np.std(values), rel=0.25)


def test_output_does_not_depend_on_threads(folder):
    logits, label = make(negatives=30)
    path = write_npz(folder / "f.npz", {"logits": logits, "label": label, "negatives": 30})
    flags = ("openset", "--logits", path, "--sizes", "4,12", "--resamples", 50, "--measures",
             "published", "--json")
    one, two = (json.loads(succeed(*flags, "--threads", t)) for t in (1, 3))
    one.pop("cost"), two.pop("cost")
    assert one == two


def test_predictions_are_read_by_the_other_commands(folder):
    logits, label = make(n=600)
    path = write_npz(folder / "f.npz", {"logits": logits, "label": label,
                                        "names": np.array([f"class {i}" for i in range(12)])})
    out = folder / "softmax.npz"
    result = json_of("openset", "--logits", path, "--out", out, "--ci", "none")
    found = json_of("eval", out, "--ci", "none", "--metrics",
                    "auroc,aupr_base_trapezoid,p_at_95r,r_at_95p,tp_count,ose_count")["metrics"]
    mine = result["measures"]["softmax"]
    assert found["auroc"]["value"] == pytest.approx(mine["auroc"]["value"], abs=1e-12)
    assert found["aupr_base_trapezoid"]["value"] == pytest.approx(mine["aupr"]["value"], abs=1e-12)
    for name in ("p_at_95r", "r_at_95p"):
        assert found[name]["value"] == mine[name]["value"]
    assert found["tp_count"]["value"] == result["tp"]
    assert found["ose_count"]["value"] == result["ose"]
    json_of("curve", out, "--kind", "pr")
    json_of("threshold", out, "--max-miss", 0.2)
    entropy = folder / "entropy.npz"
    json_of("openset", "--logits", path, "--out", entropy, "--measure", "entropy", "--ci", "none")
    compared = json_of("compare", out, entropy, "--metrics", "auroc")
    assert compared["comparisons"][0]["metrics"]["auroc"]["p_value"] <= 1


def test_pairs_of_measures_and_of_models(folder):
    logits, label = make(n=500)
    noise = np.random.default_rng(3).normal(0, 4, logits.shape).astype(np.float32)
    a = write_npz(folder / "a.npz", {"logits": logits, "label": label})
    b = write_npz(folder / "b.npz", {"logits": logits + noise, "label": label})
    json_of("openset", "--logits", a, "--out", folder / "pa.npz", "--ci", "none")
    result = json_of("openset", "--logits", b, "--measures", "published", "--pairs", "--against",
                     folder / "pa.npz", "--resamples", 100)
    seconds = [(pair["first"], pair["second"]) for pair in result["pairs"]]
    assert seconds == [("softmax", "cosine"), ("softmax", "entropy"),
                       (str(folder / "pa.npz"), "softmax")]
    models = result["pairs"][2]["metrics"]["auroc"]
    assert models["test"] == "delong_clustered"
    assert models["difference"] == pytest.approx(models["second"] - models["first"])
    assert models["interval"]["low"] < models["difference"] < models["interval"]["high"]
    assert models["difference"] < 0 and models["p_value"] < 0.05


def test_figures_and_page(folder):
    logits, label = make(negatives=20)
    path = write_npz(folder / "f.npz", {"logits": logits, "label": label, "negatives": 20})
    succeed("openset", "--logits", path, "--figures", folder / "svg", "--html", folder / "p.html",
            "--sizes", "3,12", "--seeds", 2, "--ci", "none")
    written = {file.name for file in (folder / "svg").iterdir()}
    assert written == {"precision-recall.svg", "histogram.svg", "trade-off.svg", "extra-counts.svg",
                       "efficacy.svg", "caught-errors.svg", "growth.svg"}
    for file in (folder / "svg").iterdir():
        text = file.read_text()
        assert text.startswith("<svg") and "nan" not in text and text.rstrip().endswith("</svg>")
    page = (folder / "p.html").read_text()
    assert "Open set" in page and page.count('role="img"') == 7


def test_words_are_the_published_ones():
    assert succeed("openset", "--print-words", 12).split() == [
        "pvaddh", "lmijlfp", "pn", "yzdy", "oxfb", "opgwq", "jduk", "zwdtxh", "urjfi", "vwywbwui",
        "epa", "qrx"]


def test_words_of_a_list(folder):
    words = [f"word{i}" for i in range(50)]
    (folder / "words.txt").write_text("\n".join(words) + "\n")
    printed = succeed("openset", "--print-words", 7, "--word-list", folder / "words.txt",
                      "--negative-seed", 3).split()
    order = np.random.RandomState(3).permutation(50)[:7]
    assert printed == [words[i] for i in order]


def test_words_of_wordnet():
    ran = run("openset", "--print-words", 200, "--word-list", "wordnet", "--negative-seed", 3)
    if ran.code == 2 and "data.noun" in ran.err:
        pytest.skip("wordnet-base is not installed")
    words = ran.out.split()
    assert len(set(words)) == 200 and all(word.isalpha() and word.islower() for word in words)
    again = succeed("openset", "--print-words", 50, "--word-list", "wordnet", "--negative-seed", 3)
    assert again.split() == words[:50]


def test_random_embeddings_are_nested_and_seeded(folder):
    random = np.random.default_rng(4)
    texts = random.normal(0, 1, (9, 16)) + 1
    label = random.integers(0, 9, 200)
    i = write_npz(folder / "i.npz",
                  {"features": texts[label] + random.normal(0, 1, (200, 16)), "label": label})
    t = write_npz(folder / "t.npz", {"features": texts})

    def curve(count, *flags):
        result = json_of("openset", "--images", i, "--texts", t, "--random-embeddings", count,
                         "--counts", "10,50", "--ci", "none", *flags)
        return [(entry["count"], entry["tp"], entry["ose"]) for entry in result["by_extra"]]

    assert curve(100)[:3] == curve(50)
    assert curve(100, "--negative-seed", 1) != curve(100)
    oses = [ose for _, _, ose in curve(100)]
    assert oses == sorted(oses, reverse=True) and oses[-1] < 200


def test_siblings_of_wordnet(folder):
    (folder / "names.txt").write_text("tench\ngoldfish\nnot a noun of any kind\n")
    ran = run("openset", "--print-siblings", "--names", folder / "names.txt")
    if ran.code == 2 and "data.noun" in ran.err:
        pytest.skip("wordnet-base is not installed")
    assert ran.code == 0 and "1 of 3 names" in ran.err
    siblings = ran.out.splitlines()
    assert len(siblings) > 5 and "tench" not in siblings


@needs_models
def test_a_model_and_images(folder, model, pets):
    result = json_of("openset", "--model", model, "--data", pets, "--random-words", 5, "--counts",
                     "2", "--ci", "none")
    plain = json_of("zeroshot", "--model", model, "--data", pets)
    assert result["by_extra"][0]["accuracy"] == pytest.approx(plain["accuracy"]["top1"]["value"])
    assert [entry["count"] for entry in result["by_extra"]] == [0, 2, 5]
    assert result["by_extra"][0]["ose"] == result["images"]
    assert [entry["name"] for entry in result["efficacy"]] == ["pvaddh", "lmijlfp", "pn", "yzdy",
                                                               "oxfb"]
    assert result["options"]["logit_scale"] == pytest.approx(plain["logit_scale"])
    (folder / "names.txt").write_text("horse\ncow\n")
    grown = json_of("openset", "--model", model, "--data", pets, "--extra-names",
                    folder / "names.txt", "--ci", "none")
    assert grown["extra_classes"] == 2
    (folder / "words.txt").write_text("\n".join(f"word{i}" for i in range(9)))
    drawn = json_of("openset", "--model", model, "--data", pets, "--random-words", 4, "--word-list",
                    folder / "words.txt", "--negative-seed", 2, "--ci", "none")
    assert [entry["name"] for entry in drawn["efficacy"]] == [
        f"word{i}" for i in np.random.RandomState(2).permutation(9)[:4]]
    refused("openset", "--model", model, says=["--model and --data"])
    refused("openset", "--model", model, "--data", pets, "--logits", "x.npz",
            says=["--logits does not go with --model"])
    refused("openset", "--model", model, "--data", pets, "--random-words", 5,
            "--random-embeddings", 5, says=["at most one"])


@needs_models
def test_random_tokens_are_read_at_the_largest_id(folder, pets):
    """The published random embeddings of CLIP: any ids but the end of text, torch's generator."""
    torch = pytest.importorskip("torch")
    write_model(folder / "model")
    oracle = Oracle()
    torch.manual_seed(5)
    ids = torch.randint(len(TOKENS) - 1, (40, oracle.sizes.context)).tolist()
    out = folder / "features.npz"
    succeed("encode", "--model", folder / "model", "--data", pets, "--out", out)
    with np.load(out) as file:
        images = file["features"].astype(np.float64)
    texts = np.array([oracle.text_of_ids(row[:row.index(max(row)) + 1]) for row in ids])
    result = json_of("openset", "--model", folder / "model", "--data", pets, "--random-embeddings",
                     40, "--distribution", "tokens", "--negative-seed", 5, "--ci", "none")
    nearest = (images @ (texts / np.linalg.norm(texts, axis=1, keepdims=True)).T).argmax(axis=1)
    taken = {m for m, entry in enumerate(result["efficacy"]) if entry["n_open"] or entry["n_closed"]}
    assert taken and taken <= set(nearest.tolist())


def test_uncertainties_are_listed():
    rows = json_of("ls", "uncertainties")["uncertainties"]
    assert {row["name"] for row in rows} == set(SOFTMAX) | {"sigmoid"}
    assert all(row["citation"] and row["brief"] for row in rows)
    assert "Miller" in succeed("ls", "uncertainties", "entropy")


L, Y = make(n=40, classes=5)
F = {"features": np.ones((40, 3)) + np.arange(120).reshape(40, 3), "label": Y}
T = {"features": np.arange(15.0).reshape(5, 3), "names": np.array(list("abcde"))}


def put(array, index, value):
    array = np.array(array)
    array[index] = value
    return array


def case(name, arrays, *says, flags=()):
    return pytest.param(arrays, flags, says, id=name)


LOGITS = [
    case("no_logits", {"label": Y}, "f.npz: no logits"),
    case("no_label", {"logits": L}, "f.npz: no label"),
    case("logits_1d", {"logits": L[0], "label": Y}, "logits", "(5,)"),
    case("logits_3d", {"logits": L[None], "label": Y}, "logits", "(1, 40, 5)"),
    case("logits_text", {"logits": np.full((2, 2), "a"), "label": [0, 1]}, "logits", "U1"),
    case("no_images", {"logits": L[:0], "label": Y[:0]}, "logits has no rows"),
    case("no_columns", {"logits": L[:, :0], "label": Y}, "logits"),
    case("label_2d", {"logits": L, "label": Y[None]}, "label", "(1, 40)"),
    case("label_float", {"logits": L, "label": Y + 0.5}, "label", "f8"),
    case("label_short", {"logits": L, "label": Y[:39]}, "label has 39 rows; expected 40"),
    case("label_large", {"logits": L, "label": put(Y, 7, 5)}, "label[7] is 5; expected 0 to 4"),
    case("label_negative", {"logits": L, "label": put(Y, 7, -1)}, "label[7] is -1"),
    case("label_of_a_negative", {"logits": L, "label": put(Y % 3, 2, 4), "negatives": 2},
         "label[2] is 4; expected 0 to 2"),
    case("logit_nan", {"logits": put(L, (31, 2), np.nan), "label": Y}, "logits[31, 2] is NaN"),
    case("logit_inf", {"logits": put(L, (3, 4), np.inf), "label": Y}, "logits[3, 4] is inf"),
    case("logit_minus_inf", {"logits": put(L, (39, 0), -np.inf), "label": Y},
         "logits[39, 0] is -inf"),
    case("logit_nan_of_the_true_class", {"logits": put(L, (2, Y[2]), np.nan), "label": Y},
         f"logits[2, {Y[2]}] is NaN"),
    case("negatives_all", {"logits": L, "label": Y, "negatives": 5}, "negatives is 5",
         "expected 0 to 4"),
    case("negatives_below_0", {"logits": L, "label": Y, "negatives": -1}, "negatives is -1"),
    case("negatives_array", {"logits": L, "label": Y, "negatives": [1, 2]}, "negatives", "(2,)"),
    case("names_short", {"logits": L, "label": Y, "names": np.array(["a", "b"])},
         "names has 2 entries"),
    case("measure_unknown", {"logits": L, "label": Y}, "unknown measure 'entropi'", "did you mean entropy?",
         flags=("--measures", "entropi")),
    case("measure_of_softmax", {"logits": L, "label": Y}, "'entropy' is not defined for sigmoid",
         flags=("--measures", "entropy", "--activation", "sigmoid")),
    case("measure_not_asked_for", {"logits": L, "label": Y}, "--measure entropy",
         flags=("--measures", "softmax", "--measure", "entropy")),
    case("count_too_large", {"logits": L, "label": Y % 3, "negatives": 2}, "is 3; expected 1 to 2",
         flags=("--counts", "3")),
    case("count_without_negatives", {"logits": L, "label": Y}, "there are none",
         flags=("--counts", "1")),
    case("count_no_number", {"logits": L, "label": Y}, "--counts", "'x'", flags=("--counts", "x")),
    case("size_too_large", {"logits": L, "label": Y}, "is 6; expected 1 to 5",
         flags=("--sizes", "6")),
    case("size_zero", {"logits": L, "label": Y}, "--sizes", "'0'", flags=("--sizes", "0,2")),
    case("scale_zero", {"logits": L, "label": Y}, "--logit-scale", flags=("--logit-scale", "0")),
    case("bias_nan", {"logits": L, "label": Y}, "--logit-bias", flags=("--logit-bias", "nan")),
    case("activation", {"logits": L, "label": Y}, "--activation", flags=("--activation", "relu")),
    case("out_ending", {"logits": L, "label": Y}, "expected .npz", flags=("--out", "x.csv")),
    case("against_missing", {"logits": L, "label": Y}, "none.npz",
         flags=("--against", "none.npz")),
    case("against_logits", {"logits": L, "label": Y}, "no images; expected predictions",
         flags=("--against", "f.npz")),
    case("with_images", {"logits": L, "label": Y}, "--images does not go with --logits",
         flags=("--images", "f.npz")),
    case("words_of_nothing", {"logits": L, "label": Y}, "--word-list needs --print-words",
         flags=("--word-list", "w.txt")),
    case("labels_beside_npz", {"logits": L, "label": Y}, "--labels is for --logits in an .npy",
         flags=("--labels", "f.npz")),
    case("columns_beside_npz", {"logits": L, "label": Y}, "--negative-columns is for",
         flags=("--negative-columns", "2")),
    case("tokens_without_a_model", {"logits": L, "label": Y}, "--distribution tokens needs --model",
         flags=("--distribution", "tokens")),
]


@pytest.mark.parametrize("arrays, flags, says", LOGITS)
def test_logits_that_are_refused(folder, arrays, flags, says):
    write_npz(folder / "f.npz", arrays)
    refused("openset", "--logits", "f.npz", "--ci", "none", *flags, says=says, cwd=folder)


@pytest.mark.parametrize("labels, flags, says", [
    pytest.param(None, (), ["--logits is an .npy; expected --labels"], id="no_labels"),
    pytest.param(Y[:39], (), ["z.npy: label has 39 rows; expected 40"], id="short"),
    pytest.param(put(Y, 7, 5), (), ["y.npy: label[7] is 5; expected 0 to 4"], id="large"),
    pytest.param(Y[None], (), ["y.npy: label", "(1, 40)"], id="two_dimensions"),
    pytest.param(Y + 0.5, (), ["y.npy: label", "f8"], id="float"),
    pytest.param(Y, ("--negative-columns", "5"), ["z.npy: negatives is 5", "0 to 4"], id="columns"),
    pytest.param(Y, ("--negative-columns", "-1"), ["negatives is -1"], id="columns_below_0"),
])
def test_npy_files_that_are_refused(folder, labels, flags, says):
    np.save(folder / "z.npy", L)
    if labels is not None:
        np.save(folder / "y.npy", labels)
        flags = (*flags, "--labels", "y.npy")
    refused("openset", "--logits", "z.npy", "--ci", "none", *flags, says=says, cwd=folder)


FEATURES = [
    case("no_features", {"i": {"label": Y}}, "i.npz: no features"),
    case("no_label", {"i": {"features": F["features"]}}, "i.npz: no label"),
    case("width", {"t": {"features": np.ones((5, 4))}}, "t.npz: features has 4 columns",
         "expected 3"),
    case("names", {"t": {**T, "names": np.array(["a"])}}, "t.npz: names has 1 entries"),
    case("image_nan", {"i": {**F, "features": put(F["features"], (7, 1), np.nan)}},
         "i.npz: features[7, 1] is NaN"),
    case("image_zero", {"i": {**F, "features": put(F["features"], 7, 0)}},
         "i.npz: features[7] has length 0"),
    case("text_inf", {"t": {"features": put(T["features"], (1, 2), np.inf)}},
         "t.npz: features[1, 2] is inf"),
    case("negative_width", {"n": {"features": np.ones((2, 2))}}, "n.npz: features has 2 columns",
         flags=("--negatives", "n.npz")),
    case("negatives_and_extra", {"n": {"features": np.ones((2, 3))}}, "at most one",
         flags=("--negatives", "n.npz", "--extra", "n.npz")),
    case("no_negatives", {"n": {"features": np.ones((0, 3))}}, "n.npz: features has no rows",
         flags=("--negatives", "n.npz")),
]


@pytest.mark.parametrize("arrays, flags, says", FEATURES)
def test_features_that_are_refused(folder, arrays, flags, says):
    for name, content in {"i": F, "t": T, **arrays}.items():
        write_npz(folder / f"{name}.npz", content)
    refused("openset", "--images", "i.npz", "--texts", "t.npz", "--ci", "none", *flags, says=says,
            cwd=folder)


def test_files_that_are_refused(folder):
    refused("openset", says=["no input", "--logits"])
    refused("openset", "--logits", folder / "none.npz", says=["none.npz"])
    (folder / "text.npz").write_text("not a zip")
    refused("openset", "--logits", folder / "text.npz", says=["text.npz"])
    whole = write_npz(folder / "whole.npz", {"logits": L, "label": Y}).read_bytes()
    (folder / "cut.npz").write_bytes(whole[:-100])
    refused("openset", "--logits", folder / "cut.npz", says=["cut.npz"])
    (folder / "flipped.npz").write_bytes(whole[:400] + bytes([whole[400] ^ 1]) + whole[401:])
    refused("openset", "--logits", folder / "flipped.npz", says=["flipped.npz"])
    refused("openset", "--print-siblings", says=["no class names"])
    (folder / "few.txt").write_text("a\nb\n")
    refused("openset", "--print-words", 3, "--word-list", folder / "few.txt",
            says=["3 words were asked for", "2"])
    refused("openset", "--print-siblings", "--names", folder / "few.txt", "--wordnet", folder,
            says=["data.noun"])


def test_predictions_of_other_images_are_refused(folder):
    a = write_npz(folder / "a.npz", {"logits": L, "label": Y})
    json_of("openset", "--logits", a, "--out", folder / "p.npz", "--ci", "none")
    fewer = write_npz(folder / "b.npz", {"logits": L[:39], "label": Y[:39]})
    refused("openset", "--logits", fewer, "--against", folder / "p.npz", "--ci", "none",
            says=["40 images; expected the same 39"])
    other = write_npz(folder / "c.npz", {"logits": L, "label": put(Y, 3, (Y[3] + 1) % 5)})
    refused("openset", "--logits", other, "--against", folder / "p.npz", "--ci", "none",
            says=["image 3 has label"])
