// Draws lines as a hand would: slanted, wobbling, with strokes that are broken, overshoot or do not close,
// small ones left out, with a pen of some width.
//
// All lengths are in units of the paper's 48 pixels. A stroke is {points: [x, y, ...], widths: [...]}.

import {lengthOf} from './lines.mjs';

// How one drawing is drawn. The ranges are wide: from careful to careless.
export function habitsOf(random) {
  const care = random.uniform();  // 0 careless, 1 careful
  const loose = 1 - care;
  return {
    turn: random.normal() * (0.03 + 0.05 * loose),  // tangent of half the angle
    aspect: 1 + random.normal() * 0.09,
    shear: random.normal() * 0.07,
    bend: random.between(0, 2.6) * (0.3 + loose),
    wobble: 0.15 + 1.0 * loose * random.uniform(),
    wave: random.between(5, 14),  // length over which the wobble changes
    misplace: 0.15 + 1.0 * loose * random.uniform(),  // of whole strokes
    resize: 0.015 + 0.05 * loose * random.uniform(),
    smallest: random.chance(0.6) ? 0 : random.between(2, 6),  // shorter lines are left out
    covered: random.between(0.22, 0.5),  // share of the paper that ink may cover, the longest lines first
    corner: random.between(0, 0.8),  // how often a line is ended at a corner
    gap: 0.12 * loose,  // how often a line is interrupted
    over: random.between(0.2, 1.6),  // how far ends miss
    rounding: random.chance(0.6) ? 1 : 0,
    again: random.chance(0.07) ? random.between(0.3, 1) : 0,  // how often a line is drawn twice
    pen: random.between(1.5, 3.5),
    pressure: random.between(0, 0.25),
    ink: random.chance(0.7) ? 0 : Math.floor(random.between(0, 90)),  // grey of the darkest pixel
  };
}

// Points a unit apart.
export function resample(points, closed) {
  const out = [points[0], points[1]];
  const n = points.length;
  let left = 1;
  for (let i = 2; i < n + (closed ? 2 : 0); i += 2) {
    let [ax, ay] = [points[i - 2], points[i - 1]];
    const [bx, by] = [points[i % n], points[(i + 1) % n]];
    let length = Math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay));
    while (length >= left) {
      const t = left / length;
      [ax, ay] = [ax + (bx - ax) * t, ay + (by - ay) * t];
      out.push(ax, ay);
      length -= left;
      left = 1;
    }
    left -= length;
  }
  if (!closed && left < 0.9) out.push(points[n - 2], points[n - 1]);
  return out;
}

// Begins a closed line at `start` and draws it as an open one.
function open(points, start) {
  const n = points.length / 2;
  const out = [];
  for (let k = 0; k <= n; ++k) {
    const i = (start + k) % n;
    out.push(points[2 * i], points[2 * i + 1]);
  }
  return out;
}

// Indices of points where the direction over three points before and after turns by more than 55 degrees.
function cornersOf(points) {
  const n = points.length / 2, reach = 3;
  const corners = [];
  for (let i = reach; i + reach < n; ++i) {
    const [ax, ay] = [points[2 * i] - points[2 * (i - reach)], points[2 * i + 1] - points[2 * (i - reach) + 1]];
    const [bx, by] = [points[2 * (i + reach)] - points[2 * i], points[2 * (i + reach) + 1] - points[2 * i + 1]];
    const lengths = Math.sqrt((ax * ax + ay * ay) * (bx * bx + by * by));
    if (lengths > 0 && (ax * bx + ay * by) / lengths < 0.57) {
      if (corners.length && i - corners[corners.length - 1] < reach) continue;
      corners.push(i);
    }
  }
  return corners;
}

function cut(points, at) {
  const pieces = [];
  let from = 0;
  for (const i of [...at, points.length / 2 - 1]) {
    if (i - from >= 1) pieces.push(points.slice(2 * from, 2 * i + 2));
    from = i;
  }
  return pieces;
}

// Lengthens an open line at its end by `by`, or shortens it.
function letEndMiss(points, by) {
  const out = points.slice();
  if (by < 0) {
    const drop = Math.min(Math.floor(-by), Math.floor(out.length / 2) - 3);
    return drop > 0 ? out.slice(0, out.length - 2 * drop) : out;
  }
  const n = out.length;
  const back = Math.min(4, n / 2 - 1);
  const [dx, dy] = [out[n - 2] - out[n - 2 - 2 * back], out[n - 1] - out[n - 1 - 2 * back]];
  const length = Math.sqrt(dx * dx + dy * dy);
  if (length > 0) out.push(out[n - 2] + dx / length * by, out[n - 1] + dy / length * by);
  return out;
}

function reversed(points) {
  const out = [];
  for (let i = points.length - 2; i >= 0; i -= 2) out.push(points[i], points[i + 1]);
  return out;
}

// Corners cut off once (Chaikin).
function rounded(points) {
  const out = [points[0], points[1]];
  for (let i = 0; i + 3 < points.length; i += 2) {
    out.push(points[i] * 0.75 + points[i + 2] * 0.25, points[i + 1] * 0.75 + points[i + 3] * 0.25,
             points[i] * 0.25 + points[i + 2] * 0.75, points[i + 1] * 0.25 + points[i + 3] * 0.75);
  }
  out.push(points[points.length - 2], points[points.length - 1]);
  return out;
}

// Smooth noise along a line: random values every `wave` points, blended between.
class Noise {
  constructor(random, wave) {
    this.random = random;
    this.wave = wave;
    this.values = [];
  }

  at(i) {
    const place = i / this.wave, k = Math.floor(place), t = place - k;
    while (this.values.length < k + 2) this.values.push(this.random.normal());
    const s = t * t * (3 - 2 * t);
    return this.values[k] * (1 - s) + this.values[k + 1] * s;
  }
}

// A slow displacement of the whole drawing, from random values at the corners of a 3 x 3 grid.
class Bend {
  constructor(random, amount, side) {
    this.values = Array.from({length: 18}, () => random.normal() * amount);
    this.side = side;
  }

  at(x, y, axis) {
    const place = (v) => Math.min(1.999, Math.max(0, v / this.side * 2));
    const [px, py] = [place(x), place(y)];
    const [i, j] = [Math.floor(px), Math.floor(py)];
    const smooth = (t) => t * t * (3 - 2 * t);
    const [s, t] = [smooth(px - i), smooth(py - j)];
    const value = (a, b) => this.values[(b * 3 + a) * 2 + axis];
    return (value(i, j) * (1 - s) + value(i + 1, j) * s) * (1 - t) +
           (value(i, j + 1) * (1 - s) + value(i + 1, j + 1) * s) * t;
  }
}

// Pieces of a line that are drawn without lifting the pen.
function piecesOf(line, habits, random) {
  let points = line.points;
  if (line.closed) {
    const n = points.length / 2;
    const corners = cornersOf(open(points, 0));
    const start = corners.length && random.chance(0.7)
      ? corners[Math.floor(random.uniform() * corners.length)] % n : Math.floor(random.uniform() * n);
    points = open(points, start);
  }
  const at = cornersOf(points).filter(() => random.chance(habits.corner));
  return cut(points, at).flatMap((piece) => {
    const n = piece.length / 2;
    if (n < 14 || !random.chance(habits.gap)) return [piece];
    const middle = Math.floor(random.between(5, n - 5)), width = 1 + Math.floor(random.uniform() * 3);
    return [piece.slice(0, 2 * (middle - width) + 2), piece.slice(2 * middle)];
  });
}

function strokeOf(piece, habits, random, bend, side) {
  let points = piece;
  if (points.length >= 8) {
    points = letEndMiss(points, random.normal() * habits.over);
    points = reversed(letEndMiss(reversed(points), random.normal() * habits.over * 0.6));
  }
  points = resample(points, false);
  for (let i = 0; i < habits.rounding; ++i) points = rounded(points);
  const n = points.length / 2;
  let [mx, my] = [0, 0];
  for (let i = 0; i < n; ++i) {
    mx += points[2 * i] / n;
    my += points[2 * i + 1] / n;
  }
  // Short strokes are misplaced less, or details would fall apart.
  const share = Math.min(1, n / 20);
  const [sx, sy] = [random.normal() * habits.misplace * share, random.normal() * habits.misplace * share];
  const zoom = 1 + random.normal() * habits.resize;
  const [nx, ny] = [new Noise(random, habits.wave), new Noise(random, habits.wave)];
  const pressure = new Noise(random, habits.wave);
  const wobble = habits.wobble * Math.min(1, 0.35 + n / 40);
  const square = habits.turn * habits.turn;
  const [cos, sin] = [(1 - square) / (1 + square), 2 * habits.turn / (1 + square)];
  const out = {points: [], widths: []};
  for (let i = 0; i < n; ++i) {
    let x = mx + (points[2 * i] - mx) * zoom + sx + nx.at(i) * wobble;
    let y = my + (points[2 * i + 1] - my) * zoom + sy + ny.at(i) * wobble;
    [x, y] = [x + bend.at(x, y, 0), y + bend.at(x, y, 1)];
    x = (x - side / 2) * habits.aspect + (y - side / 2) * habits.shear;
    y -= side / 2;
    out.points.push(cos * x - sin * y, sin * x + cos * y);
    out.widths.push(habits.pen * Math.max(0.5, 1 + pressure.at(i) * habits.pressure));
  }
  return out;
}

// Strokes of a drawing of `lines`, which fill a square of `side`, on paper of that side with a margin.
export function drawByHand(lines, side, habits, random) {
  let room = habits.covered * side * side / habits.pen;
  const drawn = lines.filter(({points, closed}, i) => {
    const length = lengthOf(points, closed);
    if (i > 0 && (length < habits.smallest || length > room)) return false;
    room -= length;
    return true;
  });
  const bend = new Bend(random, habits.bend, side);
  const strokes = [];
  for (const line of drawn) {
    const even = {points: resample(line.points, line.closed), closed: line.closed};
    for (const piece of piecesOf(even, habits, random)) {
      strokes.push(strokeOf(piece, habits, random, bend, side));
      if (random.chance(habits.again)) strokes.push(strokeOf(piece, habits, random, bend, side));
    }
  }
  return centred(strokes, side, habits.pen);
}

// Moved and scaled so that the ink fills the paper up to a margin.
export function centred(strokes, side, pen) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const {points} of strokes) {
    for (let i = 0; i < points.length; i += 2) {
      left = Math.min(left, points[i]);
      right = Math.max(right, points[i]);
      top = Math.min(top, points[i + 1]);
      bottom = Math.max(bottom, points[i + 1]);
    }
  }
  const size = Math.max(right - left, bottom - top, 1);
  const scale = (side - 2 - pen) / size;
  const dx = side / 2 - (left + right) / 2 * scale, dy = side / 2 - (top + bottom) / 2 * scale;
  return strokes.map(({points, widths}) => ({
    widths, points: points.map((v, i) => v * scale + (i % 2 ? dy : dx)),
  }));
}
