// Generated sets for the fit of the judge and the bench of the default: families with known classes, and sets without any.
//
// `families[name](seed)` gives { X: rows, y: classes (-1: background noise), K }. Seeds below 100 are those on which
// rules and constants may be chosen; `bench/reality.mjs --fresh` reports seeds from 100 on.

/** mulberry32, with normals and the like. */
export function source(seed) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  for (let i = 0; i < 10; i++) uniform();
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const exponential = () => -Math.log(1 - uniform());
  return {
    uniform,
    normal,
    between: (a, b) => a + (b - a) * uniform(),
    integer: (a, b) => a + Math.floor((b - a + 1) * uniform()),
    exponential,
    /** Of chi-square over its degrees of freedom. */
    chi: (df) => {
      let sum = 0;
      for (let i = 0; i < Math.floor(df / 2); i++) sum += 2 * exponential();
      if (df % 2 >= 1) sum += normal() ** 2;
      return sum / df;
    },
    normals: (d, sd = 1) => Array.from({ length: d }, () => sd * normal()),
  };
}

/** Class of each of n rows, by weights; every class has rows. */
function classes(r, n, weights) {
  const total = weights.reduce((a, b) => a + b, 0);
  const y = [];
  weights.forEach((w, k) => {
    const count = Math.max(4, Math.round((n * w) / total));
    for (let i = 0; i < count; i++) y.push(k);
  });
  for (let i = y.length - 1; i > 0; i--) {
    const j = Math.floor(r.uniform() * (i + 1));
    [y[i], y[j]] = [y[j], y[i]];
  }
  return y;
}

/** K centres in d dimensions at least `apart` from each other. */
function centers(r, K, d, apart) {
  let side = apart * K ** (1 / d) * 0.9;
  for (;;) {
    for (let t = 0; t < 200; t++) {
      const C = Array.from({ length: K }, () => Array.from({ length: d }, () => r.between(-side, side)));
      let ok = true;
      for (let a = 0; a < K && ok; a++) {
        for (let b = 0; b < a && ok; b++) ok = Math.hypot(...C[a].map((v, f) => v - C[b][f])) >= apart;
      }
      if (ok) return C;
    }
    side *= 1.05;
  }
}

/** A random matrix with singular values in [lo, hi]: rows of it are axes of a cluster. */
function shape(r, d, lo, hi) {
  const axes = [];
  for (let a = 0; a < d; a++) {
    const v = r.normals(d);
    for (const u of axes) {
      const dot = u.reduce((sum, x, f) => sum + x * v[f], 0);
      for (let f = 0; f < d; f++) v[f] -= dot * u[f];
    }
    const norm = Math.hypot(...v);
    axes.push(v.map((x) => x / norm));
  }
  return axes.map((u) => {
    const s = r.between(lo, hi);
    return u.map((x) => x * s);
  });
}

function through(A, z) {
  const x = A[0].map(() => 0);
  A.forEach((row, a) => row.forEach((v, f) => (x[f] += v * z[a])));
  return x;
}

const add = (a, b) => a.map((v, f) => v + b[f]);
const weights = (r, K, least, most) => Array.from({ length: K }, () => r.between(least, most));
const ones = (K) => Array.from({ length: K }, () => 1);
const made = (y, row, K = new Set(y.filter((k) => k >= 0)).size) => ({ X: y.map(row), y, K });

/** Student's t. */
function student(r, d, freedom) {
  const s = Math.sqrt(r.chi(freedom));
  return r.normals(d).map((v) => v / s);
}

/** The numbers of classes and of columns, and centres some distance apart, each drawn from its range. */
function spread(seed, clusters, columns, apart) {
  const r = source(seed);
  const K = r.integer(...clusters);
  const d = r.integer(...columns);
  return { r, K, d, C: centers(r, K, d, r.between(...apart)) };
}

export const families = {
  /** Gaussians of any shape and weight. */
  shapes(seed) {
    const { r, K, d, C } = spread(seed + 1000, [3, 8], [2, 8], [3.2, 4.6]);
    const A = C.map(() => shape(r, d, 0.4, 1.5));
    const y = classes(r, 500, weights(r, K, 0.5, 1.8));
    return made(y, (k) => add(C[k], through(A[k], r.normals(d))));
  },
  /** One large cluster and small ones. */
  unequal(seed) {
    const { r, K, d, C } = spread(seed + 2000, [3, 5], [2, 6], [3.6, 5.2]);
    const y = classes(
      r,
      600,
      Array.from({ length: K }, (_, k) => (k === 0 ? 12 : r.between(0.6, 2.5))),
    );
    return made(y, (k) => add(C[k], r.normals(d)));
  },
  /** Dense and diffuse clusters side by side. */
  spreads(seed) {
    const { r, K, d, C } = spread(seed + 3000, [3, 5], [2, 4], [5, 7]);
    const sd = Array.from({ length: K }, (_, k) => [0.3, 2, 1][k] ?? r.between(0.3, 1.5));
    return made(classes(r, 500, ones(K)), (k) => add(C[k], r.normals(d, sd[k])));
  },
  /** Student t with 3 degrees of freedom. */
  heavyTails(seed) {
    const { r, K, d, C } = spread(seed + 4000, [3, 5], [2, 6], [4.5, 6.5]);
    return made(classes(r, 500, ones(K)), (k) => add(C[k], student(r, d, 3)));
  },
  /** Columns that say nothing. */
  noiseColumns(seed) {
    const r = source(seed + 5000);
    const K = r.integer(3, 5);
    const d = r.integer(3, 5);
    const extra = r.integer(4, 10);
    const C = centers(r, K, d, r.between(3.8, 5.2));
    return made(classes(r, 500, ones(K)), (k) => [...add(C[k], r.normals(d)), ...r.normals(extra)]);
  },
  /** Columns with a few enormous values. */
  outlierColumns(seed) {
    const { r, K, d, C } = spread(seed + 6000, [3, 5], [4, 6], [4, 5.5]);
    return made(classes(r, 500, ones(K)), (k) => {
      const x = add(C[k], r.normals(d));
      return [...x, ...Array.from({ length: 2 }, () => (r.uniform() < 0.01 ? r.normal() * 30 : r.normal()))];
    });
  },
  /** Columns that go together within clusters. */
  correlated(seed) {
    const r = source(seed + 7000);
    const K = r.integer(2, 5);
    const d = r.integer(3, 7);
    const A = shape(r, d, 0.3, 2.2);
    const C = centers(r, K, d, r.between(3.6, 4.8));
    return made(classes(r, 500, ones(K)), (k) => through(A, add(C[k], r.normals(d))));
  },
  /** Gaussians seen through exp. */
  logNormal(seed) {
    const { r, K, d, C } = spread(seed + 8000, [2, 4], [2, 5], [4, 5.5]);
    return made(classes(r, 500, ones(K)), (k) => add(C[k], r.normals(d)).map((v) => Math.exp(0.3 * v)));
  },
  /** Nested rings. */
  rings(seed) {
    const r = source(seed + 9000);
    const K = r.integer(2, 3);
    const width = r.between(0.1, 0.22);
    const sizes = ones(K).map((_, k) => k + 1);
    return made(classes(r, 600, sizes), (k) => {
      const a = r.between(0, 2 * Math.PI);
      const R = 1 + 1.4 * k + width * r.normal();
      return [R * Math.cos(a), R * Math.sin(a)];
    });
  },
  /** Long thin clusters side by side, in any direction. */
  elongated(seed) {
    const r = source(seed + 10000);
    const K = r.integer(2, 4);
    const d = r.integer(2, 3);
    const width = r.between(0.25, 0.45);
    const A = shape(r, d, 1, 1);
    return made(classes(r, 500, ones(K)), (k) => {
      const z = r.normals(d, width);
      z[0] = r.between(-4, 4) + 0.5 * k;
      z[1] += 2 * k;
      return through(A, z);
    });
  },
  /** A hundred columns, each class by some of them. */
  highDimension(seed) {
    const r = source(seed + 11000);
    const K = r.integer(3, 7);
    const d = 100;
    const size = r.between(0.8, 1.3);
    const C = Array.from({ length: K }, () =>
      Array.from({ length: d }, () => (r.uniform() < 0.25 ? size * r.normal() : 0)),
    );
    return made(classes(r, 400, ones(K)), (k) => add(C[k], r.normals(d)));
  },
  manyClusters(seed) {
    const { r, K, d, C } = spread(seed + 12000, [12, 20], [3, 6], [3.8, 5]);
    return made(classes(r, 800, weights(r, K, 0.6, 1.4)), (k) => add(C[k], r.normals(d)));
  },
  /** Clusters in uniform background noise. */
  backgroundNoise(seed) {
    const { r, K, d, C } = spread(seed + 13000, [3, 5], [2, 3], [4.5, 6]);
    const box = Math.max(...C.flat().map(Math.abs)) + 3;
    const y = classes(r, 550, [...ones(K), 0.12 * K]).map((k) => (k === K ? -1 : k));
    return made(y, (k) =>
      k < 0 ? Array.from({ length: d }, () => r.between(-box, box)) : add(C[k], r.normals(d, 0.8)),
    );
  },
  /** Unit vectors, as embeddings of texts: classes are directions. */
  vectors(seed) {
    const r = source(seed + 14000);
    const K = r.integer(4, 7);
    const d = 64;
    const spread = r.between(0.8, 1.6);
    const C = Array.from({ length: K }, () => r.normals(d));
    return made(classes(r, 500, weights(r, K, 0.5, 1.5)), (k) => {
      const x = add(C[k], r.normals(d, spread));
      const norm = Math.hypot(...x);
      return x.map((v) => v / norm);
    });
  },
  /** Groups of groups: the fine ones are the classes. */
  nested(seed) {
    const r = source(seed + 15000);
    const d = 3;
    const apart = r.between(4, 5.2);
    const B = centers(r, 3, d, 14);
    const C = B.flatMap((b) => centers(r, r.integer(2, 3), d, apart).map((c) => add(b, c)));
    return made(classes(r, 500, ones(C.length)), (k) => add(C[k], r.normals(d)));
  },
  /** Half moons and a blob. */
  moons(seed) {
    const r = source(seed + 16000);
    const blob = r.uniform() < 0.5;
    const width = r.between(0.07, 0.13);
    return made(classes(r, 500, blob ? [2, 2, 1] : [1, 1]), (k) => {
      const a = Math.PI * r.uniform();
      if (k === 2) return [3.2 + 0.25 * r.normal(), 1.2 + 0.25 * r.normal()];
      const [x, y] = k === 0 ? [Math.cos(a), Math.sin(a)] : [1 - Math.cos(a), 0.5 - Math.sin(a)];
      return [x + width * r.normal(), y + width * r.normal()];
    });
  },
  /** Uniform boxes. */
  boxes(seed) {
    const { r, K, C } = spread(seed + 17000, [3, 7], [2, 4], [2.4, 3.2]);
    return made(classes(r, 500, ones(K)), (k) => C[k].map((c) => c + r.between(-1, 1)));
  },
  /** Whole numbers: counts with rates by class. */
  counts(seed) {
    const r = source(seed + 18000);
    const K = r.integer(2, 4);
    const d = 6;
    const rates = Array.from({ length: K }, () => Array.from({ length: d }, () => r.between(1, 14)));
    return made(classes(r, 500, ones(K)), (k) =>
      rates[k].map((rate) => {
        let count = -1;
        for (let t = 0; t < rate; t += r.exponential()) count++;
        return count;
      }),
    );
  },
};

/** Counts of words: half of each text are words of its topic, common words are in all of them. */
families.texts = (seed) => {
  const r = source(seed + 19000);
  const K = r.integer(3, 6);
  const d = 400;
  const share = r.between(0.25, 0.5);
  const word = (of) => {
    // Zipf: the rank of a word is the exponential of a uniform number.
    const rank = Math.floor(Math.exp(r.uniform() * Math.log(d)));
    return (Math.min(rank, d) - 1 + of * 67) % d;
  };
  return made(classes(r, 500, weights(r, K, 0.6, 1.4)), (k) => {
    const x = Array.from({ length: d }, () => 0);
    const length = r.integer(30, 90);
    for (let w = 0; w < length; w++) x[word(r.uniform() < share ? k + 1 : 0)]++;
    return x;
  });
};
/** Columns of 0 and 1, some of which tell. */
families.switches = (seed) => {
  const r = source(seed + 20000);
  const K = r.integer(2, 4);
  const d = r.integer(14, 24);
  const P = Array.from({ length: K }, () =>
    Array.from({ length: d }, (_, f) => (f % 5 === 4 ? 0.4 : r.uniform() < 0.5 ? 0.15 : 0.85)),
  );
  return made(classes(r, 500, ones(K)), (k) => P[k].map((p) => Number(r.uniform() < p)));
};

/** Records of people or things: numbers, amounts, whole numbers, levels and gaps; some columns follow the classes, if there are any. */
export function records(seed, least = 2) {
  const r = source(seed + 900_000);
  const K = least < 2 ? 1 : r.integer(2, 5);
  const y = classes(r, r.integer(250, 600), weights(r, K, 0.5, 1.6));
  const columns = [];
  const add = (name, cell) =>
    columns.push({ name: `${name}${columns.length}`, cell, gaps: r.uniform() < 0.3 ? 0.06 : 0 });
  const number = (spread) => {
    const means = Array.from({ length: K }, () => spread * r.normal());
    const kind = r.integer(0, 2);
    add(["number", "amount", "count"][kind], (k) => {
      const value = means[k] + r.normal();
      return kind === 0
        ? 20 + 5 * value
        : kind === 1
          ? Math.exp(4 + 0.6 * value)
          : Math.max(0, Math.round(9 + 3 * value));
    });
  };
  const level = (least, most) => {
    const count = r.integer(2, 6);
    const share = r.between(least, most);
    const first = r.integer(0, count - 1);
    add("level", (k) => `kind ${r.uniform() < share ? (first + k) % count : r.integer(0, count - 1)}`);
  };
  for (let c = r.integer(2, 5); c > 0; c--) number(r.between(0.8, 2));
  for (let c = r.integer(1, 4); c > 0; c--) level(0.4, 0.85);
  for (let c = r.integer(0, 2); c > 0; c--) number(0);
  for (let c = r.integer(0, 2); c > 0; c--) level(0, 0);
  const X = y.map((k) =>
    Object.fromEntries(columns.map(({ name, cell, gaps }) => [name, r.uniform() < gaps ? null : cell(k)])),
  );
  return { X, y, K };
}

/** Sets without clusters. */
export const nulls = {
  gaussian: (r, n, d) => Array.from({ length: n }, () => r.normals(d)),
  uniform: (r, n, d) => Array.from({ length: n }, () => Array.from({ length: d }, () => r.uniform())),
  elongated: (r, n, d) => {
    const A = shape(r, d, 0.5, 1.5);
    A[0] = A[0].map((v) => v * 8);
    return Array.from({ length: n }, () => through(A, r.normals(d)));
  },
  correlated: (r, n, d) =>
    Array.from({ length: n }, () => {
      const common = 2 * r.normal();
      return r.normals(d).map((v) => v + common);
    }),
  t: (r, n, d) => Array.from({ length: n }, () => student(r, d, 4)),
  logNormal: (r, n, d) => Array.from({ length: n }, () => r.normals(d).map((v) => Math.exp(0.6 * v))),
};

/** The number `index` of the sets without clusters: 2 to 60 columns. */
export function nullSet(index) {
  const names = Object.keys(nulls);
  const r = source(500_000 + index);
  const name = names[index % names.length];
  const d = [2, 3, 5, 8, 15, 30, 60][Math.floor(index / names.length) % 7];
  const n = r.integer(250, 600);
  return { name, d, X: nulls[name](r, n, d) };
}
