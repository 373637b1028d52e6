import { loadClassifier } from "../../src/classify/index.ts";
import { matrix, type Matrix, mapped } from "../../src/matrix/matrix.ts";
import { classifiers, clusterings, embeddings, metrics } from "../../src/method/index.ts";
import { loadGaussianMixture, loadKernelKmeans } from "../../src/cluster/index.ts";
import { loadAnyMetric } from "../../src/metric/index.ts";
import { load } from "../../src/core/codec.ts";
import { scale, scalingForm } from "../../src/data/scaling.ts";
import { cluster } from "../../src/run/cluster.ts";
import { explain } from "../../src/run/explain.ts";
import { loadModel } from "../../src/model/index.ts";
import { readColumns } from "../../src/data/index.ts";
import { dice, fault, notFinite, type Dice, type Outcome } from "./dice.ts";

/** What a model file holds, and what is made of it: the labels or rows that it gives, and how many clusters it has. */
interface Model {
  readonly name: string;
  readonly data: unknown;
  use(
    data: unknown,
  ): Promise<{ readonly labels?: ArrayLike<number>; readonly clusters?: number; readonly numbers?: unknown }>;
}

/** Models of every kind with parts taken out, put in, cut and exchanged. */
export async function modelCase(seed: number): Promise<Outcome> {
  const roll = dice(seed);
  const model = roll.pick(await models());
  const damages: string[] = [];
  let data: unknown = structuredClone(model.data);
  for (let times = roll.pick([1, 1, 1, 2, 4]); times > 0; times--) data = damaged(data, roll, damages);
  const tried = `${model.name} with ${damages.join(", ")}`;
  try {
    // As it would come from a file.
    const { labels, clusters, numbers } = await model.use(JSON.parse(JSON.stringify(data) ?? "null"));
    if (labels !== undefined) {
      for (let i = 0; i < labels.length; i++) {
        const label = labels[i];
        // A density clustering places some rows in no cluster.
        const least = model.name.includes("hdbscan") ? -1 : 0;
        if (!Number.isInteger(label) || label < least || (clusters !== undefined && label >= clusters)) {
          return { tried, wrong: `the label ${label} of ${clusters} clusters` };
        }
      }
    }
    return { tried, wrong: notFinite(numbers) };
  } catch (error) {
    return { tried, wrong: fault(error) };
  }
}

const VALUES: readonly unknown[] = [
  null,
  -1,
  0,
  0.5,
  1e308,
  -1e308,
  2 ** 31,
  2e9,
  2 ** 53,
  "",
  "x",
  "NaN",
  [],
  {},
  true,
  [[]],
  { rows: 2, cols: 2, data: [] },
  { length: 1e9 },
];

function damaged(value: unknown, roll: Dice, told: string[], path = ""): unknown {
  const inside = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (inside && !(path !== "" && roll.chance(0.15))) {
    const key = roll.pick(Object.keys(value));
    const at = `${path}.${key}`;
    if (Array.isArray(value)) {
      const list = value as unknown[];
      const k = Number(key);
      switch (roll.below(6)) {
        case 0:
          told.push(`${at} gone`);
          list.splice(k, 1);
          return list;
        case 1:
          told.push(`${at} twice`);
          list.splice(k, 0, structuredClone(list[k]));
          return list;
        case 2:
          told.push(`${path} cut at ${k}`);
          list.length = k;
          return list;
      }
      list[k] = damaged(list[k], roll, told, at);
      return list;
    }
    const object = value as Record<string, unknown>;
    if (roll.chance(0.15)) {
      told.push(`${at} gone`);
      delete object[key];
    } else object[key] = damaged(object[key], roll, told, at);
    return object;
  }
  if (typeof value === "number" && roll.chance(0.4)) {
    const other = roll.pick([value + 1, value - 1, -value, value * 1e10, value / 2]);
    told.push(`${path} = ${other}`);
    return other;
  }
  const other = roll.pick(VALUES);
  told.push(`${path} = ${JSON.stringify(other)}`);
  return structuredClone(other);
}

let made: Promise<readonly Model[]> | undefined;

function models(): Promise<readonly Model[]> {
  return (made ??= makeModels());
}

async function makeModels(): Promise<readonly Model[]> {
  const found: Model[] = [];
  const roll = dice(1);
  const X = matrix(24, 3);
  for (let p = 0; p < X.data.length; p++) X.data[p] = 4 * (Math.floor(p / 3) % 2) + roll.share();
  const labels = Array.from({ length: 24 }, (_, i) => `c${i % 2}`);
  const csv = `a,b,c,kind\n${labels.map((label, i) => [...X.data.subarray(3 * i, 3 * i + 3), `k${label}`].join(",")).join("\n")}\n`;
  const table = await readColumns(new TextEncoder().encode(csv), { name: "t.csv" });
  for (const { name, needs } of clusterings) {
    if (needs.pairs === "required" || needs.labels === "required") continue;
    try {
      const fit = await cluster(table, { method: name, clusters: 2 } as never);
      const use = async (data: unknown): Promise<object> => {
        const model = loadModel(data);
        const { labels: placed, distances } = model.assign(table);
        // "NaN" may be a text that was put in.
        const told = explain(model);
        const odd = /undefined|\bNaN %|\bNaN of|of NaN/.exec(told);
        if (odd !== null) throw new Error(`explain says ${odd[0]}: ${told}`);
        return {
          labels: placed,
          clusters: model.clusters,
          numbers: distances.map((distance) => Math.min(distance, 1e308)),
        };
      };
      found.push({ name: `clustering ${name}`, data: JSON.parse(JSON.stringify(fit)) as unknown, use });
    } catch {
      // a method that needs more than a table
    }
  }
  for (const method of metrics) {
    try {
      const open = await method.open();
      const pairs = {
        mustLink: [
          [0, 2],
          [1, 3],
          [4, 6],
        ],
        cannotLink: [
          [0, 1],
          [2, 3],
        ],
      } as never;
      const metric = open.learn(X, { labels, pairs, chunklets: labels, triplets: [[0, 2, 1]] }, {});
      found.push({
        name: `metric ${method.name}`,
        data: JSON.parse(JSON.stringify(metric)) as unknown,
        use: async (data) => ({ numbers: loadAnyMetric(data as never).transform(X) }),
      });
    } catch {
      // needs another kind of hints
    }
  }
  for (const method of classifiers) {
    const open = await method.open();
    const { classifier } = open.fit(method.name.includes("discrete") ? rounded(X) : X, labels, { seed: 0 });
    found.push({
      name: `classifier ${method.name}`,
      data: JSON.parse(JSON.stringify(classifier)) as unknown,
      async use(data) {
        const loaded = loadClassifier(data as never);
        const rows = method.name.includes("discrete") ? rounded(X) : X;
        const predicted = loaded.predict(rows);
        return {
          labels: predicted.map((label) => loaded.classes.indexOf(label)),
          clusters: loaded.classes.length,
          numbers: loaded.probabilities?.(rows),
        };
      },
    });
  }
  for (const method of embeddings) {
    const open = await method.open();
    for (const dims of [2, 1]) {
      try {
        const clusters = method.needs.clusters === undefined ? {} : { clusters: 2 };
        const fit = open.fit(X, { dims, seed: 0, ...clusters }) as unknown as { model: () => object };
        found.push({
          name: `embedding ${method.name}`,
          data: JSON.parse(JSON.stringify(fit.model())) as unknown,
          use: async (given) => ({ numbers: open.load(given as object).transform(X) }),
        });
        break;
      } catch {
        // another number of coordinates
      }
    }
  }
  const mixtures = found.filter(({ name }) => /gmm|kernel-kmeans/.test(name));
  for (const { name, data } of mixtures) {
    const { placing } = data as { placing: { mixture?: unknown; model?: unknown } };
    const inner = placing.mixture ?? placing.model;
    if (inner === undefined) continue;
    found.push({
      name: `${name} alone`,
      data: inner,
      async use(given) {
        const model =
          placing.mixture === undefined
            ? loadKernelKmeans(given as never)
            : loadGaussianMixture(given as never);
        const rows =
          (inner as { rows?: { cols: number }; centers?: { cols: number } }).rows ??
          (inner as { centers: { cols: number } }).centers;
        return { labels: model.predict(matrix(2, rows.cols)), clusters: model.clusters };
      },
    });
  }
  found.push({
    name: "scaling",
    data: JSON.parse(JSON.stringify(scale(X, "zscore").scaling)) as unknown,
    use: async (data) => ({ numbers: load(scalingForm, data, "the scaling") }),
  });
  return found;
}

function rounded(X: Matrix): Matrix {
  return mapped(X, Math.round);
}
