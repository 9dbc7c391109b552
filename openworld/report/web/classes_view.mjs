// Classes one by one, and the answers that are most often wrong.

import { chooser, element, swatch } from "./dom.mjs";
import { wilson } from "./rates.mjs";
import { enhance } from "./table_view.mjs";
import { percent, shortened } from "./texts.mjs";

const MOST = 300;  // wrong answers listed
const FEW = 6;     // methods whose columns have room beside each other in the usual size

export class ClassesView {
  constructor(place, page) {
    this.place = place;
    this.page = page;
    this.groups = page.data.groups.map((_, i) => i).filter(i => page.data.groups[i].perClass);
    this.build();
  }

  build() {
    const {data, runs, state} = this.page;
    const at = this.groups.includes(state.classes) ? state.classes : this.groups[0];
    const group = data.groups[at];
    const methods = runs.methods(at);
    const choose = change => { Object.assign(state, change); this.page.save(); this.build(); };
    const overall = group.perClass.overall !== null;
    const controls = element("div", {class: "controls"},
      this.groups.length > 1 ? chooser("test set", this.groups.map(i => [i, data.groups[i].name]), at,
        value => choose({classes: Number(value)})) : null,
      overall ? chooser("classified", [["", "given the true side"], ["all", "among all names"]], state.among ?? "",
        value => choose({among: value || undefined})) : null);
    const right = state.among === "all" && overall ? group.perClass.overall : group.perClass.right;
    const table = this.classTable(group, methods, right);
    const worst = this.confusions(group, methods);
    this.place.replaceChildren(controls, element("div", {class: "pair"},
      element("div", {}, element("h3", {}, "Accuracy of each class, %"), table),
      element("div", {}, element("h3", {}, "Most frequent wrong answers"), worst)));
    enhance(this.place, this.page);
    this.page.applyMethods();
  }

  classTable(group, methods, right) {
    const {data} = this.page;
    const rows = group.perClass.total.map((total, c) => ({total, c})).filter(({total}) => total > 0);
    return element("div", {class: "wide tall"}, element("table", {class: methods.length > FEW ? "sortable many" : "sortable"},
      element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "class"), element("th", {scope: "col"}, "side"),
        element("th", {scope: "col"}, "samples"),
        methods.map(m => element("th", {scope: "col", "data-m": m}, shortened(data.methods[m], 18))))),
      element("tbody", {}, rows.map(({total, c}) => element("tr", {}, element("th", {scope: "row"}, group.classes[c] ?? String(c)),
        element("td", {}, c < group.baseClasses ? "base" : "new"), element("td", {}, String(total)),
        methods.map(m => {
          const count = right[m][c] / group.repeats, {low, high} = wilson({count, total});
          return element("td", {"data-m": m, title: `95 % interval ${percent(low)} to ${percent(high)}`},
            percent(count / total));
        }))))));
  }

  confusions(group, methods) {
    const {data} = this.page;
    const name = c => c < 0 ? "on no list" : group.classes[c] ?? String(c);
    const rows = methods.flatMap(m => group.confusions[m].map(([truth, answer, count, total]) => ({m, truth, answer, count, total})))
      .sort((a, b) => b.count / b.total - a.count / a.total || b.count - a.count).slice(0, MOST);
    if (rows.length === 0) return element("p", {class: "note"}, "None, or the answers are not in the files.");
    return element("div", {class: "wide tall"}, element("table", {class: "sortable"},
      element("thead", {}, element("tr", {}, ["method", "is", "taken for", "count", "of", "%"].map((text, i) =>
        element("th", {scope: "col", class: i === 1 || i === 2 ? "text" : undefined}, text)))),
      element("tbody", {}, rows.map(({m, truth, answer, count, total}) => element("tr", {"data-m": m},
        element("th", {scope: "row"}, swatch(m), data.methods[m]), element("td", {class: "text"}, name(truth)),
        element("td", {class: "text"}, name(answer)), element("td", {}, String(count)), element("td", {}, String(total)),
        element("td", {}, percent(count / total)))))));
  }
}
