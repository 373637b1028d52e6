import {
  classifiers,
  clusterings,
  embeddings,
  metrics,
  placingOf,
  selections,
  type OptionRules,
} from "../../src/method/index.ts";
import { isMahalanobis } from "../../src/metric/index.ts";
import { takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { dice, fault, notFinite, type Dice, type Outcome } from "./dice.ts";
import { nastyOptions } from "./options.ts";
import { nastyLabels, nastyPairs, nastyTable } from "./tables.ts";

/** Every method of every registry on nasty tables with options in and out of range. */
export async function libraryCase(seed: number, announce?: (tried: string) => void): Promise<Outcome> {
  const roll = dice(seed);
  const kind = roll.pick([
    "clustering",
    "clustering",
    "clustering",
    "metric",
    "selection",
    "classifier",
    "embedding",
  ]);
  const { X, told } = nastyTable(roll);
  const before = X.data.slice();
  let tried = "";
  let wrong: string | undefined;
  try {
    const called = await CALLS[kind](X, roll);
    tried = `${called.tried} on ${told}`;
    announce?.(tried);
    wrong = await called.run();
  } catch (error) {
    wrong = fault(error, tried.includes("NaN") || before.some(Number.isNaN));
  }
  if (wrong === undefined && !before.every((value, p) => Object.is(value, X.data[p])))
    wrong = "the rows were changed";
  return { tried, wrong };
}

interface Called {
  readonly tried: string;
  run(): Promise<string | undefined>;
}

const SHARED = [
  "seed",
  "onProgress",
  "names",
  "mustLink",
  "cannotLink",
  "labels",
  "clusters",
  "dims",
  "maxIterations",
];

function optionsOf(rules: OptionRules, roll: Dice): Record<string, unknown> {
  return nastyOptions(rules, roll, SHARED);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "number" && !Number.isFinite(part) ? String(part) : part,
  );
}

const CALLS: Readonly<Record<string, (X: Matrix, roll: Dice) => Promise<Called>>> = {
  async clustering(X, roll) {
    const method = roll.pick(clusterings);
    const open = await method.open();
    const options = {
      ...optionsOf(open.options, roll),
      ...((method.needs.clusters === "required" || roll.chance(0.7)) && {
        clusters: roll.chance(0.05)
          ? roll.pick([0, -1, 1.5, 2 ** 31, X.rows + 1])
          : 1 + roll.below(Math.min(5, X.rows)),
      }),
      ...(method.needs.seed && { seed: roll.below(3) }),
      ...(method.needs.pairs !== undefined &&
        roll.chance(0.8) && { mustLink: nastyPairs(roll, X.rows), cannotLink: nastyPairs(roll, X.rows) }),
      ...(method.needs.labels !== undefined && roll.chance(0.8) && { labels: nastyLabels(roll, X.rows) }),
    };
    const again = roll.chance(0.3);
    const rows = Int32Array.from({ length: X.rows }, (_, i) => i);
    return {
      tried: `${method.name} ${text(options)}`,
      async run() {
        const fit = await open.fit(X, options as never);
        const { labels, clusters, sizes, centers, placing, objective, facts, details, warnings } = fit;
        if (labels.length !== X.rows) return `${labels.length} labels`;
        for (const label of labels) {
          if (!Number.isInteger(label) || label < -1 || label >= clusters)
            return `the label ${label} of ${clusters} clusters`;
        }
        const counted = new Int32Array(clusters);
        for (const label of labels) if (label >= 0) counted[label]++;
        if (!Array.from(sizes).every((size, k) => size === counted[k]))
          return `sizes ${Array.from(sizes).join(" ")}`;
        const found = notFinite({ centers, objective, placing, details });
        if (found !== undefined) return found;
        if (/NaN|undefined/.test(text({ facts, warnings }))) return `facts ${text({ facts, warnings })}`;
        const placed = placingOf(placing)(takeRows(X, rows)).labels;
        // Methods that leave rows out as noise may do so with new ones.
        const least = placing.kind === "density" ? -1 : 0;
        if (placed.some((label) => label < least || label >= clusters))
          return `placed in ${placed.join(" ")}`;
        if (!again) return undefined;
        const second = await open.fit(X, options as never);
        return second.labels.every((label, i) => label === labels[i])
          ? undefined
          : "another answer the second time";
      },
    };
  },
  async metric(X, roll) {
    const method = roll.pick(metrics);
    const open = await method.open();
    const labels = nastyLabels(roll, X.rows);
    const pairs = { mustLink: nastyPairs(roll, X.rows), cannotLink: nastyPairs(roll, X.rows) };
    const triplets = pairs.mustLink.map(([i, j], t) => [i, j, pairs.cannotLink[t]?.[1] ?? 0] as const);
    const options = optionsOf(open.options, roll);
    return {
      tried: `metric ${method.name} ${text({ ...options, labels, pairs })}`,
      async run() {
        const metric = open.learn(X, { labels, pairs, chunklets: labels, triplets }, options);
        const found = isMahalanobis(metric)
          ? notFinite({ factor: metric.factor, relevance: metric.relevance })
          : undefined;
        if (found !== undefined) return found;
        const written = JSON.stringify(metric.toJSON());
        if (/null/.test(written.replace(/"objective":null/, ""))) return `null in ${written.slice(0, 300)}`;
        return notFinite(metric.transform(X));
      },
    };
  },
  async selection(X, roll) {
    const method = roll.pick(selections);
    const open = await method.open();
    const labels = nastyLabels(roll, X.rows);
    const options = {
      ...optionsOf(open.options, roll),
      ...(roll.chance(0.5) && { features: 1 + roll.below(X.cols) }),
    };
    return {
      tried: `selection ${method.name} ${text({ ...options, labels })}`,
      async run() {
        const { features, figures } = open.select(X, { labels }, options as never);
        if (new Set(features).size !== features.length) return `features ${features.join(" ")}`;
        if (features.some((f) => !Number.isInteger(f) || f < 0 || f >= X.cols))
          return `features ${features.join(" ")}`;
        return notFinite(figures);
      },
    };
  },
  async classifier(X, roll) {
    const method = roll.pick(classifiers);
    const open = await method.open();
    const labels = nastyLabels(roll, X.rows).map((label) => label || "c0");
    const options = { ...optionsOf(open.options, roll), seed: 0 };
    return {
      tried: `classifier ${method.name} ${text({ ...options, labels })}`,
      async run() {
        const { classifier } = open.fit(X, labels, options);
        const predicted = classifier.predict(X);
        const known = new Set<unknown>(labels);
        if (!predicted.every((label) => known.has(label))) return `predicted ${predicted.join(" ")}`;
        return notFinite(classifier.probabilities?.(X)) ?? notFinite(classifier.toJSON());
      },
    };
  },
  async embedding(X, roll) {
    const method = roll.pick(embeddings);
    const open = await method.open();
    const options = {
      ...optionsOf(open.options, roll),
      dims: 1 + roll.below(3),
      seed: 0,
      ...(method.needs.clusters !== undefined && { clusters: 1 + roll.below(Math.min(4, X.rows)) }),
    };
    return {
      tried: `embedding ${method.name} ${text(options)}`,
      async run() {
        const fit = open.fit(X, options);
        return notFinite((fit as unknown as { embedding?: Matrix }).embedding);
      },
    };
  },
};
