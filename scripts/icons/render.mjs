// Draws icons: node render.mjs ICONS RENDERER SIDE < JOBS > PICTURES
//
// A line of JOBS is {"set": "mdi", "icon": "cat"}, for the icon in grey; with "colour": true, in RGB; with
// "hand": 7, the seventh drawing of it by hand, in grey. For each line PICTURES has a byte, 1 if it could be
// drawn, and SIDE x SIDE pixels.

import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {drawByHand, habitsOf} from './hand.mjs';
import {fitShapes, linesOf} from './lines.mjs';
import {boxOf, cropTo, inkOf} from './paper.mjs';
import {hashOf, Random} from './random.mjs';
import {shapesOf} from './svg.mjs';

const LARGE = 128;  // pixels at which an icon is rendered before it is cropped
const MARGIN = 2;

const [icons, rendererFolder, sideText] = process.argv.slice(2);
const side = Number(sideText);

// The renderer stops for good when an icon breaks it; then a new one is loaded.
let renderer = null, loads = 0;
async function loadRenderer() {
  const url = pathToFileURL(path.join(rendererFolder, 'index.mjs'));
  renderer = await import(`${url}?${loads++}`);
  await renderer.initWasm(fs.readFileSync(path.join(rendererFolder, 'index_bg.wasm')));
}

let openSet = {};
function iconOf(set, name) {
  if (openSet.name !== set) {
    const json = JSON.parse(fs.readFileSync(path.join(icons, 'json', `${set}.json`), 'utf8'));
    openSet = {name: set, json};
  }
  const {json} = openSet, icon = json.icons[name];
  return {
    body: icon.body,
    left: icon.left ?? json.left ?? 0, top: icon.top ?? json.top ?? 0,
    width: icon.width ?? json.width ?? 16, height: icon.height ?? json.height ?? 16,
  };
}

// The text of an SVG that shows the square [x, y, x + size, y + size] of an icon.
const svgOf = (icon, x, y, size) =>
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" color="#000" ' +
  `width="${LARGE}" height="${LARGE}" viewBox="${x} ${y} ${size} ${size}">${icon.body}</svg>`;

function squareOf(icon) {
  const size = Math.max(icon.width, icon.height);
  return [icon.left - (size - icon.width) / 2, icon.top - (size - icon.height) / 2, size];
}

function withTree(svg, use) {
  const tree = new renderer.Resvg(svg, {background: 'white', font: {loadSystemFonts: false}});
  try {
    return use(tree);
  } finally {
    tree.free();
  }
}

function pixelsOf(svg) {
  return withTree(svg, (tree) => {
    const image = tree.render();
    const pixels = image.pixels;
    image.free();
    return pixels;
  });
}

function pictureOf(icon) {
  const [x, y, size] = squareOf(icon);
  let pixels = pixelsOf(svgOf(icon, x, y, size));
  let box = boxOf(pixels, LARGE, LARGE);
  if (!box) return null;
  const longest = Math.max(box[2] - box[0], box[3] - box[1]);
  if (longest < LARGE * 0.7) {
    // Small in its square: rendered again, larger.
    const cell = size / LARGE, part = (longest + 4) * cell;
    const left = x + (box[0] + box[2]) / 2 * cell - part / 2, top = y + (box[1] + box[3]) / 2 * cell - part / 2;
    pixels = pixelsOf(svgOf(icon, left, top, part));
    box = boxOf(pixels, LARGE, LARGE);
    if (!box) return null;
  }
  return cropTo(pixels, LARGE, box, side, MARGIN);
}

function greyOf(rgb) {
  return Uint8Array.from({length: rgb.length / 3}, (_, i) =>
    (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) >> 8);
}

let openLines = {};
function linesOfIcon(icon, key) {
  if (openLines.key !== key) {
    const [x, y, size] = squareOf(icon);
    const text = withTree(svgOf(icon, x, y, size), (tree) => tree.toString());
    const lines = text.includes('<mask') || text.includes('<image')
      ? [] : linesOf(fitShapes(shapesOf(text, size / side), side), side);
    openLines = {key, lines};
  }
  return openLines.lines;
}

function drawingOf(icon, key, hand) {
  const lines = linesOfIcon(icon, key);
  if (lines.length === 0) return null;
  const random = new Random(hashOf(`${key}#${hand}`));
  const habits = habitsOf(random);
  return inkOf(drawByHand(lines, side, habits, random), side, habits.ink);
}

async function draw({set, icon: name, colour, hand}) {
  try {
    const icon = iconOf(set, name);
    if (hand !== undefined) return drawingOf(icon, `${set}:${name}`, hand);
    const picture = pictureOf(icon);
    return picture && !colour ? greyOf(picture) : picture;
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) await loadRenderer();
    return null;
  }
}

await loadRenderer();
const jobs = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
for (const job of jobs) {
  const pixels = await draw(job);
  const bytes = Buffer.alloc(1 + side * side * (job.colour ? 3 : 1));
  if (pixels) {
    bytes[0] = 1;
    bytes.set(pixels, 1);
  }
  fs.writeSync(1, bytes);
}
