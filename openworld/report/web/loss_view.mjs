// The training loss over steps, a line for each run.

import { chooser, colourOf, dashesOf, drawn, element, swatch } from "./dom.mjs";
import { figure, points } from "./figure.mjs";

export class LossView {
  constructor(place, page) {
    this.place = place;
    this.page = page;
    this.groups = [...new Set(page.data.loss.map(run => run.group))];
    this.build();
  }

  build() {
    const {data, state} = this.page;
    const group = this.groups.includes(state.loss) ? state.loss : this.groups[0];
    const runs = data.loss.filter(run => run.group === group);
    const all = runs.flatMap(run => run.points);
    const drawing = figure({title: "Training loss over steps", xTitle: "step", yTitle: "loss",
      xRange: [0, Math.max(...all.map(([step]) => step))],
      yRange: [Math.min(0, ...all.map(([, loss]) => loss)), Math.max(...all.map(([, loss]) => loss))]});
    for (const run of runs) {
      drawing.plot.append(drawn("polyline", {points: points(run.points.map(([x, y]) => [drawing.x(x), drawing.y(y)])), fill: "none",
        stroke: colourOf(run.method), "stroke-width": 1.8, "stroke-dasharray": dashesOf(run.method), "data-m": run.method},
        drawn("title", {}, `${data.methods[run.method]}, seed ${run.seed}: ${run.points[run.points.length - 1][1]} at the end`)));
    }
    const methods = [...new Set(runs.map(run => run.method))];
    this.place.replaceChildren(...[
      this.groups.length > 1 ? element("div", {class: "controls"}, chooser("test set",
        this.groups.map(i => [i, data.groups[i].name]), group,
        value => { state.loss = Number(value); this.page.save(); this.build(); })) : null,
      element("div", {class: "figures"}, element("figure", {}, drawing.svg)),
      element("div", {class: "legend"}, methods.map(m => element("span", {"data-m": m}, swatch(m), data.methods[m])))].filter(Boolean));
    this.page.applyMethods();
  }
}
