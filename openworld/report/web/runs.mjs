// The runs of the page, decoded when they are first needed.

import { decodeRun } from "./decode.mjs";
import { areaUnder, bestBoundary, boundaryAt, boundaryOfMiss, countRun, curvePoints, ratesAt } from "./rates.mjs";

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

  // The method that the explorer begins with: the last that has a threshold of its own, else the one with the largest area.
  first(group, seed) {
    const has = this.methods(group).map(method => ({method, run: this.find(group, method, seed)})).filter(({run}) => run);
    const own = has.filter(({run}) => run.own !== undefined && run.own !== null);
    if (own.length > 0) return own[own.length - 1].method;
    const areas = has.map(({run}) => areaUnder(curvePoints(run)));
    return (has[areas.indexOf(Math.max(...areas))] ?? has[has.length - 1] ?? {method: this.methods(group)[0]}).method;
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
