// The runs of the page, decoded when they are first needed.

import { decodeRun } from "./decode.mjs";
import { bestBoundary, boundaryAt, boundaryOfMiss, countRun, ratesAt } from "./rates.mjs";

export class Runs {
  constructor(data) {
    this.groups = data.groups;
    this.decoded = new Map();
  }

  seeds(group) {
    return [...new Set(this.groups[group].runs.map(run => run.seed))];
  }

  methods(group) {
    return [...new Set(this.groups[group].runs.map(run => run.method))];
  }

  // null where the group has no such run.
  find(group, method, seed) {
    const key = `${group} ${method} ${seed}`;
    if (!this.decoded.has(key)) {
      const stored = this.groups[group].runs.find(run => run.method === method && run.seed === seed);
      this.decoded.set(key, stored ? {...countRun(decodeRun(stored)), own: stored.own} : null);
    }
    return this.decoded.get(key);
  }

  // Where the slider begins: the run's own threshold, else the largest gain.
  start(run) {
    return run.own === undefined || run.own === null ? bestBoundary(run) : boundaryAt(run, run.own);
  }

  // The boundary of `run` that is compared with boundary `at` of `active`: itself, or that of the same MissRate.
  comparable(run, active, at) {
    return run === active ? at : boundaryOfMiss(run, ratesAt(active, at).miss.value);
  }
}
