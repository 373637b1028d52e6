import type { ProgressGate, ResolvedOptions } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { cpdUmlOptions } from "./cpdUml.ts";
import { type FieldBasis, fieldSolver, type FieldStep } from "./cpdUmlField.ts";
import { type Indicator, partitionIndicator, relaxedIndicator } from "./cpdUmlIndicator.ts";
import {
  embeddedPartition,
  type Partition,
  spectralEmbedding,
  type SpectralEmbedding,
} from "./cpdUmlSpectral.ts";

export type AlternationOptions = { readonly lambda: number } & Pick<
  ResolvedOptions<typeof cpdUmlOptions>,
  "clusters" | "indicator" | "iterate" | "maxIterations" | "tolerance" | "restarts" | "seed"
>;

export type Alternation = ReturnType<typeof alternate>;

/**
 * The part that does not depend on sigma and lambda: Psi = 0. The ablation, and the start of every
 * alternation.
 */
export function spectralStart(
  X: Matrix,
  options: Pick<AlternationOptions, "clusters" | "restarts" | "seed">,
): { embedding: SpectralEmbedding; partition: Partition } {
  const embedding = spectralEmbedding(X, options.clusters);
  return { embedding, partition: embeddedPartition(embedding.U, options.clusters, undefined, options) };
}

/**
 * Algorithm 1. The Psi step is exact and lowers J; so does the Y step when Y may be any orthonormal matrix (relaxed).
 * A partition found by k-means need not lower J, so the best iterate is kept. A partition determines the next
 * one, so a repeated partition proves a fixed point (after one iteration) or a cycle (after several).
 */
export function alternate(
  X: Matrix,
  basis: FieldBasis,
  start: ReturnType<typeof spectralStart>,
  options: AlternationOptions,
  gate: ProgressGate,
) {
  const { clusters: K, lambda, indicator, iterate, maxIterations, tolerance } = options;
  const solver = fieldSolver(X, basis, lambda);
  const relaxed = indicator === "relaxed";
  let { embedding, partition } = start;
  const history: number[] = [];
  const met = new Map<string, number>();
  let kept: { Y: Indicator; step: FieldStep; partition: Partition } | undefined;
  let returned = 0;
  let outcome: "converged" | "cycle" | "limit" | "stopped" = "limit";
  /** Iterations from a partition back to itself; 1 when converged, 0 when no partition recurred. */
  let period = 0;
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    const Y = relaxed ? relaxedIndicator(embedding.U) : partitionIndicator(partition.labels, partition.sizes);
    const step = solver.step(Y);
    const previous = history.at(-1);
    history.push(step.objective);
    if (kept === undefined || iterate === "last" || step.objective < kept.step.objective) {
      kept = { Y, step, partition };
      returned = iteration;
    }
    const fraction = iteration / (maxIterations + 1);
    if (!gate({ fraction, label: `iteration ${iteration}`, objective: step.objective })) {
      outcome = "stopped";
      break;
    }
    if (relaxed && previous !== undefined && previous - step.objective <= tolerance * previous) {
      outcome = "converged";
      period = 1;
      break;
    }
    if (!relaxed) met.set(canonical(partition), iteration);
    embedding = spectralEmbedding(step.moved, K);
    if (relaxed) continue;
    partition = embeddedPartition(embedding.U, K, partition, options);
    const before = met.get(canonical(partition));
    if (before !== undefined) {
      period = iteration + 1 - before;
      outcome = period === 1 ? "converged" : "cycle";
      break;
    }
  }
  const { Y, step, partition: found } = kept!;
  embedding = spectralEmbedding(step.moved, K);
  return {
    partition: relaxed ? embeddedPartition(embedding.U, K, undefined, options) : found,
    /** X1, in the coordinates of X. */
    moved: step.moved,
    /** Phi, m x d. */
    weights: solver.weights(Y, step),
    Y,
    /** Leading singular vectors of X1. */
    embedding,
    objective: step.objective,
    /** J after each Psi step. */
    history,
    /** The iteration that is returned, counted from 1. */
    returned,
    outcome,
    period,
  };
}

/** The same text for the same partition, for any numbering of its clusters. */
function canonical({ labels, sizes }: Partition): string {
  const number = new Int32Array(sizes.length).fill(-1);
  let next = 0;
  return labels
    .map((label) => {
      if (number[label] < 0) number[label] = next++;
      return number[label];
    })
    .join();
}
