import { describe, expect, test } from "vitest";
import * as classify from "../../src/classify/index.ts";
import * as cluster from "../../src/cluster/index.ts";
import * as convex from "../../src/recipes/index.ts";
import type { Rule } from "../../src/core/options.ts";
import { samplePairs } from "../../src/data/index.ts";
import * as embed from "../../src/embed/index.ts";
import type { Matrix } from "../../src/matrix/index.ts";
import * as metric from "../../src/metric/index.ts";
import * as select from "../../src/select/index.ts";
import { clouds } from "./clouds.ts";

/** What every method gives, whichever it is: plain data, and clusterings that place rows. */
const { X, truth } = clouds(150, 4, 3, 1.6, 5);
const fresh = clouds(60, 4, 3, 2.5, 8).X;
const pairs = samplePairs(truth, { mustLink: 25, cannotLink: 25, seed: 3 });
const chunklets = Array.from(truth, (k, i) => (i < 60 ? k : -1));
const few = Array.from(truth, (k, i) => (i < 12 ? `class ${k}` : ""));

type Load = (model: never) => { predict(Y: Matrix): Int32Array };
const clusterings: Readonly<
  Record<string, readonly [() => cluster.Clustered & { model?(): object }, Load?]>
> = {
  kmeans: [() => cluster.kmeans(X, { clusters: 3 })],
  kMedoids: [() => cluster.kMedoids(X, { clusters: 3 })],
  "kMedoids cosine": [() => cluster.kMedoids(X, { clusters: 3, distance: "cosine" })],
  sphericalKmeans: [() => cluster.sphericalKmeans(X, { clusters: 3 })],
  hdbscan: [() => cluster.hdbscan(X), cluster.loadHdbscan],
  dbscan: [() => cluster.dbscan(X), cluster.loadHdbscan],
  optics: [() => cluster.optics(X, { clusters: 3 }), cluster.loadHdbscan],
  consensus: [() => cluster.consensus(X, { clusters: 3 })],
  genie: [() => cluster.genie(X, { clusters: 3 })],
  clara: [() => cluster.clara(X, { clusters: 3 })],
  fuzzyCMeans: [() => cluster.fuzzyCMeans(X, { clusters: 3 })],
  miniBatchKmeans: [() => cluster.miniBatchKmeans(X, { clusters: 3 })],
  kPrototypes: [() => cluster.kPrototypes(X, { clusters: 3 })],
  affinityPropagation: [() => cluster.affinityPropagation(X, { clusters: 3 })],
  leiden: [() => cluster.leiden(X)],
  mclust: [() => cluster.mclust(X, { clusters: 3, models: ["VEE", "EVI"] }), cluster.loadGaussianMixture],
  gaussianMixture: [() => cluster.gaussianMixture(X, { clusters: 3 }), cluster.loadGaussianMixture],
  spectral: [() => cluster.spectral(X, { clusters: 3 })],
  normalizedCut: [() => cluster.normalizedCut(X, { clusters: 3 })],
  kernelKmeans: [() => cluster.kernelKmeans(X, { clusters: 3 }), cluster.loadKernelKmeans],
  divisive: [() => cluster.divisive(X, { clusters: 4 })],
  "divisive diana": [() => cluster.divisive(X, { clusters: 4, split: "diana" })],
  agglomerative: [() => cluster.agglomerative(X, { clusters: 4 })],
  "agglomerative average": [() => cluster.agglomerative(X, { clusters: 4, linkage: "average" })],
  "agglomerative complete": [() => cluster.agglomerative(X, { clusters: 4, linkage: "complete" })],
  "agglomerative single": [() => cluster.agglomerative(X, { clusters: 4, linkage: "single" })],
  constrainedKmeans: [() => cluster.constrainedKmeans(X, { clusters: 3, ...pairs })],
  "constrainedKmeans plain": [() => cluster.constrainedKmeans(X, { clusters: 3, ...pairs, space: "plain" })],
  pckMeans: [() => cluster.pckMeans(X, { clusters: 3, ...pairs, penalty: 10 })],
  mpckMeans: [() => cluster.mpckMeans(X, { clusters: 3, ...pairs })],
  "mpckMeans per cluster": [() => cluster.mpckMeans(X, { clusters: 3, ...pairs, perCluster: true })],
  lcvqe: [() => cluster.lcvqe(X, { clusters: 3, ...pairs })],
  seededKmeans: [() => cluster.seededKmeans(X, { labels: few })],
  bregmanKmeans: [() => cluster.bregmanKmeans(X, { clusters: 3, ...pairs, enforce: true })],
  cc: [() => convex.cc(X, { clusters: 3 })],
  "cc with pairs": [() => convex.cc(X, { clusters: 3, ...pairs })],
  "cc by representatives": [() => convex.cc(X, { clusters: 3, representatives: 60 })],
  "cc scaled": [() => convex.cc(X, { clusters: 3, scale: "zscore" })],
  carp: [() => convex.carp(X, { clusters: 3 })],
  rcc: [() => convex.rcc(X, { clusters: 3 })],
  scc: [() => convex.scc(X, { clusters: 3 })],
  ccml: [() => convex.ccml(X, { clusters: 3 })],
  ccscml: [() => convex.ccscml(X, { clusters: 3 })],
  cpdUml: [() => embed.cpdUml(X, { clusters: 3 }), embed.loadCpdUml],
  aml: [() => embed.aml(X, { clusters: 3 }), embed.loadProjection],
  "aml with a kernel": [() => embed.aml(X, { clusters: 3, kernel: "gaussian" }), embed.loadProjection],
  naml: [() => embed.naml(X, { clusters: 3 }), embed.loadNaml],
  fme: [() => embed.fme(X, { clusters: 3 }), embed.loadProjection],
  "fme with labels": [() => embed.fme(X, { labels: few }), embed.loadProjection],
};

const y = Array.from(truth);
const others: Readonly<Record<string, () => object>> = {
  mixedMixture: () =>
    cluster.mixedMixture(X, [{ codes: Int32Array.from(truth), levels: 3 }] as never, { clusters: 3 }),
  gapStatistic: () => cluster.gapStatistic(X, { maxClusters: 2, references: 2 }),
  predictionStrength: () => cluster.predictionStrength(X, { maxClusters: 2, splits: 1 }),
  latentClasses: () =>
    cluster.latentClasses({ ...X, data: X.data.map(Math.round) }, { clusters: 2, restarts: 1 }),
  communities: () =>
    cluster.communities({
      nodes: 3,
      from: Int32Array.of(0),
      to: Int32Array.of(1),
      weights: Float64Array.of(1),
    }),
  segment: () => cluster.segment(X, { clusters: 3 }),
  biclusters: () => convex.biclusters(X, { clusters: 3 }),
  pca: () => embed.pca(X, { dims: 2 }),
  kernelPca: () => embed.kernelPca(X),
  neighborLayout: () => embed.neighborLayout(X, { epochs: 20 }),
  rpcaOm: () => embed.rpcaOm(X, { dims: 2 }),
  convexPath: () => convex.convexPath(X),
  spectralGraph: () => cluster.spectralGraph(convex.cc(X).graph, { clusters: 3 }),
  normalizedCutGraph: () => cluster.normalizedCutGraph(convex.cc(X).graph, { clusters: 3 }),
  mlca: () => metric.mlca(X, y),
  lda: () => metric.lda(X, y),
  rca: () => metric.rca(X, chunklets),
  kissme: () => metric.kissme(X, pairs),
  dca: () => metric.dca(X, chunklets, { cannotLink: [[0, 1]] }),
  xqda: () => metric.xqda(X, y),
  lfda: () => metric.lfda(X, y),
  itml: () => metric.itml(X, pairs),
  mmc: () => metric.mmc(X, pairs),
  sdml: () => metric.sdml(X, pairs),
  pcca: () => metric.pcca(X, pairs),
  pccaKernel: () => metric.pccaKernel(X, pairs),
  lrml: () => metric.lrml(X, pairs),
  distBoost: () => metric.distBoost(X, pairs),
  bregman: () => metric.bregman(X, pairs),
  lmnn: () => metric.lmnn(X, y),
  nca: () => metric.nca(X, y),
  scml: () => metric.scml(X, y),
  lajugie: () => metric.lajugie(X, y),
  triplets: () =>
    metric.triplets(X, [
      [0, 3, 1],
      [1, 4, 2],
      [2, 5, 0],
    ]),
  mrmr: () => select.mrmr(X, y),
  jmi: () => select.jmi(X, y),
  cfs: () => select.cfs(X, y),
  maxRelevance: () => select.maxRelevance(X, y),
  chowLiuSelect: () => select.chowLiuSelect(X, y),
  randomForest: () => classify.randomForest(X, y, { trees: 5 }),
  svm: () => classify.svm(X, y),
  linearSvm: () => classify.linearSvm(X, y),
  gaussianNaiveBayes: () => classify.gaussianNaiveBayes(X, y),
  discreteNaiveBayes: () =>
    classify.discreteNaiveBayes({ ...X, data: X.data.map((value) => Math.round(value)) }, y),
  kNearestNeighbors: () => classify.kNearestNeighbors(X, y),
  mlcaSign: () =>
    classify.mlcaSign(
      X,
      y.map((label) => Number(label === 0)),
    ),
};

/** Functions with declared options whose result is no fit: a list, a tree, another's result, or from elsewhere. */
const LEFT_OUT = [
  "chowLiuTree",
  "mlcaFromMoments",
  "predictPartition",
  "representatives",
  "scmlFromTriplets",
];

function plainData(value: unknown, path = "result"): void {
  if (typeof value === "function") throw new Error(`${path} is a function`);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  for (const [name, part] of Object.entries(value)) plainData(part, `${path}.${name}`);
}

test("every method with declared options is here", () => {
  const covered = [...Object.keys(clusterings), ...Object.keys(others), ...LEFT_OUT];
  const missing = [cluster, convex, embed, metric, select, classify].flatMap((room) =>
    Object.keys(room)
      .filter((name) => name.endsWith("Options") && name.slice(0, -7) in room)
      .map((name) => name.slice(0, -7))
      .filter((name) => !covered.includes(name)),
  );
  expect(missing).toEqual([]);
});

test("every option that people set says what it does and what happens without it", () => {
  for (const room of [cluster, convex, embed, metric, select, classify]) {
    for (const [name, rules] of Object.entries(room).filter(([one]) => one.endsWith("Options"))) {
      for (const [option, rule] of Object.entries(rules as unknown as Record<string, Rule<unknown>>)) {
        if (rule.control === undefined) continue;
        const { says, usual, kind } = rule.control;
        expect(says, `${name}.${option}`).toMatch(/^[a-z0-9].{5,}[^.]$/i);
        // A threshold that is an alternative to the number of clusters has none.
        const open = ["height", "maxCut", "epsilon"].includes(option) || kind === "flag" || rule.required;
        expect(open || (usual ?? rule.fallback) !== undefined, `${name}.${option}`).toBe(true);
        expect(rule.fallback === undefined || rule.accepts(rule.fallback), `${name}.${option}`).toBe(true);
      }
    }
  }
});

describe.each(Object.entries(clusterings))("%s", (_, [fit, load]) => {
  const result = fit();

  test("is plain data with the parts that every clustering has", () => {
    const { method, clusters, labels, sizes, converged, warnings, placement } = structuredClone(result);
    expect(labels).toEqual(result.labels);
    expect(labels).toBeInstanceOf(Int32Array);
    expect([typeof method, clusters, typeof converged, Array.isArray(warnings), typeof placement]).toEqual([
      "string",
      sizes.length,
      "boolean",
      true,
      "string",
    ]);
    const counted = new Int32Array(clusters);
    for (const label of labels) counted[label]++;
    expect(Array.from(sizes)).toEqual(Array.from(counted));
    plainData(result);
    const json = JSON.parse(JSON.stringify(result)) as Record<string, unknown>;
    expect(json.labels).toEqual(Array.from(labels));
    expect(json.sizes).toEqual(Array.from(sizes));
    expect(Object.keys(json)).not.toContain("predict");
  });

  test("places the rows it was made of where they are, and new ones in a cluster", () => {
    expect(result.predict(X)).toEqual(result.labels);
    const placed = result.predict(fresh);
    const lowest = result.placement === "density" ? -1 : 0;
    expect(placed.every((label) => label >= lowest && label < result.clusters)).toBe(true);
  });

  test.runIf(load !== undefined)("places them alike from a model of its own", () => {
    const model = result.model!();
    plainData(model);
    const read = load!(JSON.parse(JSON.stringify(model)) as never);
    for (const rows of [X, fresh]) expect(read.predict(rows)).toEqual(result.predict(rows));
  });
});

test.each(Object.entries(others))("%s is plain data", (_, fit) => {
  const result = fit();
  plainData(structuredClone(result));
  const text = JSON.stringify(result);
  expect(text).not.toContain('{"0":');
  expect(Object.keys(JSON.parse(text) as object).length).toBeGreaterThan(2);
});
