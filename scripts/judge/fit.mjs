// The fit of the judge to evidence (evidence.mjs). Plausibility, with t_j the evidence and the method of member j in standard
// units and g the width of the table (src/judge/plausibility.ts):
//
//     w_j = exp(beta . u_j) / sum_i exp(beta . u_i),   u_j = (t_j, g t_j),   E_i = sum_j w_j ARI(i, j)
//     minimise  mean over tasks of sum_i p_i (best - ARI(i, truth))  +  RIDGE |beta|^2,   p_i in proportion to exp(E_i / SOFTNESS)
//
// Then, with beta fixed, the direct evidence gamma of the choice S_i = E_i + gamma . u_i, with S in the place of E and CHOICE_RIDGE.
// The tasks of a set are its truths, with the number of clusters open and given. Trust and the absence of groups are logistic
// functions, fitted to what the belief says of sets that took no part in its own fit.

/** How much one set counts, by its source. */
export const COUNTS_AS = { real: 6, datasets: 2, battery: 1, generated: 1, records: 1 };
export const RIDGE = 0.03;
export const CHOICE_RIDGE = 0.3;
export const SOFTNESS = 0.03;
export const FOLDS = 6;

/** A set of evidence.mjs, ready for the fit. */
export function ready({ termsOf, trustTerms, widthOf, momentsOverBelief }, set) {
  const bytes = Buffer.from(set.A, "base64");
  const A = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const m = set.members.length;
  const all = [...set.members.keys()];
  const reference = all.filter((i) => set.members[i].reference);
  const T = set.members.map(({ evidence, method }) => termsOf(evidence, method));
  const tasks = set.truths.flatMap((K, truth) => {
    const aris = set.members.map(({ ari }) => ari[truth]);
    const given = all.filter((i) => set.members[i].clusters === K);
    if (K < 2 || given.length === 0) return [];
    return [
      { kind: "given", K, truth, aris, among: given, best: Math.max(...given.map((i) => aris[i])) },
      { kind: "open", K, truth, aris, among: reference, best: Math.max(...reference.map((i) => aris[i])) },
    ];
  });
  const width = widthOf(set.columns);
  return { ...set, A, m, reference, T, width, trustTerms, momentsOverBelief, tasks };
}

/** Means and standard deviations of the evidence, every set counting the same. */
export function momentsOf(sets) {
  const p = sets[0].T[0].length;
  const mean = new Float64Array(p);
  const square = new Float64Array(p);
  for (const { T, reference } of sets) {
    for (const j of reference) {
      for (let e = 0; e < p; e++) {
        mean[e] += T[j][e] / reference.length / sets.length;
        square[e] += T[j][e] ** 2 / reference.length / sets.length;
      }
    }
  }
  return {
    mean: [...mean],
    deviation: [...square].map((value, e) => Math.sqrt(Math.max(value - mean[e] ** 2, 1e-12))),
  };
}

/** u of every member of a set. */
const standard = ({ T, width }, { mean, deviation }) =>
  T.map((t) => {
    const z = t.map((value, e) => (value - mean[e]) / deviation[e]);
    return [...z, ...z.map((value) => width * value)];
  });

/** coefficients . u for every member of a set. */
const linear = (set, moments, coefficients) =>
  standard(set, moments).map((u) => u.reduce((sum, value, e) => sum + coefficients[e] * value, 0));

/** w of the reference members, E of all. */
export function beliefOf(set, { beta, ...moments }) {
  const all = linear(set, moments, beta);
  return beliefWith(
    set,
    set.reference.map((j) => all[j]),
  );
}

/** The same from the logarithms of w, but for a constant. */
function beliefWith({ A, m, reference }, logs) {
  const most = Math.max(...logs);
  const w = logs.map((log) => Math.exp(log - most));
  const total = w.reduce((a, b) => a + b, 0);
  w.forEach((value, j) => (w[j] = value / total));
  const E = new Float64Array(m);
  for (let i = 0; i < m; i++) {
    let sum = 0;
    for (let j = 0; j < w.length; j++) sum += w[j] * A[i * m + reference[j]];
    E[i] = sum;
  }
  return { w, E };
}

export function fitPlausibility({ lbfgs }, sets, ridge = RIDGE, softness = SOFTNESS) {
  const moments = momentsOf(sets);
  const p = 2 * moments.mean.length;
  const Z = sets.map((set) => {
    const all = standard(set, moments);
    return set.reference.map((j) => all[j]);
  });
  const objective = (beta, gradient) => {
    gradient.fill(0);
    let value = 0;
    let weight = 0;
    sets.forEach((set, s) => {
      if (set.tasks.length === 0) return;
      const { w, E } = beliefWith(
        set,
        Z[s].map((u) => u.reduce((sum, value, e) => sum + beta[e] * value, 0)),
      );
      const dE = new Float64Array(set.m);
      for (const { among, aris, best } of set.tasks) {
        const share = (2 * COUNTS_AS[set.source]) / set.tasks.length;
        const most = among.reduce((a, i) => Math.max(a, E[i]), -Infinity);
        const chance = among.map((i) => Math.exp((E[i] - most) / softness));
        const total = chance.reduce((a, b) => a + b, 0);
        const regret = among.reduce((sum, i, k) => sum + (chance[k] / total) * (best - aris[i]), 0);
        value += share * regret;
        weight += share;
        among.forEach(
          (i, k) => (dE[i] += ((share * chance[k]) / total) * ((best - aris[i] - regret) / softness)),
        );
      }
      const dw = new Float64Array(w.length);
      for (let i = 0; i < set.m; i++) {
        if (dE[i] === 0) continue;
        for (let j = 0; j < w.length; j++) dw[j] += dE[i] * set.A[i * set.m + set.reference[j]];
      }
      const mean = w.reduce((sum, value, j) => sum + value * dw[j], 0);
      w.forEach((own, j) => {
        const du = own * (dw[j] - mean);
        for (let e = 0; e < p; e++) gradient[e] += du * Z[s][j][e];
      });
    });
    let penalty = 0;
    for (let e = 0; e < p; e++) {
      gradient[e] = gradient[e] / weight + 2 * ridge * beta[e];
      penalty += ridge * beta[e] ** 2;
    }
    return value / weight + penalty;
  };
  const { x } = lbfgs(objective, new Float64Array(p), { maxIterations: 100, tolerance: 1e-5 });
  return fitChoice({ lbfgs }, sets, { softness, ...moments, beta: [...x] });
}

/** gamma of S_i = E_i + gamma . u_i, given the belief. */
function fitChoice({ lbfgs }, sets, plausibility) {
  const { softness, mean } = plausibility;
  const p = 2 * mean.length;
  const ready = sets.map((set) => ({
    ...set,
    E: beliefOf(set, plausibility).E,
    Z: standard(set, plausibility),
  }));
  const objective = (gamma, gradient) => {
    gradient.fill(0);
    let value = 0;
    let weight = 0;
    for (const { E, Z, tasks, source } of ready) {
      const S = E.map((own, i) => Z[i].reduce((sum, z, e) => sum + gamma[e] * z, own));
      for (const { among, aris, best } of tasks) {
        const share = (2 * COUNTS_AS[source]) / tasks.length;
        const most = among.reduce((a, i) => Math.max(a, S[i]), -Infinity);
        const chance = among.map((i) => Math.exp((S[i] - most) / softness));
        const total = chance.reduce((a, b) => a + b, 0);
        const regret = among.reduce((sum, i, k) => sum + (chance[k] / total) * (best - aris[i]), 0);
        value += share * regret;
        weight += share;
        among.forEach((i, k) => {
          const d = ((share * chance[k]) / total) * ((best - aris[i] - regret) / softness);
          for (let e = 0; e < p; e++) gradient[e] += d * Z[i][e];
        });
      }
    }
    let penalty = 0;
    for (let e = 0; e < p; e++) {
      gradient[e] = gradient[e] / weight + 2 * CHOICE_RIDGE * gamma[e];
      penalty += CHOICE_RIDGE * gamma[e] ** 2;
    }
    return value / weight + penalty;
  };
  const { x } = lbfgs(objective, new Float64Array(p), { maxIterations: 100, tolerance: 1e-5 });
  return { ...plausibility, gamma: [...x] };
}

/** What the belief chooses for every truth, K open and given. */
export function outcomes(set, plausibility) {
  const { w, E } = beliefOf(set, plausibility);
  const direct = linear(set, plausibility, plausibility.gamma);
  const S = E.map((own, i) => own + direct[i]);
  const best = (among) => among.reduce((a, b) => (S[b] > S[a] ? b : a));
  const most = set.reference.reduce((a, i) => Math.max(a, E[i]), -Infinity);
  const open = best(set.reference);
  const terms = (i) => set.trustTerms(set.members[i].evidence, set.width);
  const evidence = set.reference.map((j) => set.members[j].evidence);
  const common = {
    set: set.name,
    group: set.group,
    source: set.source,
    most,
    terms: terms(open),
    evidence: [set.distinct, most, ...set.momentsOverBelief({ evidence, weights: w })],
  };
  if (set.tasks.length === 0) return [{ ...common, truths: 0, open: 0, found: set.members[open].made }];
  return set.tasks
    .filter(({ kind }) => kind === "open")
    .map(({ K, truth, aris }) => {
      const given = set.tasks.find((task) => task.kind === "given" && task.truth === truth);
      const one = best(given.among);
      return {
        ...common,
        truths: set.tasks.length / 2,
        K,
        found: set.members[open].made,
        open: aris[open],
        given: aris[one],
        EGiven: E[one],
        termsGiven: terms(one),
        byOpen: `${set.members[open].space} ${set.members[open].method}`,
        byGiven: `${set.members[one].space} ${set.members[one].method}`,
        bestOpen: Math.max(...aris),
        bestGiven: given.best,
      };
    });
}

/** Sets of one group stay together. */
export function foldOf({ group }, folds = FOLDS) {
  let hash = 7;
  for (const letter of group) hash = (Math.imul(hash, 31) + letter.codePointAt(0)) >>> 0;
  return ((hash ^ (hash >>> 13)) >>> 0) % folds;
}

/**
 * The outcomes of every set under fits that did not see it: of the plausibility, of the trust in it (p, pGiven) and of the
 * absence of groups (none).
 */
export function crossValidated(tools, sets, folds = FOLDS) {
  const labelled = sets.filter(({ source }) => source !== "none");
  const rows = Array.from({ length: folds }, (_, fold) => {
    const plausibility = fitPlausibility(
      tools,
      labelled.filter((set) => foldOf(set, folds) !== fold),
    );
    return sets.filter((set) => foldOf(set, folds) === fold).flatMap((set) => outcomes(set, plausibility));
  }).flat();
  for (let fold = 0; fold < folds; fold++) {
    const others = rows.filter((row) => foldOf(row, folds) !== fold);
    const trust = fitTrust(tools, others);
    const none = fitNone(tools, others);
    for (const row of rows) {
      if (foldOf(row, folds) !== fold) continue;
      row.p = tools.logistic(trust.open, [row.most, ...row.terms]);
      row.none = tools.logistic(none, row.evidence);
      if (row.truths > 0) row.pGiven = tools.logistic(trust.given, [row.EGiven, ...row.termsGiven]);
    }
  }
  for (let fold = 0; fold < folds; fold++) {
    const words = bandsOf(rows.filter((row) => foldOf(row, folds) !== fold));
    for (const row of rows) {
      if (row.truths === 0 || foldOf(row, folds) !== fold) continue;
      row.told = words.open[wordOf(row.p)];
      row.toldGiven = words.given[wordOf(row.pGiven)];
    }
  }
  return rows;
}

/** Everything that is written, from all sets; trust and bands from outcomes that are cross-validated. */
export function fitted(tools, sets, rows) {
  return {
    plausibility: fitPlausibility(
      tools,
      sets.filter(({ source }) => source !== "none"),
    ),
    trust: fitTrust(tools, rows),
    none: fitNone(tools, rows),
    bands: bandsOf(rows),
  };
}

const TRUST_RIDGE = 0.03;

/**
 * The agreement to expect, as a logistic function of E and own evidence, K open and given. Sets of every source have a level of
 * their own, for classes of real tables are clusters less often than those of sets that were made to be clustered; the level
 * that is kept is the one of real tables, which people have.
 */
function fitTrust(tools, rows) {
  const own = rows.filter(({ truths }) => truths > 0);
  const weights = own.map(({ source, truths }) => COUNTS_AS[source] / truths);
  const others = Object.keys(COUNTS_AS).filter((source) => source !== "real");
  const of = (terms, ari) => {
    const [constant, ...slopes] = fitLogistic(
      tools,
      own.map((row) => [...others.map((source) => Number(row.source === source)), ...terms(row)]),
      own.map((row) => Math.max(0, ari(row))),
      weights,
      TRUST_RIDGE,
    );
    return [constant, ...slopes.slice(others.length)];
  };
  return {
    open: of(
      (row) => [row.most, ...row.terms],
      (row) => row.open,
    ),
    given: of(
      (row) => [row.EGiven, ...row.termsGiven],
      (row) => row.given,
    ),
  };
}

/** Agreement above which the groups that a set has are taken to be found. */
const FOUND = 0.1;

/** Sets without groups against sets whose groups are found. */
function fitNone(tools, rows) {
  const own = rows.filter(({ truths, open }) => truths === 0 || open > FOUND);
  return fitLogistic(
    tools,
    own.map(({ evidence }) => evidence),
    own.map(({ truths }) => Number(truths === 0)),
    own.map(({ truths }) => 1 / Math.max(1, truths)),
    NONE_RIDGE,
  );
}

const NONE_RIDGE = 0.002;

export const wordOf = (p) => (p >= 0.8 ? "clear" : p >= 0.5 ? "doubtful" : "weak");

/** The mean agreement that each word reached on tables, weighted by how much a set counts: the other sets were made to be clustered. */
function bandsOf(rows) {
  const own = rows.filter(({ source }) => source === "real" || source === "datasets");
  const reached = (p, ari) =>
    Object.fromEntries(
      ["clear", "doubtful", "weak"].map((word) => {
        let sum = 0;
        let weight = 0;
        for (const row of own.filter((one) => wordOf(p(one)) === word)) {
          sum += (ari(row) * COUNTS_AS[row.source]) / row.truths;
          weight += COUNTS_AS[row.source] / row.truths;
        }
        return [word, Number((sum / Math.max(weight, 1)).toFixed(2))];
      }),
    );
  const open = reached(
    (row) => row.p,
    (row) => row.open,
  );
  const given = reached(
    (row) => row.pGiven,
    (row) => row.given,
  );
  return { open, given };
}

/** Logistic regression of y (0 to 1) on rows of x, with weights: constant first. The penalty is on standard units. */
export function fitLogistic({ lbfgs }, x, y, weights, ridge) {
  const p = x[0].length;
  const moments = x[0].map((_, e) => {
    const mean = x.reduce((sum, own) => sum + own[e], 0) / x.length;
    const square = x.reduce((sum, own) => sum + (own[e] - mean) ** 2, 0) / x.length;
    return { mean, deviation: Math.max(1e-6, Math.sqrt(square)) };
  });
  const Z = x.map((own) => own.map((v, e) => (v - moments[e].mean) / moments[e].deviation));
  const total = weights.reduce((a, b) => a + b, 0);
  const objective = (b, gradient) => {
    gradient.fill(0);
    let value = 0;
    Z.forEach((own, i) => {
      const z = own.reduce((sum, v, e) => sum + v * b[e + 1], b[0]);
      const weight = weights[i] / total;
      value += weight * (Math.log1p(Math.exp(-Math.abs(z))) + Math.max(z, 0) - y[i] * z);
      const d = weight * (1 / (1 + Math.exp(-z)) - y[i]);
      gradient[0] += d;
      own.forEach((v, e) => (gradient[e + 1] += d * v));
    });
    for (let e = 1; e <= p; e++) {
      value += ridge * b[e] ** 2;
      gradient[e] += 2 * ridge * b[e];
    }
    return value;
  };
  const [constant, ...slopes] = lbfgs(objective, new Float64Array(p + 1), { maxIterations: 200 }).x;
  const raw = slopes.map((b, e) => b / moments[e].deviation);
  return [raw.reduce((sum, b, e) => sum - b * moments[e].mean, constant), ...raw];
}
