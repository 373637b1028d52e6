/*
 * The kinds of programs that people write with Kindred, each in at most 25 lines: kinds.test.ts runs them and counts. They are
 * written as users write them, from the names of the package alone.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  askQuestions,
  cluster,
  explain,
  learnFromHints,
  loadModel,
  modelSql,
  namedData,
  random,
  scale,
} from "kindred";
import { crossValidate, kNearestNeighbors, svm } from "kindred/classify";
import { agglomerative, segment } from "kindred/cluster";
import { convexPath } from "kindred/convex";
import { samplePairs } from "kindred/data";
import { takeColumns } from "kindred/matrix";
import { itml, lmnn, nca } from "kindred/metric";
import { loadScorer } from "kindred/place";
import { adjustedRand, allScores, dataScores } from "kindred/score";
import { mrmr } from "kindred/select";

export async function objects(): Promise<boolean> {
  const customers = Array.from({ length: 90 }, (_, i) => ({
    plan: ["free", "pro", "business"][i % 3],
    spend: [9, 60, 400][i % 3] + (i % 7),
    joined: new Date(Date.UTC(2024, i % 3, 1 + (i % 9))),
    visits: i % 11 === 0 ? null : [3, 20, 8][i % 3],
  }));
  const found = await cluster(customers, { clusters: 3 });
  return (
    explain(found).startsWith("3 clusters") && found.assign([customers[0]]).labels[0] === found.labels[0]
  );
}

export async function embeddings(): Promise<boolean> {
  const vectors = Array.from({ length: 120 }, (_, i) =>
    Float32Array.from({ length: 16 }, (_, f) => (f % 3 === i % 3 ? 1 : 0) + 0.1 * Math.sin(i * (f + 1))),
  );
  const { labels, representatives } = await cluster(vectors, { method: "spherical-kmeans", clusters: 3 });
  const truth = vectors.map((_, i) => i % 3);
  return adjustedRand(labels, truth) === 1 && representatives.length === 3;
}

export async function metricForNeighbors(): Promise<boolean> {
  const { X, label } = await namedData("wine");
  const { accuracy } = crossValidate(X, label.values, (train, y) => {
    const scaled = scale(train);
    const metric = lmnn(scaled.X, y, { neighbors: 3 });
    const nearest = kNearestNeighbors(metric.transform(scaled.X), y, { neighbors: 3 });
    return { predict: (Y) => nearest.predict(metric.transform(scaled.apply(Y))) };
  });
  return accuracy > 0.95;
}

export async function threeMetrics(): Promise<boolean> {
  const { X: raw, label, names } = await namedData("iris");
  const { X } = scale(raw);
  const pairs = samplePairs(label.values, { mustLink: 50, cannotLink: 50, seed: 1 });
  const learned = [
    itml(X, { ...pairs, names }),
    lmnn(X, label.values, { names }),
    nca(X, label.values, { names }),
  ];
  const near = learned.map((metric) => metric.distance(raw.data.slice(0, 4), raw.data.slice(4, 8)));
  return near.every(Number.isFinite) && learned.every(({ relevance }) => relevance.length === 4);
}

export async function server(): Promise<boolean> {
  const model = await cluster([[1, 1], [1, 2], [9, 9], [9, 8]], { method: "kmeans", clusters: 2 }); // prettier-ignore
  const score = model.scorer();
  const service = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.end(JSON.stringify(score(JSON.parse(body) as number[])));
  });
  await new Promise<void>((resolve) => void service.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const answer = await fetch(address, { method: "POST", body: "[8, 9]" });
  const { cluster: placed } = (await answer.json()) as { cluster: number };
  service.close();
  return placed === model.labels[2];
}

export async function dendrogram(): Promise<boolean> {
  const { X } = await namedData("iris");
  const { tree, cut } = agglomerative(scale(X).X, { linkage: "average", clusters: 3 });
  const [n, width, height] = [tree.rows, 600, 300];
  const place = new Map<number, { x: number; y: number }>();
  let next = 0;
  const lines: string[] = [];
  const at = (node: number): { x: number; y: number } => {
    if (node < n) return place.get(node) ?? { x: (++next * width) / n, y: height };
    const [a, b] = [at(tree.merges[2 * (node - n)]), at(tree.merges[2 * (node - n) + 1])];
    const y = height * (1 - tree.heights[node - n] / tree.heights[n - 2]);
    lines.push(`<path d="M${a.x} ${a.y}V${y}H${b.x}V${b.y}" fill="none" stroke="black"/>`);
    return { x: (a.x + b.x) / 2, y };
  };
  at(2 * n - 2);
  const svg = `<svg viewBox="0 0 ${width} ${height}">${lines.join("")}</svg>`;
  return lines.length === n - 1 && svg.length > 1000 && new Set(cut({ clusters: 5 })).size === 5;
}

export async function clusterpath(): Promise<boolean> {
  const rows = Array.from({ length: 20 }, (_, i) => [4 * (i % 2) + Math.sin(i), Math.cos(i)]);
  const { steps } = convexPath(rows, { neighbors: 5 });
  // Each row moves to the mean of the group that it is fused with.
  const mean = (own: readonly (readonly number[])[], f: number): number =>
    own.reduce((sum, row) => sum + row[f], 0) / own.length;
  const lines = rows.map((_, i) => {
    const places = steps.map(({ labels }) => {
      const own = rows.filter((__, j) => labels[j] === labels[i]);
      return `${mean(own, 0)},${mean(own, 1)}`;
    });
    return `<polyline points="${places.join(" ")}" fill="none" stroke="black"/>`;
  });
  const proven = steps.every(({ certificate }) => certificate.relativeGap < 1e-3);
  return proven && lines.length === 20 && steps.some(({ clusters }) => clusters <= 2);
}

export async function questions(): Promise<boolean> {
  // Two columns tell what is meant, six others a nuisance.
  const draw = random(1);
  const rows = Array.from({ length: 120 }, (_, i) => {
    const nuisance = 4 * draw.integer(3);
    return Array.from({ length: 8 }, (__, f) => draw.normal() + (f < 2 ? 5 * Number(i % 3 === f) : nuisance));
  });
  const round = askQuestions(rows, { clusters: 3, budget: 15 });
  let step = round.next();
  while (!step.done) {
    const { a, b } = step.value;
    step = round.next(a % 3 === b % 3 ? "same" : "different");
  }
  const meant = rows.map((_, i) => i % 3);
  return adjustedRand(learnFromHints(rows, step.value, { clusters: 3 }).labels, meant) > 0.8;
}

export async function selectionAndSvm(): Promise<boolean> {
  const { X, label } = await namedData("wine");
  const { accuracy } = crossValidate(X, label.values, (train, y) => {
    const { features } = mrmr(train, y, { features: 6 });
    const scaled = scale(takeColumns(train, features));
    const model = svm(scaled.X, y);
    return { predict: (Y) => model.predict(scaled.apply(takeColumns(Y, features))) };
  });
  return accuracy > 0.9;
}

export async function scores(): Promise<boolean> {
  const { X, label } = await namedData("iris");
  const { labels } = await cluster(X, { method: "ward", clusters: 3 });
  const against = allScores(labels, label.values);
  const within = dataScores(X, labels);
  return against.adjustedRand > 0.5 && within.silhouette > 0.3;
}

export async function segments(): Promise<boolean> {
  const series = Array.from({ length: 120 }, (_, t) => [t < 40 ? 0 : t < 80 ? 5 : 1, Math.sin(t) / 5]);
  const { cuts } = segment(series, { clusters: 3 });
  return Array.from(cuts).join() === "40,80";
}

export async function sql(): Promise<boolean> {
  const rows = Array.from({ length: 30 }, (_, i) => ({ a: 9 * (i % 3), b: i % 3 }));
  const model = await cluster(rows, { method: "kmeans", clusters: 3 });
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create()).connect();
  const values = rows.map(({ a, b }) => `(${a}, ${b})`).join(", ");
  await connection.run(`create table numbers as select * from (values ${values}) t(a, b)`);
  const query = `select cluster, count(*)::int from (${modelSql(model, "duckdb", "numbers")}) group by 1`;
  const counts = (await connection.runAndReadAll(query)).getRows();
  return counts.length === 3 && counts.every(([, rowsIn]) => rowsIn === 10);
}

export async function nodeToBrowser(): Promise<boolean> {
  const rows = Array.from({ length: 60 }, (_, i) => ({ x: 5 * (i % 2) + Math.sin(i), kind: "ab"[i % 2] }));
  const file = JSON.stringify(await cluster(rows, { clusters: 2 }));
  // In the page: fetch the file, and place what was typed.
  const score = await loadScorer(JSON.parse(file));
  const { labels } = loadModel(JSON.parse(file)).assign(rows);
  return rows.every((row, i) => score(row).cluster === labels[i]);
}

/** `worker` is the module "kindred/worker", which the tests take from the build. */
export async function workerWithCancel(worker: typeof import("kindred/worker")): Promise<boolean> {
  const rows = Array.from({ length: 2000 }, (_, i) => [i % 3, Math.sin(i), Math.cos(2 * i)]);
  const cancel = new AbortController();
  const running = worker.cluster(rows, { signal: cancel.signal, onProgress: () => cancel.abort() });
  const ended = await running.catch((error: Error) => error.name);
  const found = await worker.cluster(rows.slice(0, 300), { clusters: 3 });
  return ended === "AbortError" && found.labels.length === 300;
}
