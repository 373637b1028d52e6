import { KindredError, random } from "kindred";
import { kmeans } from "kindred/cluster";
import { scale, type ScaleKind } from "kindred/data";
import { aml, cpdUml, fme, kernelPca, rpcaOm } from "kindred/embed";
import { type Matrix, nearestRows, takeRows, matrix } from "kindred/matrix";
import { accuracy, nmi, purity } from "kindred/score";
import { type ClassedSet, classedSet } from "../knownSets.ts";
import {
  type CpdGrid,
  type CpdRow,
  type CpdSet,
  DATA,
  type GridName,
  gridOf,
  PROTOCOL,
} from "./cpdUmlTables.ts";

/** One run (three folds) of a set: all linear methods, all kernel methods, or the stability search. */
export interface CpdUmlTask {
  readonly kind: "cpd-uml";
  readonly set: CpdSet;
  readonly part: "linear" | "kernel" | "stability";
  readonly run: number;
  readonly grid?: GridName;
  /** For the columns; absent: the value in `DATA` for the set. */
  readonly scale?: ScaleKind;
  /**
   * For every k-means; absent: `PROTOCOL.restarts`, and CPD-UML's own default. "random": one start, which for the
   * baselines is from rows drawn at random instead of k-means++.
   */
  readonly starts?: Starts;
  readonly folder?: string;
}

export type Starts = number | "random";

export type CpdUmlResult = Awaited<ReturnType<typeof runCpdUmlTask>>;

/** One setting of one method in one run: accuracy, NMI and purity of the unseen fold in percent, mean over the folds. */
export interface SettingScores {
  readonly row: CpdRow;
  readonly setting: string;
  /** The setting that the method chooses without labels. */
  readonly labelFree: boolean;
  readonly values: readonly [accuracy: number, nmi: number, purity: number];
}

export async function loadCpdSet(
  set: CpdSet,
  folder: string | undefined,
  wanted?: ScaleKind,
): Promise<ClassedSet> {
  const { name, scale: kind, missing } = DATA[set];
  const table = await classedSet(name, folder, missing);
  return { ...table, X: scale(table.X, wanted ?? kind).X };
}

/** Labels of the unseen rows, or why there are none. */
type Offer = (row: CpdRow, setting: string, labelFree: boolean, labels: () => Int32Array) => void;

export async function runCpdUmlTask(task: CpdUmlTask) {
  const { set, part, run } = task;
  const { X, truth } = await loadCpdSet(set, task.folder, task.scale);
  const K = new Set(truth).size;
  const grid = gridOf(set, task.grid);
  const began = performance.now();
  const sums = new Map<string, SettingScores & { values: [number, number, number]; folds: number }>();
  let fold = 0;
  for (const { seen, unseen } of folds(X.rows, run)) {
    const known = Array.from(unseen, (i) => truth[i]);
    const offer: Offer = (row, setting, labelFree, labels) => {
      const found = attempt(labels);
      if (found === undefined) return;
      const key = `${row} ${setting} ${labelFree}`;
      const entry = sums.get(key) ?? { row, setting, labelFree, values: [0, 0, 0], folds: 0 };
      sums.set(key, entry);
      const scores = [accuracy(found, known), nmi(found, known), purity(found, known)];
      scores.forEach((score, m) => (entry.values[m] += 100 * score));
      entry.folds++;
    };
    const work = { linear, kernel, stability }[part];
    work(takeRows(X, seen), takeRows(X, unseen), K, grid, drawsOf(task, fold), offer);
    fold++;
  }
  const scores = [...sums.values()]
    .filter((entry) => entry.folds === PROTOCOL.folds)
    .map(({ row, setting, labelFree, values: [a, b, c], folds: n }): SettingScores => ({
      row,
      setting,
      labelFree,
      values: [a / n, b / n, c / n],
    }));
  return { scores, seconds: (performance.now() - began) / 1000 };
}

function* folds(n: number, run: number): Generator<{ seen: Int32Array; unseen: Int32Array }> {
  const order = random(run).sample(n, n);
  for (let f = 0; f < PROTOCOL.folds; f++) {
    const from = Math.floor((f * n) / PROTOCOL.folds);
    const to = Math.floor(((f + 1) * n) / PROTOCOL.folds);
    const seen = new Int32Array(n - (to - from));
    seen.set(order.subarray(0, from));
    seen.set(order.subarray(to), from);
    yield { seen, unseen: order.subarray(from, to) };
  }
}

/** A setting that a method refuses is left out of its grid. */
function attempt(labels: () => Int32Array): Int32Array | undefined {
  try {
    return labels();
  } catch (error) {
    if (error instanceof KindredError) return undefined;
    throw error;
  }
}

/** The settings of every k-means of a fold; `rowSeed` where those of the baselines start from random rows. */
interface Draws {
  readonly options: { readonly seed: number; readonly restarts?: number };
  readonly rowSeed?: number;
}

function drawsOf({ run, starts }: CpdUmlTask, fold: number): Draws {
  const restarts = starts === "random" ? 1 : starts;
  return {
    options: { seed: run, ...(restarts !== undefined && { restarts }) },
    // Not the seed of the folds, whose order it would repeat.
    ...(starts === "random" && { rowSeed: 1000 + PROTOCOL.folds * run + fold }),
  };
}

type Work = (S: Matrix, U: Matrix, K: number, grid: CpdGrid, draws: Draws, offer: Offer) => void;

const linear: Work = (S, U, K, grid, draws, offer) => {
  offer("kmeans", "", true, () => baseline(S, U, K, draws));
  for (const lambda of grid.amlLambdas) {
    offer("aml", `lambda ${lambda}`, lambda === 1, () =>
      aml(S, { clusters: K, lambda, ...draws.options }).predict(U),
    );
  }
  for (const dims of planes(grid, K, S.cols)) {
    offer("rpcaOm", `dims ${dims}`, dims === planeOf(K, S.cols), () => inPlane(S, U, K, dims, draws));
  }
  for (const [mu, gamma] of grid.fme) {
    const setting = `mu ${mu}, gamma ${gamma}`;
    offer("fme", setting, mu === 0.01 && gamma === 100, () =>
      fme(S, { clusters: K, mu, gamma, ...draws.options }).predict(U),
    );
  }
  drift(S, U, K, { sigmas: grid.sigmas, lambdas: grid.lambdas }, draws, "", offer, "cpdUml");
  ownDrift(S, U, K, draws, "", offer, ["cpdUml", "spectral"]);
};

const kernel: Work = (S, U, K, grid, draws, offer) => {
  for (const width of [...grid.widths, undefined]) {
    const model = kernelPca(S, {
      dims: Math.min(PROTOCOL.components, S.rows - 1),
      ...(width !== undefined && { sigma: width }),
    });
    const [A, B] = [model.embedding, model.transform(U)];
    const free = width === undefined;
    const at = free ? "median width, " : `width ${width}, `;
    offer("kernelKmeans", at, free, () => baseline(A, B, K, draws));
    for (const lambda of free ? [1] : [0.01, 1, 100]) {
      offer("naml", `${at}lambda ${lambda}`, free, () =>
        aml(A, { clusters: K, lambda, ...draws.options }).predict(B),
      );
    }
    for (const dims of free ? [planeOf(K, A.cols)] : planes(grid, K, A.cols)) {
      offer("rRpcaOm", `${at}dims ${dims}`, free, () => inPlane(A, B, K, dims, draws));
    }
    for (const [mu, gamma] of free ? [[0.01, 100]] : grid.rFme) {
      const setting = `${at}mu ${mu}, gamma ${gamma}`;
      offer("rFme", setting, free, () => fme(A, { clusters: K, mu, gamma, ...draws.options }).predict(B));
    }
    if (free) ownDrift(A, B, K, draws, at, offer, ["rCpdUml", "rSpectral"]);
    else {
      const steps = { sigmas: grid.kernelSigmas, lambdas: grid.kernelLambdas };
      drift(A, B, K, steps, draws, at, offer, "rCpdUml");
    }
  }
};

const stability: Work = (S, U, K, _, draws, offer) => {
  offer("cpdStable", "", true, () =>
    cpdUml(S, { clusters: K, choose: "stability", ...draws.options }).predict(U),
  );
};

function baseline(S: Matrix, U: Matrix, K: number, { options, rowSeed }: Draws): Int32Array {
  if (rowSeed !== undefined) {
    const drawn = random(rowSeed).sample(K, S.rows);
    return kmeans(S, { initialCenters: takeRows(S, drawn) }).predict(U);
  }
  return kmeans(S, { clusters: K, restarts: PROTOCOL.restarts, ...options }).predict(U);
}

function inPlane(S: Matrix, U: Matrix, K: number, dims: number, draws: Draws): Int32Array {
  const plane = rpcaOm(S, { dims });
  return baseline(plane.embedding, plane.transform(U), K, draws);
}

/** The dimension that `kindred cluster --method rpca-om` takes. */
function planeOf(K: number, columns: number): number {
  return Math.max(1, Math.min(K, columns) - 1);
}

function planes({ planes: multiples }: CpdGrid, K: number, columns: number): number[] {
  const dims = [planeOf(K, columns), ...multiples.map((m) => Math.round(m * K))];
  return [...new Set(dims)].filter((value) => value >= 1 && value < columns).concat(columns === 1 ? [1] : []);
}

/** CPD-UML on a grid. */
function drift(
  S: Matrix,
  U: Matrix,
  K: number,
  steps: { readonly sigmas: readonly number[]; readonly lambdas: readonly number[] },
  draws: Draws,
  at: string,
  offer: Offer,
  row: "cpdUml" | "rCpdUml",
): void {
  for (const sigma of steps.sigmas) {
    for (const lambda of steps.lambdas) {
      offer(row, `${at}sigma ${sigma}, lambda ${lambda}`, false, () =>
        cpdUml(S, { clusters: K, sigma, lambda, ...draws.options }).predict(U),
      );
    }
  }
}

/** CPD-UML by its defaults, and the spectral step alone. */
function ownDrift(
  S: Matrix,
  U: Matrix,
  K: number,
  draws: Draws,
  at: string,
  offer: Offer,
  [row, spectral]: readonly ["cpdUml", "spectral"] | readonly ["rCpdUml", "rSpectral"],
): void {
  const fit = cpdUml(S, { clusters: K, ...draws.options });
  offer(row, `${at}default`, true, () => fit.predict(U));
  const centers = means(S, fit.spectralLabels, fit.clusters);
  offer(spectral, at, true, () => nearestRows(centers, 1, { queries: U }).indices);
}

function means(S: Matrix, labels: Int32Array, clusters: number): Matrix {
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  const M = matrix(clusters, S.cols);
  for (let p = 0; p < S.data.length; p++) {
    const label = labels[Math.floor(p / S.cols)];
    M.data[label * S.cols + (p % S.cols)] += S.data[p] / sizes[label];
  }
  return M;
}
