// From painted shapes to the lines that a hand would draw: centre lines of strokes, outlines of areas, and
// of two lines side by side only one.
//
// A line is {points: [x, y, ...], closed}.

const GRID = 96;  // cells a side on which the shapes are painted, to see which edges show
const SAME_COLOUR = 48;  // colours that differ less, over the three channels, are shades of one

// Shapes in the coordinates of a square of `side`, their longer side filling it.
export function fitShapes(shapes, side) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const {subpaths} of shapes) {
    for (const {points} of subpaths) {
      for (let i = 0; i < points.length; i += 2) {
        left = Math.min(left, points[i]);
        right = Math.max(right, points[i]);
        top = Math.min(top, points[i + 1]);
        bottom = Math.max(bottom, points[i + 1]);
      }
    }
  }
  const size = Math.max(right - left, bottom - top);
  if (!(size > 0)) return [];
  const scale = side / size;
  const dx = (side - (right - left) * scale) / 2 - left * scale;
  const dy = (side - (bottom - top) * scale) / 2 - top * scale;
  return shapes.map((shape) => ({
    ...shape,
    width: shape.width * scale,
    subpaths: shape.subpaths.map(({points, closed}) => ({
      closed, points: points.map((v, i) => v * scale + (i % 2 ? dy : dx)),
    })),
  }));
}

function channelsOf(colour) {
  const found = /^#([\da-f]{6})$/i.exec(colour);
  if (!found) return null;
  const value = parseInt(found[1], 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Numbers for colours; shades of one colour have one number. Paper is 0.
class Palette {
  constructor() {
    this.colours = [[255, 255, 255]];
    this.named = new Map();
  }

  numberOf(colour) {
    if (this.named.has(colour)) return this.named.get(colour);
    const channels = channelsOf(colour);
    let number = -1;
    if (channels) {
      number = this.colours.findIndex((other) => other &&
        Math.abs(other[0] - channels[0]) + Math.abs(other[1] - channels[1]) +
        Math.abs(other[2] - channels[2]) < SAME_COLOUR);
    }
    if (number < 0) number = this.colours.push(channels) - 1;
    this.named.set(colour, number);
    return number;
  }
}

// Returns the area.
function paintArea(grid, shape, side, number) {
  const cell = side / GRID;
  let cells = 0;
  for (let row = 0; row < GRID; ++row) {
    const y = (row + 0.5) * cell;
    const crossings = [];
    for (const {points} of shape.subpaths) {
      const n = points.length;
      for (let i = 0; i < n; i += 2) {
        const [ax, ay] = [points[i], points[i + 1]];
        const [bx, by] = [points[(i + 2) % n], points[(i + 3) % n]];
        if ((ay <= y) !== (by <= y)) {
          crossings.push([ax + (bx - ax) * (y - ay) / (by - ay), ay < by ? 1 : -1]);
        }
      }
    }
    crossings.sort((a, b) => a[0] - b[0]);
    let winding = 0;
    for (let i = 0; i + 1 < crossings.length; ++i) {
      winding += shape.evenOdd ? 1 : crossings[i][1];
      if (shape.evenOdd ? winding % 2 === 0 : winding === 0) continue;
      const from = Math.max(0, Math.ceil(crossings[i][0] / cell - 0.5));
      const to = Math.min(GRID - 1, Math.ceil(crossings[i + 1][0] / cell - 0.5) - 1);
      for (let column = from; column <= to; ++column) grid[row * GRID + column] = number;
      cells += Math.max(0, to - from + 1);
    }
  }
  return cells * cell * cell;
}

function paintStroke(grid, shape, side, number) {
  const cell = side / GRID;
  const radius = Math.max(shape.width / 2, cell * 0.6);
  const reach = Math.ceil(radius / cell);
  for (const {points} of shape.subpaths) {
    for (let i = 0; i < points.length; i += 2) {
      const [cx, cy] = [Math.floor(points[i] / cell), Math.floor(points[i + 1] / cell)];
      for (let row = Math.max(0, cy - reach); row <= Math.min(GRID - 1, cy + reach); ++row) {
        for (let column = Math.max(0, cx - reach); column <= Math.min(GRID - 1, cx + reach); ++column) {
          const [x, y] = [(column + 0.5) * cell - points[i], (row + 0.5) * cell - points[i + 1]];
          if (x * x + y * y <= radius * radius) grid[row * GRID + column] = number;
        }
      }
    }
  }
}

// The colours of the finished picture, a number for each cell, and the areas of the shapes.
function paint(shapes, side, palette) {
  const grid = new Uint16Array(GRID * GRID);
  const areas = shapes.map((shape) => {
    const area = shape.fill ? paintArea(grid, shape, side, palette.numberOf(shape.fill)) : 0;
    if (shape.stroke) paintStroke(grid, shape, side, palette.numberOf(shape.stroke));
    return area;
  });
  return {grid, areas};
}

// Whether colours meet near (x, y); paper beyond the border.
function hasEdge(grid, side, x, y) {
  const column = Math.floor(x / side * GRID), row = Math.floor(y / side * GRID);
  let first = -1;
  for (let r = row - 1; r <= row + 1; ++r) {
    for (let c = column - 1; c <= column + 1; ++c) {
      const colour = r < 0 || c < 0 || r >= GRID || c >= GRID ? 0 : grid[r * GRID + c];
      if (first < 0) first = colour;
      if (colour !== first) return true;
    }
  }
  return false;
}

function showsAt(grid, side, x, y, number) {
  const column = Math.min(GRID - 1, Math.max(0, Math.floor(x / side * GRID)));
  const row = Math.min(GRID - 1, Math.max(0, Math.floor(y / side * GRID)));
  return grid[row * GRID + column] === number;
}

export function lengthOf(points, closed) {
  let length = 0;
  for (let i = 2; i < points.length; i += 2) {
    const [x, y] = [points[i] - points[i - 2], points[i + 1] - points[i - 1]];
    length += Math.sqrt(x * x + y * y);
  }
  if (closed) {
    const [x, y] = [points[0] - points[points.length - 2], points[1] - points[points.length - 1]];
    length += Math.sqrt(x * x + y * y);
  }
  return length;
}

// Twice the area over the length of the outline: the width of a shape that is itself a line.
function widthOf(shape, area) {
  const length = shape.subpaths.reduce((sum, {points}) => sum + lengthOf(points, true), 0);
  return length > 0 ? 2 * area / length : 0;
}

// Runs of points for which `keep` holds, as lines. A closed line that is kept whole stays closed.
function runsOf(points, closed, keep) {
  const n = points.length / 2;
  let dropped = -1;
  for (let i = 0; i < n && dropped < 0; ++i) {
    if (!keep[i]) dropped = i;
  }
  if (dropped < 0) return [{points, closed}];
  const runs = [];
  let run = null;
  const from = closed ? dropped : 0;
  for (let k = 0; k < n; ++k) {
    const i = (from + k) % n;
    if (keep[i]) {
      if (!run) runs.push(run = {points: [], closed: false});
      run.points.push(points[2 * i], points[2 * i + 1]);
    } else {
      run = null;
    }
  }
  return runs.filter((each) => each.points.length >= 4);
}

// Leaves out points with ink nearby: on another line, or further along the same one.
class Ink {
  constructor(reach) {
    this.cells = new Map();
    this.size = reach;
    this.lines = 0;
  }

  key(x, y) {
    return Math.floor(x / this.size) * 4096 + Math.floor(y / this.size);
  }

  isNear(x, y, reach, line, along, whole) {
    const steps = Math.ceil(reach / this.size);
    const [cx, cy] = [Math.floor(x / this.size), Math.floor(y / this.size)];
    for (let a = cx - steps; a <= cx + steps; ++a) {
      for (let b = cy - steps; b <= cy + steps; ++b) {
        for (const ink of this.cells.get(a * 4096 + b) ?? []) {
          const [dx, dy] = [ink.x - x, ink.y - y];
          if (dx * dx + dy * dy >= reach * reach) continue;
          if (ink.line !== line) return true;
          const gap = Math.abs(ink.along - along);
          if (Math.min(gap, whole - gap) > 3 * reach) return true;
        }
      }
    }
    return false;
  }

  add(x, y, line, along) {
    const key = this.key(x, y);
    if (!this.cells.has(key)) this.cells.set(key, []);
    this.cells.get(key).push({x, y, line, along});
  }
}

// Where a run was cut because of other ink, it is let on by `more` points, so that lines still meet.
function thin(line, ink) {
  const {points, closed, reach} = line;
  const n = points.length / 2;
  const whole = closed ? lengthOf(points, true) : Infinity;
  const keep = new Uint8Array(n);
  const number = ink.lines++;
  let along = 0;
  for (let i = 0; i < n; ++i) {
    const [x, y] = [points[2 * i], points[2 * i + 1]];
    if (i > 0) {
      const [dx, dy] = [x - points[2 * i - 2], y - points[2 * i - 1]];
      along += Math.sqrt(dx * dx + dy * dy);
    }
    if (ink.isNear(x, y, reach, number, along, whole)) continue;
    keep[i] = 1;
    ink.add(x, y, number, along);
  }
  const more = Math.round(reach * 0.6);
  const kept = Uint8Array.from(keep);
  for (let i = 0; i < n; ++i) {
    if (!keep[i]) continue;
    for (let k = -more; k <= more; ++k) {
      const j = closed ? (i + k + n) % n : i + k;
      if (j >= 0 && j < n) kept[j] = 1;
    }
  }
  // A piece shorter than the reach is the end of a line that was seen twice.
  const before = runsOf(points, closed, keep).filter((run) =>
    run.closed || run.points.length === points.length || lengthOf(run.points, false) > reach * 0.8);
  if (before.length === 0) return [];
  return runsOf(points, closed, kept).filter((run) => lengthOf(run.points, run.closed) > reach);
}

// The lines of shapes that fill a square of `side`, longest first. Points are about a unit apart.
export function linesOf(shapes, side) {
  const palette = new Palette();
  const {grid, areas} = paint(shapes, side, palette);
  const found = [];
  for (const [i, shape] of shapes.entries()) {
    const stroked = shape.stroke !== null;
    const width = widthOf(shape, areas[i]);
    const number = stroked ? palette.numberOf(shape.stroke) : palette.numberOf(shape.fill);
    // A filled shape of small width is a line with two edges.
    const reach = stroked ? 1.2 : Math.min(5.5, Math.max(2, width < 0.13 * side ? 1.4 * width : 2));
    for (const {points, closed} of shape.subpaths) {
      const keep = new Uint8Array(points.length / 2);
      for (let i = 0; i < keep.length; ++i) {
        const [x, y] = [points[2 * i], points[2 * i + 1]];
        keep[i] = stroked ? showsAt(grid, side, x, y, number) : hasEdge(grid, side, x, y);
      }
      for (const run of runsOf(points, closed || !stroked, keep)) {
        found.push({...run, reach, length: lengthOf(run.points, run.closed)});
      }
    }
  }
  found.sort((a, b) => b.length - a.length);
  const ink = new Ink(2);
  return found.flatMap((line) => thin(line, ink)).sort((a, b) =>
    lengthOf(b.points, b.closed) - lengthOf(a.points, a.closed));
}
