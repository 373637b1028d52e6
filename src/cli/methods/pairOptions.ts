import { Option } from "commander";
import type { SoftPairOptions } from "../../cluster/index.ts";
import type { Constraints } from "../../data/index.ts";
import { toDense } from "../../matrix/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import { isSparse, type Sparse } from "../../matrix/sparse.ts";
import { finiteNumber, integerAtLeast } from "../arguments.ts";
import type { Details, MethodFile, MethodOptions } from "../methods.ts";

/** What the methods that learn from pairs share on the command line. */
export const softAccepts: MethodFile["accepts"] = {
  clusters: "required",
  seed: true,
  sparse: false,
  pairs: true,
};

export function restartOptions(iterations: number): Option[] {
  return [
    new Option("--restarts <n>", "independent starts, the best is kept (default: 10)").argParser(
      integerAtLeast(1),
    ),
    new Option("--max-iterations <n>", `at most this many per start (default: ${iterations})`).argParser(
      integerAtLeast(1),
    ),
  ];
}

export function penaltyOptions(): Option[] {
  return [
    ...restartOptions(200),
    new Option("--penalty <w>", "of a violated pair, against half a squared distance (default: 1)").argParser(
      finiteNumber,
    ),
    new Option("--no-closure", "penalise the given pairs only, not all that follow from them"),
  ];
}

export function softOptions({ clusters, seed, onProgress, own, pairs }: MethodOptions): SoftPairOptions {
  return { ...own, ...pairs, clusters: clusters as number, seed, onProgress };
}

export function dense(X: Matrix | Sparse): Matrix {
  return isSparse(X) ? toDense(X) : X;
}

export function someOf(pairs: Constraints | undefined): pairs is Constraints {
  return pairs !== undefined && pairs.mustLink.length + pairs.cannotLink.length > 0;
}

/** How many of the given pairs hold. */
export function pairLines(pairs: Constraints | undefined, labels: Int32Array): Details {
  const { mustLink, cannotLink } = pairs ?? { mustLink: [], cannotLink: [] };
  const must = mustLink.filter(([i, j]) => labels[i] === labels[j]).length;
  const cannot = cannotLink.filter(([i, j]) => labels[i] !== labels[j]).length;
  return {
    json: {
      mustLinks: mustLink.length,
      mustLinksKept: must,
      cannotLinks: cannotLink.length,
      cannotLinksKept: cannot,
    },
    lines: [
      [
        "pairs",
        `${must} of ${mustLink.length} must-links and ${cannot} of ${cannotLink.length} cannot-links kept`,
      ],
    ],
  };
}
