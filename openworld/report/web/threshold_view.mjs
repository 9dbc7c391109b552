// The threshold explorer: a slider, rates and counts of every method, scores by side, and the curve.

import { UNKNOWN } from "./decode.mjs";
import { chooser, colourOf, dashesOf, drawn, element, swatch } from "./dom.mjs";
import { figure, points } from "./figure.mjs";
import { KINDS } from "./kinds.mjs";
import { boundaryAt, corners, curvePoints, gainName, histogram, kindCounts, ratesAt, wilson } from "./rates.mjs";
import { percent, score } from "./texts.mjs";

const SIDES = [["base", "base"], ["new", "new"], ["unknown", "unknown"]];

export class ThresholdView {
  // `page` has data, runs, state and changed(), which draws everything that depends on the threshold.
  constructor(place, page) {
    this.page = page;
    this.place = place;
    this.build();
  }

  build() {
    const {data, runs, state} = this.page;
    this.group = Math.min(state.d ?? 0, data.groups.length - 1);
    const methods = runs.methods(this.group), seeds = runs.seeds(this.group);
    this.seed = seeds.includes(state.s) ? state.s : seeds[0];
    this.method = methods.includes(state.m) ? state.m : runs.first(this.group, this.seed);
    this.run = runs.find(this.group, this.method, this.seed);
    this.at = state.k === undefined ? runs.start(this.run) : boundaryAt(this.run, state.k);

    const rebuild = change => { Object.assign(state, change); delete state.k; this.build(); this.page.changed(); };
    const controls = element("div", {class: "controls"},
      data.groups.length > 1 && chooser("test set", data.groups.map((group, i) => [i, group.name]), this.group,
        value => rebuild({d: Number(value), m: undefined, s: undefined})) || null,
      methods.length > 1 && chooser("method", methods.map(m => [m, data.methods[m]]), this.method,
        value => rebuild({m: Number(value)})) || null,
      seeds.length > 1 && chooser("seed", seeds.map(s => [s, s]), this.seed,
        value => rebuild({s: Number(value)})) || null);

    const last = this.run.boundaries.length - 1;
    this.slider = element("input", {type: "range", min: 0, max: last, step: 1, id: "threshold",
      "aria-label": "threshold", oninput: () => this.move(last - Number(this.slider.value))});
    this.output = element("output", {for: "threshold"});
    const slide = element("div", {class: "slide"}, element("span", {class: "ends"}, "everything base"), this.slider,
      element("span", {class: "ends"}, "nothing base"));
    this.buildTable(methods);
    this.kinds = element("div", {class: "kinds", "aria-live": "off"});
    const histogramFigure = this.buildHistogram(), curveFigure = this.buildCurve(methods);
    this.place.replaceChildren(controls, this.output, slide, this.kinds,
      element("div", {class: "figures"}, histogramFigure, curveFigure), this.table, this.note());
    this.update();
  }

  move(at) {
    this.at = Math.max(0, Math.min(this.run.boundaries.length - 1, at));
    this.page.state.k = this.run.boundaries[this.at];
    this.update();
    this.page.moved();
  }

  buildTable(methods) {
    const {data} = this.page;
    const has = this.page.runs.methods(this.group).map(m => this.page.runs.find(this.group, m, this.seed));
    this.columns = [["MissRate", "miss"]];
    if (has.some(run => run && gainName(run) === "hit")) this.columns.push(["HitRate", "hit"]);
    if (has.some(run => run && run.total[UNKNOWN] > 0)) this.columns.push(["RejectRate", "reject"]);
    this.rows = new Map();
    const body = element("tbody", {});
    for (const method of methods) {
      const cells = [element("td", {}), ...this.columns.map(() => element("td", {}))];
      const row = element("tr", {"data-m": method, class: method === this.method ? "active" : ""},
        element("th", {scope: "row"}, swatch(method), data.methods[method]), cells);
      this.rows.set(method, cells);
      body.append(row);
    }
    this.table = element("div", {class: "wide"}, element("table", {class: "live"}, element("thead", {}, element("tr", {},
      element("th", {scope: "col"}, methods.length > 1 ? "at the same MissRate" : "method"),
      element("th", {scope: "col"}, "base if r >"), this.columns.map(([title]) => element("th", {scope: "col"}, `${title}, %`)))),
      body));
  }

  // Scores by side: filled, hatched and outlined, so that no colour is needed.
  buildHistogram() {
    const found = histogram(this.run);
    const shown = SIDES.filter(([side]) => found[side].some(share => share > 0));
    const highest = Math.max(...shown.map(([side]) => Math.max(...found[side])));
    const drawing = figure({title: "Scores by side", xTitle: "r, larger is more base-like", yTitle: "share of the side, %",
                            xRange: [found.low, found.high], yRange: [0, 100 * highest]});
    const bins = found.base.length, width = (found.high - found.low) / bins;
    for (const [side] of shown) {
      const steps = [[drawing.x(found.low), drawing.bottom]];
      found[side].forEach((share, bin) => {
        const y = drawing.y(100 * share);
        steps.push([drawing.x(found.low + bin * width), y], [drawing.x(found.low + (bin + 1) * width), y]);
      });
      steps.push([drawing.x(found.high), drawing.bottom]);
      drawing.plot.append(drawn("polygon", {points: points(steps), class: `side ${side}`}));
    }
    this.line = drawn("path", {class: "mark-line"});
    drawing.plot.append(this.line);
    this.histogram = drawing;
    this.follow(drawing, at => this.boundaryOfScore(at));
    const legend = element("span", {class: "legend"}, shown.map(([side, title]) => element("span", {},
        drawn("svg", {class: "dot", viewBox: "0 0 18 10", "aria-hidden": "true"},
          drawn("rect", {x: 1, y: 1, width: 16, height: 8, class: `side ${side}`})), title)));
    return element("figure", {}, element("figcaption", {}, "Scores by side. Drag to move the threshold.", legend),
      this.hatched(drawing.svg));
  }

  hatched(svg) {
    svg.prepend(drawn("defs", {}, drawn("pattern", {id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)"}, drawn("path", {d: "M1 0V6", class: "hatch"}))));
    return svg;
  }

  buildCurve(methods) {
    const {runs, data} = this.page;
    const gain = gainName(this.run);
    const curves = methods.map(method => ({method, run: runs.find(this.group, method, this.seed)}))
      .filter(({run}) => run && gainName(run) === gain)
      .map(({method, run}) => ({method, list: curvePoints(run)}));
    const band = curvePoints(this.run).map(({at}) => corners(this.run, at));
    let highest = 0.01, lowest = 0.9;
    for (const {across, up} of band) [highest, lowest] = [Math.max(highest, up.high || 0), Math.min(lowest, across.low || 0)];
    for (const {list} of curves) {
      for (const {x, y} of list) [highest, lowest] = [Math.max(highest, y || 0), Math.min(lowest, x || 0)];
    }
    const title = gain === "hit" ? "HitRate" : "RejectRate";
    const drawing = figure({title: `${title} over MissRate`, xTitle: "MissRate, %", yTitle: `${title}, %`,
                            xRange: [100 * lowest, 100], yRange: [0, 100 * highest]});
    for (const {method, list} of curves) {
      const active = method === this.method;
      const at = ({x, y}) => [drawing.x(100 * x), drawing.y(100 * y)];
      if (active) {
        const outline = [...band.map(({across, up}) => at({x: across.low, y: up.high})),
                         ...band.map(({across, up}) => at({x: across.high, y: up.low})).reverse()];
        drawing.plot.prepend(drawn("polygon", {points: points(outline), fill: colourOf(method), "fill-opacity": 0.18,
                                               "data-m": method}));
      }
      drawing.plot.append(drawn("polyline", {points: points(list.map(at)), fill: "none", stroke: colourOf(method),
        "stroke-dasharray": dashesOf(method), "stroke-width": active ? 2.6 : 1.4, "stroke-opacity": active ? 1 : 0.7, "data-m": method},
        drawn("title", {}, data.methods[method])));
    }
    this.marks = new Map(curves.map(({method}) => [method, drawn("circle", {r: method === this.method ? 6.5 : 4,
      fill: colourOf(method), class: "mark-point", "data-m": method})]));
    drawing.plot.append(...[...this.marks.values()].reverse());
    this.curve = {...drawing, gain};
    this.follow(drawing, at => this.boundaryOfRate(at / 100));
    const caption = `${title} over MissRate for every threshold, with the point of this one. Band: 95 % Wilson intervals of both ` +
      "rates, threshold by threshold, over test samples.";
    return element("figure", {}, element("figcaption", {}, caption), drawing.svg);
  }

  // Moves the threshold with a pointer that is dragged over a drawing.
  follow(drawing, boundaryOf) {
    const to = event => {
      const box = drawing.svg.getBoundingClientRect();
      const pixel = (event.clientX - box.left) / box.width * drawing.width;
      const share = (pixel - drawing.left) / (drawing.right - drawing.left);
      this.slideTo(boundaryOf(drawing.low + Math.max(0, Math.min(1, share)) * (drawing.high - drawing.low)));
    };
    drawing.svg.addEventListener("pointerdown", event => {
      drawing.svg.setPointerCapture(event.pointerId);
      to(event);
    });
    drawing.svg.addEventListener("pointermove", event => { if (event.buttons & 1) to(event); });
  }

  slideTo(at) {
    this.slider.value = this.run.boundaries.length - 1 - at;
    this.move(at);
  }

  boundaryOfScore(value) {
    const {run} = this;
    let low = 0, high = run.boundaries.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const k = run.boundaries[middle];
      if (k === run.n || run.r(k) <= value) high = middle; else low = middle + 1;
    }
    return low;
  }

  boundaryOfRate(miss) {
    const {run} = this;
    let best = 0, nearest = Infinity;
    for (let i = 0; i < run.boundaries.length; ++i) {
      const distance = Math.abs(ratesAt(run, i).miss.value - miss);
      if (distance < nearest) [best, nearest] = [i, distance];
    }
    return best;
  }

  update() {
    const {runs, state} = this.page;
    const {run} = this;
    this.slider.value = run.boundaries.length - 1 - this.at;
    const mine = ratesAt(run, this.at);
    const said = mine.threshold === -Infinity ? "every sample is base" : `base if r > ${score(mine.threshold)}`;
    this.slider.setAttribute("aria-valuetext", said);
    this.output.textContent = `${said}: ${mine.k} of ${run.n} samples called base`;
    for (const [method, cells] of this.rows) {
      const other = runs.find(this.group, method, this.seed);
      if (!other) continue;
      const rates = ratesAt(other, runs.comparable(other, run, this.at));
      cells[0].textContent = score(rates.threshold);
      this.columns.forEach(([, name], i) => this.fillRate(cells[i + 1], rates[name], method === this.method));
      const mark = this.marks.get(method);
      if (mark) {
        mark.setAttribute("cx", this.curve.x(100 * rates.miss.value));
        mark.setAttribute("cy", this.curve.y(100 * rates[this.curve.gain].value));
      }
    }
    const x = this.histogram.x(mine.threshold === -Infinity ? this.histogram.low : mine.threshold);
    this.line.setAttribute("d", `M${x} ${this.histogram.top}V${this.histogram.bottom}`);
    this.fillKinds(kindCounts(run, this.at));
    state.m = this.method;
  }

  fillRate(cell, rate, detailed) {
    if (!(rate.total > 0)) return cell.replaceChildren("-");
    const {low, high} = wilson(rate);
    cell.title = `95 % interval ${percent(low)} to ${percent(high)}`;
    cell.replaceChildren(percent(rate.value), element("small", {},
      detailed ? ` [${percent(low)}, ${percent(high)}] ${rate.count} of ${rate.total}` : ` ${rate.count} of ${rate.total}`));
  }

  // How the samples end, as a bar.
  fillKinds(counts) {
    this.kinds.replaceChildren(...KINDS.filter(({name}) => counts[name] > 0).map(({name, title, mark, brief}) => {
      const part = element("div", {class: `kind ${name}`, title: `${title}: ${brief}`},
        element("span", {}, `${mark} ${title} `), element("b", {}, String(counts[name])));
      part.style.flexGrow = counts[name];
      return part;
    }));
  }

  note() {
    const runs = this.page.runs.groups[this.group].runs;
    const own = this.run.own === undefined || this.run.own === null ? "" : " It begins at the threshold that was set for the run.";
    const others = this.rows.size > 1 ? " Other methods are shown at the highest threshold with no larger MissRate." : "";
    const about = this.run.exact ? "" : ` Counts are exact; r is interpolated between stored values, ${runs.length} runs being many.`;
    return element("p", {class: "note"}, "MissRate: base samples turned away or classified wrong. HitRate: new samples passed on and " +
      "classified right. RejectRate: unknown samples kept out of the base classes. In brackets: 95 % Wilson intervals; they hold for a " +
      `threshold fixed before looking at these samples.${own}${others}${about}`);
  }
}
