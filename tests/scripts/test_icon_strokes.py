"""Drawings by hand from the paths of icons, scripts/icons/*.mjs, on small inputs."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "icons"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

PRELUDE = f"""
import {{flatten, shapesOf}} from '{SCRIPTS}/svg.mjs';
import {{fitShapes, linesOf, lengthOf}} from '{SCRIPTS}/lines.mjs';
import {{drawByHand, habitsOf, resample}} from '{SCRIPTS}/hand.mjs';
import {{boxOf, cropTo, inkOf}} from '{SCRIPTS}/paper.mjs';
import {{hashOf, Random}} from '{SCRIPTS}/random.mjs';
const svg = (inner) => `<svg width="128" height="128" viewBox="0 0 24 24"><defs/>${{inner}}</svg>`;
const lines = (inner) => linesOf(fitShapes(shapesOf(svg(inner), 0.5), 48), 48);
const drawing = (inner, seed) => {{
  const random = new Random(seed), habits = habitsOf(random);
  return [...inkOf(drawByHand(lines(inner), 48, habits, random), 48, habits.ink)];
}};
const circle = (r, extra) => `<path ${{extra}} d="M ${{12 + r}} 12 C ${{12 + r}} ${{12 + r * 0.5523}} ` +
  `${{12 + r * 0.5523}} ${{12 + r}} 12 ${{12 + r}} C ${{12 - r * 0.5523}} ${{12 + r}} ${{12 - r}} ` +
  `${{12 + r * 0.5523}} ${{12 - r}} 12 C ${{12 - r}} ${{12 - r * 0.5523}} ${{12 - r * 0.5523}} ${{12 - r}} ` +
  `12 ${{12 - r}} C ${{12 + r * 0.5523}} ${{12 - r}} ${{12 + r}} ${{12 - r * 0.5523}} ${{12 + r}} 12 Z"/>`;
const square = (a, b, extra) => `<path ${{extra}} d="M ${{a}} ${{a}} L ${{b}} ${{a}} L ${{b}} ${{b}} L ${{a}} ${{b}} Z"/>`;
const show = (value) => console.log(JSON.stringify(value));
"""


def run(code):
    done = subprocess.run(["node", "--input-type=module", "-e", PRELUDE + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_random_numbers_are_the_same_everywhere():
    values = run("const r = new Random(hashOf('mdi:cat#0')); show([hashOf('mdi:cat#0'), r.next(), r.next()]);")
    assert values == [455587130, 912356747, 2125194047]


def test_random_numbers_have_their_moments():
    mean, variance, low, high = run("""
      const r = new Random(1), x = Array.from({length: 20000}, () => r.normal());
      const mean = x.reduce((a, b) => a + b) / x.length;
      const u = Array.from({length: 20000}, () => r.between(2, 3));
      show([mean, x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length, Math.min(...u), Math.max(...u)]);""")
    assert abs(mean) < 0.03 and abs(variance - 1) < 0.03 and 2 <= low < 2.001 and 2.999 < high < 3


def test_paths_are_flattened():
    paths = run("""show([
      flatten('M 0 0 L 4 0 L 4 3 Z M 10 10 L 11 10', [1, 0, 0, 1, 0, 0], 1),
      flatten('M 0 0 Q 1 2 2 0', [1, 0, 0, 1, 0, 0], 10),
      flatten('M 0 0 C 0 1 1 1 1 0', [2, 0, 0, 2, 5, 6], 100),
      flatten('M 0 0 A 1 1 0 0 0 3 3', [1, 0, 0, 1, 0, 0], 1)]);""")
    assert [subpath["closed"] for subpath in paths[0]] == [True, False]
    assert paths[0][0]["points"][:10] == [0, 0, 1, 0, 2, 0, 3, 0, 4, 0]
    assert len(paths[0][0]["points"]) == 2 * 12  # the sides 4, 3 and 5, the last up to the start
    assert paths[1][0]["points"] == [0, 0, 2, 0]
    assert paths[2][0]["points"] == [5, 6, 7, 6]
    assert paths[3] == []


def test_shapes_of_groups_and_colours():
    shapes = run("""show(shapesOf(svg(
      '<g transform="matrix(2 0 0 2 1 0)"><g opacity="0.5"><path fill="#ff0000" d="M 0 0 L 1 0 L 1 1 Z"/></g>' +
      '<path fill="none" stroke="#00ff00" stroke-width="1.5" d="M 0 0 L 1 1"/></g>' +
      '<path fill="#0000ff" fill-opacity="0.2" d="M 0 0 L 9 9 L 0 9 Z"/>' +
      '<defs><path d="M 0 0 L 5 5"/></defs><path fill="none" stroke="none" d="M 0 0 L 5 5"/>'), 1));""")
    assert [(shape["fill"], shape["stroke"], shape["width"]) for shape in shapes] == [
        ("#ff0000", None, 2), (None, "#00ff00", 3)]
    assert shapes[0]["subpaths"][0]["points"][:2] == [1, 0]


def test_a_stroke_is_its_centre_line():
    (line,) = run("""show(lines('<path fill="none" stroke="#000000" stroke-width="2" d="M 4 4 L 20 4"/>'));""")
    assert not line["closed"]
    points = np.array(line["points"]).reshape(-1, 2)
    assert np.allclose(points[:, 1], 24) and points[:, 0].min() == 0 and points[:, 0].max() == 48


def test_a_disc_is_its_outline():
    (line,) = run("show(lines(circle(8, 'fill=\"#000000\"')));")
    assert line["closed"]
    radius = np.linalg.norm(np.array(line["points"]).reshape(-1, 2) - 24, axis=1)
    assert np.allclose(radius, 24, atol=0.1)


def test_a_thin_ring_is_one_line_and_a_thick_one_two():
    ring = """const ring = (a, b) => lines(circle(a, 'fill="#000000" fill-rule="evenodd"').replace(/"\\/>$/, '') +
      ' ' + /d="(.*)"/.exec(circle(b, ''))[1] + '"/>');"""
    assert run(ring + "show(ring(10, 9).length);") == 1
    assert run(ring + "show(ring(10, 4).length);") == 2


def test_what_is_covered_is_not_drawn():
    hidden = run("""show(lines(circle(4, 'fill="#ff0000"') + square(2, 22, 'fill="#0000ff"')).length);""")
    shown = run("""show(lines(square(2, 22, 'fill="#0000ff"') + circle(4, 'fill="#ff0000"')).length);""")
    shade = run("""show(lines(square(2, 22, 'fill="#0000ff"') + circle(4, 'fill="#0808f8"')).length);""")
    assert (hidden, shown, shade) == (1, 2, 1)


def test_points_a_unit_apart():
    points = np.array(run("show(resample([0, 0, 10, 0, 10, 5.5], false));")).reshape(-1, 2)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert np.allclose(steps[:-1], 1) and points[-1].tolist() == [10, 5.5]
    closed = np.array(run("show(resample([0, 0, 8, 0, 8, 8, 0, 8], true));")).reshape(-1, 2)
    assert len(closed) in (32, 33)


CAT = ("'<path fill=\"none\" stroke=\"#000000\" stroke-width=\"2\" d=\"M 4 20 L 4 4 L 9 8 L 15 8 L 20 4 L 20 20 Z\"/>' + "
       "'<path fill=\"none\" stroke=\"#000000\" stroke-width=\"2\" d=\"M 9 13 L 9 14 M 15 13 L 15 14\"/>'")


def test_drawings_by_hand():
    drawings = np.array(run(f"show([1, 2, 3, 4, 5, 6, 7, 8, 1].map((seed) => drawing({CAT}, seed)));"))
    assert drawings.shape == (9, 48 * 48) and drawings.max() == 255
    assert (drawings[0] == drawings[8]).all()
    assert len({drawing.tobytes() for drawing in drawings[:8]}) == 8
    for drawing in drawings.reshape(-1, 48, 48)[:8]:
        ink = drawing < 128
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        assert 0.03 < ink.mean() < 0.5
        # Centred, and as large as the paper allows in one direction.
        assert abs(rows[0] + rows[-1] - 47) <= 2 and abs(columns[0] + columns[-1] - 47) <= 2
        assert max(rows[-1] - rows[0], columns[-1] - columns[0]) >= 40
        assert not ink[0].any() and not ink[:, 0].any()


def test_ink_is_as_wide_as_the_pen():
    pixels = np.array(run("""show([...inkOf([{points: [4, 24.5, 44, 24.5], widths: [3, 3]}], 48, 30)]);"""))
    pixels = pixels.reshape(48, 48)
    assert pixels[23:26, 24].tolist() == [30, 30, 30] and pixels[22, 24] == pixels[26, 24] == 255
    half = np.array(run("""show([...inkOf([{points: [4, 24, 44, 24], widths: [2, 2]}], 48, 0)]);""")).reshape(48, 48)
    assert half[22:26, 24].tolist() == [255, 0, 0, 255]


def test_pictures_are_cropped_to_their_ink():
    boxes, pixels = run("""
      const width = 100, p = new Uint8Array(width * width * 4).fill(255);
      for (let y = 20; y < 60; ++y) for (let x = 10; x < 30; ++x) p[(y * width + x) * 4 + 1] = 0;
      show([boxOf(p, width, width), [...cropTo(p, width, boxOf(p, width, width), 48, 2)]]);""")
    assert boxes == [10, 20, 30, 60]
    pixels = np.array(pixels).reshape(48, 48, 3)
    assert (pixels[2:46, 13:35] == [255, 0, 255]).all()
    assert (pixels[:2] == 255).all() and (pixels[:, :13] == 255).all() and (pixels[:, 35:] == 255).all()
