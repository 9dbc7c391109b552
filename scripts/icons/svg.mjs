// Shapes of an SVG that the renderer has simplified: groups, absolute paths of M, L, Q, C and Z, colours.
//
// A shape is {subpaths, fill, stroke, width, evenOdd}: subpaths are {points: [x, y, x, y, ...], closed},
// flattened and transformed; fill and stroke are a colour as text, or null.

const IDENTITY = [1, 0, 0, 1, 0, 0];
const OPAQUE = 0.35;  // fainter paint is shading, not a shape

function multiply(m, n) {
  return [
    m[0] * n[0] + m[2] * n[1], m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3], m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4], m[1] * n[4] + m[3] * n[5] + m[5],
  ];
}

function matrixOf(text) {
  const found = /matrix\(([^)]*)\)/.exec(text ?? '');
  return found ? found[1].trim().split(/[\s,]+/).map(Number) : IDENTITY;
}

function attributesOf(text) {
  const attributes = {};
  for (const [, name, value] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) attributes[name] = value;
  return attributes;
}

// Points of a path in steps of about `step`.
export function flatten(d, matrix, step) {
  const tokens = d.match(/[MLQCZ]|-?[\d.]+(?:e-?\d+)?/g) ?? [];
  const subpaths = [];
  let current = null, at = 0, x = 0, y = 0, startX = 0, startY = 0;
  const place = (px, py) => current.points.push(matrix[0] * px + matrix[2] * py + matrix[4],
                                                matrix[1] * px + matrix[3] * py + matrix[5]);
  const size = Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])) || 1;
  const pieces = (length) => Math.min(64, Math.max(1, Math.ceil(length * size / step)));
  const distance = (ax, ay, bx, by) => Math.sqrt((ax - bx) * (ax - bx) + (ay - by) * (ay - by));
  const begin = () => {
    if (!current) {
      current = {points: [], closed: false};
      subpaths.push(current);
      place(x, y);
    }
  };
  while (at < tokens.length) {
    const command = tokens[at++];
    const number = () => Number(tokens[at++]);
    if (command === 'M') {
      [x, y] = [number(), number()];
      [startX, startY] = [x, y];
      current = null;
    } else if (command === 'L') {
      const [ex, ey] = [number(), number()];
      begin();
      const n = pieces(distance(x, y, ex, ey));
      for (let i = 1; i <= n; ++i) place(x + (ex - x) * i / n, y + (ey - y) * i / n);
      [x, y] = [ex, ey];
    } else if (command === 'Q' || command === 'C') {
      let [ax, ay] = [number(), number()];
      let [bx, by] = [number(), number()];
      let ex = bx, ey = by;
      if (command === 'C') {
        [ex, ey] = [number(), number()];
      } else {
        [bx, by] = [ex + (ax - ex) * 2 / 3, ey + (ay - ey) * 2 / 3];
        [ax, ay] = [x + (ax - x) * 2 / 3, y + (ay - y) * 2 / 3];
      }
      begin();
      const n = pieces(distance(x, y, ax, ay) + distance(ax, ay, bx, by) + distance(bx, by, ex, ey));
      for (let i = 1; i <= n; ++i) {
        const t = i / n, u = 1 - t;
        const [p, q, r, s] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
        place(p * x + q * ax + r * bx + s * ex, p * y + q * ay + r * by + s * ey);
      }
      [x, y] = [ex, ey];
    } else if (command === 'Z') {
      if (current) {
        const n = pieces(distance(x, y, startX, startY));
        for (let i = 1; i < n; ++i) place(x + (startX - x) * i / n, y + (startY - y) * i / n);
        current.closed = true;
      }
      [x, y] = [startX, startY];
      current = null;
    } else {
      return [];  // not a path of the renderer
    }
  }
  return subpaths.filter((subpath) => subpath.points.length >= 4);
}

// The visible shapes, in the order in which they are painted. What masks and clips cut off is not cut.
export function shapesOf(svg, step) {
  const shapes = [];
  const stack = [{matrix: IDENTITY, opacity: 1, hidden: false}];
  for (const [, closing, tag, text, empty] of svg.matchAll(/<(\/?)([a-zA-Z]+)([^>]*?)(\/?)>/g)) {
    if (closing) {
      if (stack.length > 1) stack.pop();
      continue;
    }
    const top = stack[stack.length - 1];
    const attributes = attributesOf(text);
    const inner = {
      matrix: multiply(top.matrix, matrixOf(attributes.transform)),
      opacity: top.opacity * Number(attributes.opacity ?? 1),
      hidden: top.hidden || tag === 'defs' || tag === 'mask' || tag === 'clipPath' || tag === 'filter',
    };
    if (tag === 'path' && !inner.hidden && attributes.visibility !== 'hidden') {
      const painted = (colour, opacity) =>
        colour && colour !== 'none' && inner.opacity * Number(opacity ?? 1) >= OPAQUE ? colour : null;
      const fill = painted(attributes.fill ?? '#000000', attributes['fill-opacity']);
      const stroke = painted(attributes.stroke, attributes['stroke-opacity']);
      if (fill || stroke) {
        const m = inner.matrix;
        shapes.push({
          subpaths: flatten(attributes.d ?? '', m, step),
          fill, stroke,
          width: Number(attributes['stroke-width'] ?? 1) * Math.sqrt(Math.abs(m[0] * m[3] - m[1] * m[2])),
          evenOdd: attributes['fill-rule'] === 'evenodd',
        });
      }
    }
    if (!empty) stack.push(inner);
  }
  return shapes.filter((shape) => shape.subpaths.length > 0);
}
