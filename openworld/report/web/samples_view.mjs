// Samples by how they end at the threshold of the explorer, with the answer of every method.

import { chooser, element, swatch } from "./dom.mjs";
import { KINDS, SIDES, kindOf } from "./kinds.mjs";
import { counted, score, shortened } from "./texts.mjs";

const PER_PAGE = 24;
const LINES = 12;  // answers of a card

// How sample i of a group ends with a method whose k samples are called base: {kind, calledBase, answer, r}.
export function outcome(samples, i, method, k) {
  const mine = samples.methods[method];
  const calledBase = mine.rank[i] < k;
  return {calledBase, kind: kindOf(samples.side[i], mine.correct[i] === 1, calledBase),
          answer: (calledBase ? mine.base : mine.new)[i], r: mine.r[i]};
}

// Samples that pass the filters; `kinds[i]` is how the chosen method ends with them.
export function chosen(samples, kinds, {kind, side, cls}) {
  return kinds.map((_, i) => i).filter(i =>
    (kind === undefined || kinds[i] === kind) && (side === undefined || SIDES[samples.side[i]] === side) &&
    (cls === undefined || samples.label[i] === cls));
}

export class SamplesView {
  constructor(place, page) {
    this.place = place;
    this.page = page;
    this.groups = page.data.groups.map((group, i) => i).filter(i => page.data.groups[i].samples);
    this.controls = element("div", {class: "controls"});
    this.cards = element("div", {class: "cards"});
    this.count = element("p", {class: "note", "aria-live": "polite"});
    this.pager = element("div", {class: "controls"});
    this.notes = element("div", {}, page.data.groups.filter(group => group.why).map(group =>
      element("p", {class: "note"}, `${group.name}: ${group.why}`)));
    place.replaceChildren(this.controls, this.count, this.cards, this.pager, this.notes);
    this.update();
  }

  update() {
    const {data, state, explorer, runs} = this.page;
    if (this.groups.length === 0) return;
    const given = Number(state.of ?? explorer.group);
    this.group = this.groups.includes(given) ? given : this.groups[0];
    const group = data.groups[this.group], {samples} = group;
    const methods = runs.methods(this.group);
    const method = methods.includes(explorer.method) ? explorer.method : methods[methods.length - 1];
    // Samples are of the first seed. Elsewhere than in the explorer's run the threshold is that of the same MissRate.
    this.k = new Map(methods.map(m => {
      const run = runs.find(this.group, m, samples.seed);
      const same = this.group === explorer.group;
      return [m, run.boundaries[same ? runs.comparable(run, explorer.run, explorer.at) : runs.start(run)]];
    }));
    const kinds = samples.side.map((_, i) => outcome(samples, i, method, this.k.get(method)).kind);
    this.fillControls(group, methods, method, kinds);
    const filters = {kind: state.kind, side: state.side, cls: state.class === undefined ? undefined : Number(state.class)};
    const rows = chosen(samples, kinds, filters);
    const pages = Math.max(1, Math.ceil(rows.length / PER_PAGE));
    const at = Math.min(state.page ?? 0, pages - 1);
    this.count.textContent = `${counted(rows.length, "sample")} of the ${samples.side.length} on this page, of ` +
      `${group.size} in the test set; at the threshold above.`;
    this.cards.replaceChildren(...rows.slice(at * PER_PAGE, (at + 1) * PER_PAGE).map(i => this.card(group, methods, method, i)));
    this.pager.replaceChildren(...(pages > 1 ? Array.from({length: pages}, (_, i) => element("button", {type: "button",
      "aria-current": i === at ? "page" : undefined, onclick: () => this.choose({page: i})}, String(i + 1))) : []));
  }

  choose(change) {
    Object.assign(this.page.state, {page: undefined}, change);
    this.page.save();
    this.update();
  }

  fillControls(group, methods, method, kinds) {
    const {data, state} = this.page;
    const {samples} = group;
    const key = JSON.stringify([this.group, method, state.kind, state.side, state.class]);
    const number = name => kinds.filter(kind => kind === name).length;
    const kindOptions = () => [["", `all (${kinds.length})`], ...KINDS.map(({name, title, mark}) => [name, `${mark} ${title} (${number(name)})`])];
    if (this.controlsKey === key) {  // the threshold moved: only the numbers change
      kindOptions().forEach(([, text], i) => { this.kindChoice.querySelectorAll("option")[i].textContent = text; });
      return;
    }
    this.controlsKey = key;
    const labels = [...new Set(samples.label)].filter(label => label >= 0).sort((a, b) => a - b);
    const sides = [...new Set(samples.side)].map(side => SIDES[side]);
    this.kindChoice = chooser("kind", kindOptions(), state.kind ?? "", value => this.choose({kind: value || undefined}));
    this.controls.replaceChildren(...[
      this.groups.length > 1 && chooser("test set", this.groups.map(i => [i, data.groups[i].name]), this.group,
        value => this.choose({of: value, class: undefined})),
      methods.length > 1 && chooser("judged by", methods.map(m => [m, data.methods[m]]), method, value => this.page.chooseMethod(Number(value), this.group)),
      this.kindChoice,
      sides.length > 1 && chooser("side", [["", "all"], ...sides.map(side => [side, side])], state.side ?? "",
        value => this.choose({side: value || undefined})),
      labels.length > 1 && chooser("class", [["", "all"], ...labels.map(label => [label, this.className(group, label)])],
        state.class ?? "", value => this.choose({class: value || undefined})),
    ].filter(Boolean));
  }

  className(group, index) {
    return index < 0 ? "?" : group.classes[index] ?? String(index);
  }

  card(group, methods, method, i) {
    const {data} = this.page;
    const {samples} = group;
    const side = SIDES[samples.side[i]];
    const truth = samples.label[i] >= 0 ? this.className(group, samples.label[i]) : samples.side[i] < 0 ? "on no list" : `row ${samples.row[i]}`;
    const uri = samples.picture[i];
    const visible = methods.filter(m => !this.page.state.off.has(m));
    const listed = visible.filter((m, at) => at < LINES || m === method);
    const lines = listed.map(m => {
      const {kind, calledBase, answer, r} = outcome(samples, i, m, this.k.get(m));
      const {mark, title} = KINDS.find(({name}) => name === kind);
      const said = answer >= 0 ? this.className(group, answer) : calledBase ? "base" : "new";
      return element("li", {class: m === method ? "active" : "", title: `${data.methods[m]}: ${title}; called ${calledBase ? "base" : "new"}`},
        element("span", {class: `mark ${kind}`, role: "img", "aria-label": title}, mark), swatch(m),
        methods.length > 1 ? element("span", {class: "who"}, shortened(data.methods[m], 14)) : null,
        element("span", {class: "said"}, shortened(said, 22)), element("small", {}, `r ${score(r, 3)}`));
    });
    if (listed.length < visible.length) {
      lines.push(element("li", {}, element("small", {}, `${visible.length - listed.length} more; hide methods to see others`)));
    }
    const {kind} = outcome(samples, i, method, this.k.get(method));
    return element("article", {class: "card"},
      uri ? element("img", {src: uri, alt: `${truth}, ${side}`}) : null,
      element("h4", {}, shortened(truth, 40), element("span", {class: "tag"}, side)),
      element("p", {class: `verdict ${kind}`}, KINDS.find(({name}) => name === kind).title),
      element("ul", {}, lines));
  }
}
