"""The page of `openworld report` in headless Chromium: what people do with it, at three widths, light and dark."""

import json
import re

import numpy as np
import pytest
from browser import CHROMIUM, DRIVER, Browser
from command import json_of, succeed
from runs import CLASSES, SKILLS, predictions, write_run

MARKUP = "<img src=x onerror=window.hacked=1>"
CODE = "</script><script>window.hacked=1</script>"
LABELS = ("zero-shot", "coop x=<b>bold</b>", "gmop")
SEEDS = (1, 2)


def arrays_of(method, seed):
    """Predictions with unknown samples, and class names that are markup."""
    arrays = predictions(*SKILLS[method], 1, seed)
    unknown = np.arange(300) % 30 >= 27
    return {**arrays, "side": np.where(unknown, -1, arrays["side"]).astype("i1"),
            "classes": np.array([MARKUP, CODE, *(f"class {i}" for i in range(2, CLASSES))])}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    paths = []
    for method in SKILLS:
        for seed in SEEDS:
            changed = {"x": "<b>bold</b>"} if method == "coop" else None
            path = write_run(folder / f"{method}-{seed}", method, seed=seed, arrays=arrays_of(method, seed), changed=changed)
            lines = [{"step": 10 * i, "loss": 2 / i} for i in range(1, 9)]
            (path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
            paths.append(path)
    said = json_of("report", *paths, "--out", folder / "report.html", "--title", MARKUP, "--resamples", 200)
    assert said["labels"] == list(LABELS) and said["pictures"] == 24
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    succeed("example", folder)
    json_of("report", *(folder / f"{name}.npz" for name in SKILLS), "--out", folder / "report.html")
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not (CHROMIUM and DRIVER):
        pytest.fail("no chromium or chromedriver; scripts/bootstrap installs them")
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def page(browser, url):
    """The page as it opens; nothing may be left on the console."""
    browser.open(url)
    yield browser
    assert browser.console() == []


def cells(browser, selector):
    return browser.run("return [...document.querySelectorAll(arguments[0])].map(c => c.textContent)", selector)


def shown(browser, selector):
    return browser.run("return [...document.querySelectorAll(arguments[0])].filter(e => e.getClientRects().length).length",
                       selector)


@pytest.mark.parametrize("shade", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280, 1920])
def test_loads_at_every_width(browser, url, width, shade):
    browser.open(url, width=width, shade=shade)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    # No last column is cut off; on a phone tables scroll and show that there is more, as long lists of classes do anywhere.
    overflow = browser.run("return [...document.querySelectorAll('.wide:not(.tall)')]"
                           ".filter(w => w.scrollWidth > w.clientWidth + 1).map(w => getComputedStyle(w).overflowX)")
    assert set(overflow) <= {"auto"} and (width < 1000 or overflow == [])
    level = browser.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert (level > 200) == (shade == "light")
    for view in ("threshold", "samples", "classes", "loss", "methods"):
        assert browser.run("return document.querySelector(arguments[0]).children.length", f'[data-view="{view}"]') > 1
    assert shown(browser, ".unscripted") == 0
    # Nothing is wider than the page, and texts are large enough to read on a phone.
    assert browser.run("return Math.min(...[...document.querySelectorAll('p, td, th, li, button')]"
                       ".map(e => parseFloat(getComputedStyle(e).fontSize)))") >= 11
    assert browser.console() == []


@pytest.mark.parametrize("width", [400, 1280])
def test_loads_prediction_files(browser, files, width):
    """Their table has a column for each standard metric; on a screen the last one is there, too."""
    browser.open(files, width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run("return document.querySelectorAll('.many thead th').length") > 8
    over = browser.run("return [...document.querySelectorAll('.wide:not(.tall)')].filter(w => w.scrollWidth > w.clientWidth + 1).length")
    assert width < 1000 or over == 0
    assert cells(browser, ".live thead th") == ["at the same MissRate", "base if r >", "MissRate, %", "HitRate, %", "RejectRate, %"]
    assert re.fullmatch("gmop raises OpenworldAUC from .*", browser.text(".finding"))
    assert browser.console() == []


@pytest.mark.parametrize("width", [400, 1280])
def test_ticks_have_room(browser, tmp_path, width):
    """Ticks are whole at the right end of an axis."""
    arrays = arrays_of("gmop", 1)
    arrays["score"] = 0.15 + 0.18 * np.argsort(np.argsort(arrays["score"])) / 300
    names = [tmp_path / f"{name}.npz" for name in ("base_energy", "base_over_new")]
    for path in names:
        np.savez(path, **{name: value for name, value in arrays.items() if name not in ("classes", "meta")})
    json_of("report", *names, "--out", tmp_path / "report.html")
    browser.open((tmp_path / "report.html").as_uri(), width=width)
    assert "0.35" in cells(browser, "svg.figure text")
    assert browser.run("return [...document.querySelectorAll('svg.figure text')].filter(t => { const r = t.getBoundingClientRect(),"
                       "s = t.closest('svg').getBoundingClientRect(); return r.left < s.left - 1 || r.right > s.right + 1; })"
                       ".map(t => t.textContent)") == []


def test_says_what_was_found(page):
    assert re.fullmatch(r"gmop raises OpenworldAUC on doodles:shapes from .* points, 95 % interval .*, p = .*\.",
                        page.text(".finding"))


def test_sorts(page):
    rows = "main > .wide tbody th"
    assert cells(page, rows)[:3] == list(LABELS)
    page.click("thead th:nth-child(6) button")
    assert cells(page, rows)[0] == "gmop"
    assert page.run("return document.querySelector('thead th:nth-child(6)').ariaSort") == "descending"
    page.click("thead th:nth-child(6) button")
    assert cells(page, rows)[0] == "zero-shot"
    assert "sort=0.5.0" in page.run("return location.hash")


def test_copies(page):
    page.run("window.copied = []; navigator.clipboard.writeText = async text => { window.copied.push(text); }")
    for i, (name, begins) in enumerate((("Markdown", "| method | BaseAcc"), ("LaTeX", "\\begin{tabular}{lrrrrr}\n\\toprule\nmethod & BaseAcc"),
                                        ("CSV", "method,BaseAcc"))):
        page.click(f".copy button:nth-of-type({i + 1})")
        page.wait(f"window.copied.length === {i + 1}")
        assert page.run("return window.copied.at(-1)").startswith(begins)
        page.wait(f"document.getElementById('said').textContent === 'copied as {name}'")


def test_hides_methods(page):
    everywhere = '[data-m="1"]:not(button)'
    before = shown(page, everywhere)
    assert before > 10
    page.click(".chip:nth-of-type(2)")
    assert shown(page, everywhere) == 0 and shown(page, '[data-m="2"]') > 10
    assert page.run("return location.hash").count("off=1") == 1
    page.click(".chip:nth-of-type(2)")
    assert shown(page, everywhere) == before


def expected(method, seed, k):
    """Rates by their definitions where the k samples of the largest scores are called base."""
    arrays = arrays_of(method, seed)
    score, side = arrays["score"], arrays["side"]
    t = np.sort(score)[::-1][k]
    logits = np.where(arrays["side"][:, None] == 0, arrays["base_logits"], arrays["new_logits"])
    right = logits.argmax(1) == arrays["label"]
    base, new, unknown = (side == value for value in (0, 1, -1))
    return [f"{100 * value:.2f}" for value in (
        (base & ((score <= t) | ~right)).sum() / base.sum(), (new & (score <= t) & right).sum() / new.sum(),
        (unknown & (score <= t)).sum() / unknown.sum())]


def rates(page, row=3):
    return [text.split(" ")[0] for text in cells(page, f".live tbody tr:nth-child({row}) td")[1:]]


def test_slides(page):
    """The slider moves rates and counts, which are those of the definitions; so do keys, and a pointer on a figure."""
    for k in (20, 150, 280):
        page.run("const s = document.getElementById('threshold'); s.value = s.max - arguments[0];"
                 "s.dispatchEvent(new Event('input', {bubbles: true}))", k)
        assert f": {k} of 300 samples called base" in page.text("output")
        assert rates(page) == expected("gmop", 1, k)
        kinds = [int(text) for text in cells(page, ".kind b")]
        assert sum(kinds) == 300
    page.keys("#threshold", "\ue012")  # arrow to the left: a lower threshold
    page.wait("document.querySelector('output').textContent.includes(': 281 of 300')")
    assert rates(page) == expected("gmop", 1, 281)
    before = page.text("output")
    page.drag('[data-view="threshold"] figure:nth-child(1) svg.figure', 60, 0)
    assert page.text("output") != before
    before = page.text("output")
    page.drag('[data-view="threshold"] figure:nth-child(2) svg.figure', -60, 0)
    assert page.text("output") != before


def test_threshold_of_another_run(page):
    page.choose('[data-view="threshold"] .choice:nth-of-type(2) select', "2")
    page.run("const s = document.getElementById('threshold'); s.value = s.max - 100;"
             "s.dispatchEvent(new Event('input', {bubbles: true}))")
    assert rates(page) == expected("gmop", 2, 100)
    page.choose('[data-view="threshold"] .choice:nth-of-type(1) select', "0")
    assert page.run("return document.querySelector('.live tr.active th').textContent") == "zero-shot"


def test_filters_samples(page):
    cards = '[data-view="samples"] .card'
    assert shown(page, cards) == 24 and shown(page, cards + " img") == 24
    # Of both sides and unknown, every method with its answer and r.
    assert set(cells(page, cards + " .tag")) == {"base", "new", "unknown"}
    assert page.run("return [...document.querySelectorAll('.card')].every(c => c.querySelectorAll('li').length === 3)")
    seen = 0
    for kind, title in (("right", "right"), ("wrong-class", "wrong class"), ("wrong-side", "wrong side"),
                        ("unknown-known", "unknown taken for known"), ("kept-out", "unknown kept out")):
        page.choose('[data-view="samples"] .choice:nth-of-type(2) select', kind)
        verdicts = cells(page, cards + " .verdict")
        assert set(verdicts) <= {title}
        seen += len(verdicts)
    assert seen == 24
    page.choose('[data-view="samples"] .choice:nth-of-type(2) select', "")
    page.choose('[data-view="samples"] .choice:nth-of-type(3) select', "new")
    assert set(cells(page, cards + " .tag")) == {"new"}
    page.choose('[data-view="samples"] .choice:nth-of-type(4) select', "7")
    assert set(cells(page, cards + " h4")) <= {"class 7new"}


def test_words_in_cards_are_not_broken(browser, url):
    """Where a line is too short for the names of a method and of a class, that of the method is cut."""
    browser.open(url)
    lines = browser.run("return [...document.querySelectorAll('.card .said')].filter(e => /^class/.test(e.textContent))"
                        ".map(e => e.getClientRects()[0].height / parseFloat(getComputedStyle(e).lineHeight))")
    assert lines and max(lines) < 1.5


def test_tables_of_classes_show_every_method(browser, url):
    browser.open(url, width=1280)
    assert browser.run("return [...document.querySelectorAll('.pair .wide')].every(w => w.scrollWidth <= w.clientWidth + 1)")


def test_ten_methods(browser, tmp_path):
    """Their classes have room beside each other, and the explorer begins with the best, not with the last."""
    paths = [write_run(tmp_path / f"{i}", "gmop" if i == 4 else "coop", changed={"x": i}) for i in range(10)]
    json_of("report", *paths, "--out", tmp_path / "report.html", "--resamples", 50)
    browser.open((tmp_path / "report.html").as_uri(), width=1280)
    assert cells(browser, ".live tr.active th") == ["gmop x=4"]
    assert browser.run("return document.querySelector('.pair table').tHead.rows[0].cells.length") == 13
    assert browser.run("return [...document.querySelectorAll('.pair .wide')].every(w => w.scrollWidth <= w.clientWidth + 1)")
    assert browser.console() == []


def test_state_is_in_the_address(page, url):
    page.click(".chip:nth-of-type(1)")
    page.run("const s = document.getElementById('threshold'); s.value = s.max - 77;"
             "s.dispatchEvent(new Event('input', {bubbles: true}))")
    page.choose('[data-view="samples"] .choice:nth-of-type(2) select', "wrong-side")
    page.choose('[data-view="classes"] select', "all")
    page.wait("location.hash.includes('k=77')")
    fragment = page.run("return location.hash")
    assert "among=all" in fragment
    page.click("nav a:nth-child(2)")
    assert page.run("return location.hash") == fragment + "&at=s2" or "at=s2" in page.run("return location.hash")
    page.open(url + fragment)
    assert ": 77 of 300 samples called base" in page.text("output")
    assert shown(page, '[data-m="0"]:not(button)') == 0
    assert page.run("return document.querySelector('[data-view=\"classes\"] select').value") == "all"
    assert set(cells(page, '[data-view="samples"] .verdict')) <= {"wrong side"}
    # What somebody else may have written there does no harm.
    page.open(url + "#d=99&m=99&k=99999999&kind=<b>&off=999&sort=9.9.1&class=77")
    assert shown(page, '[data-view="threshold"] output') == 1


def test_switches_between_light_and_dark(page):
    level = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]"
    light = page.run(level)
    page.click("nav button")
    assert page.run(level) < 60 < light
    page.click("nav button")
    assert page.run(level) == light


def test_names_are_texts(page):
    """Markup in titles, labels and class names is shown and does nothing."""
    assert page.text("h1") == MARKUP
    text = page.run("return document.body.textContent")
    assert MARKUP in page.text('[data-view="classes"]') and CODE in page.text('[data-view="classes"]')
    assert LABELS[1] in text
    assert page.run("return window.hacked === undefined && !document.querySelector('main b b, img[src=x]')")
    assert page.run("return document.querySelectorAll('script').length") == 2
    # And if a name became markup, the policy would stop it.
    page.run("const i = document.createElement('img'); i.setAttribute('onerror', 'window.hacked=1'); i.src = 'x';"
             "document.body.append(i); const s = document.createElement('script'); s.textContent = 'window.hacked=1';"
             "document.body.append(s)")
    page.wait("document.querySelectorAll('script').length === 3")
    assert page.run("return window.hacked === undefined")
    refused = [line for line in page.console() if "Content Security Policy" in line]
    assert refused


def test_works_by_keyboard(page):
    """Everything that can be clicked is reached by Tab."""
    assert page.run("return [...document.querySelectorAll('[onclick], button, select, input, a, summary')]"
                    ".every(e => e.tabIndex >= 0)")
    page.run("document.querySelector('.chip').focus()")
    page.keys(".chip", "\ue007")  # Enter
    assert page.run("return document.querySelector('.chip').getAttribute('aria-pressed')") == "false"


def test_prints(page):
    page.devtools("Emulation.setEmulatedMedia", media="print")
    assert shown(page, "nav") == 0 and shown(page, ".copy") == 0
    assert page.run("return [...document.querySelectorAll('.wide')].every(w => getComputedStyle(w).overflowX === 'visible')")
    page.devtools("Emulation.setEmulatedMedia", media="")
    page.run("window.opened = 0; document.querySelector('details').addEventListener('toggle', () => ++window.opened)")
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20000
    # What is folded is printed, and folded again.
    page.wait("window.opened > 0 && !document.querySelector('details[open]')")
