// Random numbers that are the same on every machine: 32-bit integer arithmetic, no transcendental functions.

// FNV-1a, of the UTF-16 units of a text.
export function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

// A counter whose values are mixed by two rounds of multiply and shift.
export class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let x = this.state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  }

  // In [0, 1).
  uniform() {
    return this.next() / 4294967296;
  }

  between(low, high) {
    return low + (high - low) * this.uniform();
  }

  chance(probability) {
    return this.uniform() < probability;
  }

  // Mean 0, variance 1, within +-3.5: the sum of four uniform numbers.
  normal() {
    const sum = this.uniform() + this.uniform() + this.uniform() + this.uniform();
    return (sum - 2) * 1.7320508075688772;
  }
}
