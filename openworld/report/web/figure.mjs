// A drawing with axes: the frame, and where numbers are on it.

import { drawn } from "./dom.mjs";
import { scale, ticksOf } from "./ticks.mjs";

// RIGHT is half of a tick's text such as 0.0035, which is larger on a phone.
const WIDTH = 480, HEIGHT = 320, LEFT = 52, RIGHT = 24, TOP = 12, BOTTOM = 46;

// {svg, plot, x, y, left, right, top, bottom}: contents go into `plot`. Ranges are widened to round ticks.
export function figure({title, xTitle, yTitle, xRange, yRange}) {
  const across = ticksOf(...xRange), up = ticksOf(...yRange, 5);
  const right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
  const x = scale(across.low, across.high, LEFT, right), y = scale(up.low, up.high, bottom, TOP);
  const svg = drawn("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "figure",
                            "font-size": 12, fill: "currentColor"});
  const line = d => drawn("path", {d, class: "grid"});
  for (const {value, text} of across.ticks) {
    svg.append(line(`M${x(value)} ${bottom}V${TOP}`),
      drawn("text", {x: x(value), y: bottom + 17, "text-anchor": "middle"}, text));
  }
  for (const {value, text} of up.ticks) {
    svg.append(line(`M${LEFT} ${y(value)}H${right}`),
      drawn("text", {x: LEFT - 7, y: y(value) + 4, "text-anchor": "end"}, text));
  }
  const plot = drawn("g", {});
  svg.append(
    drawn("text", {x: (LEFT + right) / 2, y: HEIGHT - 8, "text-anchor": "middle"}, xTitle),
    drawn("text", {transform: `translate(13 ${(TOP + bottom) / 2}) rotate(-90)`, "text-anchor": "middle"}, yTitle),
    plot, drawn("path", {d: `M${LEFT} ${TOP}V${bottom}H${right}`, class: "axis"}));
  return {svg, plot, x, y, left: LEFT, right, top: TOP, bottom, width: WIDTH, low: across.low, high: across.high};
}

export const points = list => list.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
