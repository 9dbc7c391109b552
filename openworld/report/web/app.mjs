// The page: reads the data and what the address says, and makes the tables and figures interactive.

import { ClassesView } from "./classes_view.mjs";
import { element, swatch } from "./dom.mjs";
import { LossView } from "./loss_view.mjs";
import { Runs } from "./runs.mjs";
import { SamplesView } from "./samples_view.mjs";
import { parseState, stateText } from "./state.mjs";
import { enhance, sortTable } from "./table_view.mjs";
import { ThresholdView } from "./threshold_view.mjs";

function isOnScreen(place) {
  const {top, bottom} = place.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

class Page {
  constructor(data) {
    this.data = data;
    this.state = parseState(location.hash);
    this.live = document.getElementById("said");
    if (data) this.runs = new Runs(data);
  }

  start() {
    document.documentElement.classList.add("scripted");
    this.shade();
    this.printing();
    this.links();
    enhance(document, this);
    this.tables = [...document.querySelectorAll("table.sortable")];
    this.restoreSort();
    if (this.data) {
      this.legend();
      this.views();
      this.applyMethods();
    } else {
      document.documentElement.dataset.ready = "";
    }
    this.goToSection();
  }

  views() {
    const place = name => document.querySelector(`[data-view="${name}"]`);
    if (place("threshold")) this.explorer = new ThresholdView(place("threshold"), this);
    // What lies further below is made after the first screen is drawn, each in its turn.
    const later = [
      () => { if (place("samples")) this.samples = new SamplesView(place("samples"), this); },
      () => { if (place("classes")) this.classes = new ClassesView(place("classes"), this); },
      () => { if (place("loss")) this.loss = new LossView(place("loss"), this); },
      () => {
        this.applyMethods();
        this.goToSection();
        document.documentElement.dataset.ready = "";
      },
    ];
    const next = () => {
      later.shift()();
      if (later.length > 0) setTimeout(next);
    };
    setTimeout(next);
  }

  goToSection() {
    if (this.state.at) document.getElementById(this.state.at)?.scrollIntoView();
  }

  // The threshold moved. Samples that are on the screen are drawn once a frame, however fast the hand is; others, which cost
  // more than all that moves, and the address, which browsers limit to a few hundred changes, wait until it rests.
  moved() {
    if (this.waiting) return;
    this.waiting = true;
    clearTimeout(this.resting);
    requestAnimationFrame(() => {
      this.waiting = false;
      const seen = this.samples && isOnScreen(this.samples.place);
      if (seen) this.samples.update();
      this.resting = setTimeout(() => {
        if (!seen) this.samples?.update();
        this.save();
      }, 100);
    });
  }

  // Another run was chosen.
  changed() {
    this.applyMethods();
    this.save();
    this.moved();
  }

  chooseMethod(method, group) {
    Object.assign(this.state, {m: method, d: group});
    delete this.state.k;
    this.explorer.build();
    this.changed();
  }

  // Chips that show and hide methods everywhere.
  legend() {
    const place = document.querySelector('[data-view="methods"]');
    if (!place || this.data.methods.length < 2) return;
    this.chips = this.data.methods.map((name, m) => element("button", {type: "button", class: "chip",
      "aria-pressed": "true", title: `show or hide ${name}`, onclick: () => {
        if (!this.state.off.delete(m)) this.state.off.add(m);
        this.changed();
      }}, swatch(m), name));
    const all = element("button", {type: "button", class: "plain", onclick: () => {
      this.state.off.clear();
      this.changed();
    }}, "all");
    place.replaceChildren(element("span", {class: "note"}, "methods"), ...this.chips, all);
  }

  applyMethods() {
    this.chips?.forEach((chip, m) => chip.setAttribute("aria-pressed", String(!this.state.off.has(m))));
    for (const part of document.querySelectorAll("[data-m]")) {
      part.classList.toggle("off", this.state.off.has(Number(part.dataset.m)));
    }
  }

  sorted(table, column, descending) {
    const at = this.tables.indexOf(table);
    if (at >= 0) this.state.sort = [at, column, descending];
    this.save();
  }

  restoreSort() {
    const [at, column, descending] = this.state.sort ?? [];
    const table = this.tables[at];
    if (table && column < table.tHead.rows[0].cells.length) sortTable(table, column, descending);
  }

  // Links to sections keep the state that is in the address.
  links() {
    for (const link of document.querySelectorAll("nav a")) {
      link.addEventListener("click", event => {
        event.preventDefault();
        this.state.at = link.hash.slice(1);
        const heading = document.getElementById(this.state.at);
        heading.scrollIntoView();
        heading.focus({preventScroll: true});
        this.save();
      });
    }
  }

  shade() {
    const root = document.documentElement;
    const dark = () => this.state.shade ? this.state.shade === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const apply = () => { if (this.state.shade) root.dataset.shade = this.state.shade; };
    const button = element("button", {type: "button", class: "plain", "aria-label": "switch between light and dark", onclick: () => {
      this.state.shade = dark() ? "light" : "dark";
      apply();
      this.save();
    }}, "◐");
    document.querySelector("nav").append(button);
    apply();
  }

  // Paper is light, and has no room for what is folded away to be looked up.
  printing() {
    const root = document.documentElement;
    let folded = [];
    addEventListener("beforeprint", () => {
      delete root.dataset.shade;
      folded = [...document.querySelectorAll("details:not([open])")];
      for (const part of folded) part.open = true;
    });
    addEventListener("afterprint", () => {
      if (this.state.shade) root.dataset.shade = this.state.shade;
      for (const part of folded) part.open = false;
    });
  }

  say(text) {
    this.live.textContent = text;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => { this.live.textContent = ""; }, 2000);
  }

  save() {
    history.replaceState(null, "", stateText(this.state) || location.pathname + location.search);
  }
}

const stored = document.getElementById("data");
const page = new Page(stored ? JSON.parse(stored.textContent) : null);
page.start();
