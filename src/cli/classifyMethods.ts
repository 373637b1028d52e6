import { Option } from "commander";
import {
  discreteNaiveBayes,
  gaussianNaiveBayes,
  kNearestNeighbors,
  linearSvm,
  randomForest,
  svm,
  type Classifier,
} from "../classify/index.ts";
import { optionError } from "../core/errors.ts";
import type { OnProgress } from "../core/progress.ts";
import type { ScaleKind, Scaling } from "../data/index.ts";
import type { CheckedTable } from "../engine/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { Label } from "../score/index.ts";
import { finiteNumber, integerAtLeast } from "./arguments.ts";
import type { StreamSource } from "./streamSource.ts";

/** A classifier with what the report says about it beyond its predictions. */
export interface Fitted {
  readonly classifier: Classifier;
  /** One line for people. */
  readonly facts: string;
  readonly converged?: boolean;
  /** Per feature, where the method has it. */
  readonly importance?: ArrayLike<number>;
}

export interface ClassifyMethod {
  readonly name: string;
  readonly summary: string;
  /** How features are scaled when the line does not say. */
  readonly scale: ScaleKind;
  readonly seeded: boolean;
  readonly options: readonly Option[];
  fit(X: Matrix, labels: readonly Label[], own: OwnOptions, onProgress?: OnProgress): Fitted;
  /** The same from rows that are never in memory at once, unscaled; absent where all of them are needed. */
  stream?(stream: StreamSource, own: OwnOptions, onProgress: OnProgress): Promise<StreamedFit>;
  /** The same from a table that an engine has. */
  onEngine?(opened: CheckedTable, own: OwnOptions): Promise<EngineFit>;
}

/** Learned from sums over the rows. */
export interface SummedFit {
  readonly fitted: Fitted;
  /** Only leaves out constant columns. */
  readonly scaling: Scaling;
  readonly rows: number;
  readonly notes: readonly string[];
}

export interface StreamedFit extends SummedFit {
  readonly passes: number;
}

export interface EngineFit extends SummedFit {
  /** Where the sums were made, for the line about the engine. */
  readonly how: string;
}

/** Where rows are that do not come here at once. */
export type Where = "from a stream" | "on an engine";

/** The method's own options by their attribute names, and the seed. */
export interface OwnOptions {
  readonly [name: string]: unknown;
  readonly seed?: number;
}

const cost = (): Option =>
  new Option("--cost <c>", "price of a row on the wrong side of its margin (default: 1)").argParser(
    finiteNumber,
  );

/** Every method of `kindred classify`. */
export const classifyMethods: readonly ClassifyMethod[] = [
  {
    name: "forest",
    summary: "random forest: hardly anything to set, any scale, says which features count",
    scale: "none",
    seeded: true,
    options: [
      new Option("--trees <n>", "trees (default: 100)").argParser(integerAtLeast(1)),
      new Option("--min-leaf <n>", "least rows in a leaf (default: 1)").argParser(integerAtLeast(1)),
      new Option("--max-depth <n>", "splits between root and leaf (default: no limit)").argParser(
        integerAtLeast(1),
      ),
    ],
    fit(X, labels, { trees, minLeaf, maxDepth, seed }, onProgress) {
      const options = { trees, minLeaf, maxDepth, seed, onProgress } as Parameters<typeof randomForest>[2];
      const classifier = randomForest(X, labels, options);
      const { trees: grown, outOfBag, importance } = classifier;
      const told = outOfBag === null ? "" : `, out-of-bag accuracy ${(100 * outOfBag.accuracy).toFixed(1)} %`;
      return { classifier, facts: `${grown.roots.length} trees${told}`, importance };
    },
  },
  {
    name: "svm",
    summary: "support vector machine with the RBF kernel: strong on scaled measurements",
    scale: "zscore",
    seeded: false,
    options: [
      new Option("--kernel <name>", "rbf or linear (default: rbf)").choices(["rbf", "linear"]),
      cost(),
      new Option("--gamma <g>", "of the RBF kernel (default: 1 / (features x variance))").argParser(
        finiteNumber,
      ),
    ],
    fit(X, labels, own, onProgress) {
      const { kernel, cost: C, gamma } = own;
      const classifier = svm(X, labels, { kernel, cost: C, gamma, onProgress } as Parameters<typeof svm>[2]);
      const { supportVectors, converged, certificate } = classifier;
      const state = `${converged ? "converged" : "NOT converged"}, violation ${certificate.residual.toExponential(1)}`;
      return { classifier, facts: `${supportVectors.rows} support vectors, ${state}`, converged };
    },
  },
  {
    name: "linear-svm",
    summary: "linear support vector machine: many features, a weight for each",
    scale: "zscore",
    seeded: true,
    options: [
      cost(),
      new Option("--loss <name>", "squared-hinge or hinge (default: squared-hinge)").choices([
        "squared-hinge",
        "hinge",
      ]),
    ],
    fit(X, labels, { cost: C, loss, seed }, onProgress) {
      const classifier = linearSvm(X, labels, { cost: C, loss, seed, onProgress } as Parameters<
        typeof linearSvm
      >[2]);
      const { converged, certificate } = classifier;
      const state = `${converged ? "converged" : "NOT converged"}, relative gap ${certificate.residual.toExponential(1)}`;
      return { classifier, facts: state, converged };
    },
  },
  {
    name: "naive-bayes",
    summary: "naive Bayes: a first guess in no time; --discrete for codes and categories",
    scale: "none",
    seeded: false,
    options: [
      new Option("--discrete", "features are codes, counted with Laplace smoothing (default: Gaussian)"),
    ],
    fit(X, labels, { discrete }) {
      return discrete === true
        ? { classifier: discreteNaiveBayes(X, labels), facts: "discrete, Laplace smoothing" }
        : { classifier: gaussianNaiveBayes(X, labels), facts: "Gaussian" };
    },
    async stream(stream, { discrete }, onProgress) {
      const { streamedDiscrete, streamedGaussian } = await import("./streamedNaiveBayes.ts");
      return (discrete === true ? streamedDiscrete : streamedGaussian)(stream, onProgress);
    },
    async onEngine(opened, { discrete }) {
      const { discreteOnEngine, gaussianOnEngine } = await import("./engineNaiveBayes.ts");
      return (discrete === true ? discreteOnEngine : gaussianOnEngine)(opened);
    },
  },
  {
    name: "knn",
    summary: "k nearest neighbours: no assumptions, scaled features",
    scale: "zscore",
    seeded: false,
    options: [
      new Option("-k, --neighbors <n>", "neighbours that vote (default: 5)").argParser(integerAtLeast(1)),
      new Option("--weights <name>", "uniform or distance (default: uniform)").choices([
        "uniform",
        "distance",
      ]),
    ],
    fit(X, labels, { neighbors, weights }) {
      const options = { neighbors, weights } as Parameters<typeof kNearestNeighbors>[2];
      const classifier = kNearestNeighbors(X, labels, options);
      return { classifier, facts: `${classifier.neighbors} neighbours` };
    },
  },
];

export function requireFromSums({ name, stream, onEngine }: ClassifyMethod, where: Where): void {
  const fits = { "from a stream": stream, "on an engine": onEngine };
  if (fits[where] !== undefined) return;
  const able = classifyMethods.filter((method) => method.stream !== undefined).map((method) => method.name);
  throw optionError(`${name} needs all rows at once; ${where} learns --method ${able.join(", ")}`);
}

export function classifyMethod(name: string): ClassifyMethod {
  return classifyMethods.find((method) => method.name === name) ?? classifyMethods[0];
}
