import { Option } from "commander";
import { agglomerative, type Dendrogram, type Linkage } from "../../cluster/index.ts";
import { optionError } from "../../core/errors.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Tree } from "../../report/index.ts";
import { finiteNumber } from "../arguments.ts";
import type { MethodFile } from "../methods.ts";

/** The command line of one linkage. */
export function linkageMethod(linkage: Linkage): MethodFile {
  return {
    accepts: {
      clusters: "optional",
      seed: false,
      sparse: false,
      // These two keep all distances; the others need the rows alone.
      quadratic: linkage === "average" || linkage === "complete",
    },
    options: () => [
      new Option("--height <h>", "undo all merges above this height, instead of --clusters").argParser(
        finiteNumber,
      ),
    ],
    run(X, { clusters, own }) {
      const { height } = own as { height?: number };
      if ((clusters === undefined) === (height === undefined)) {
        throw optionError(
          `${linkage} needs either --clusters, their number, or --height, where to cut the tree`,
        );
      }
      const options = { linkage, clusters, height };
      const result = agglomerative(X as Matrix, options);
      const model = result.model();
      const { merges } = model;
      const [low, high] = result.between;
      const last = result.tree.heights.slice(-5).toReversed();
      return {
        ...result,
        details: {
          json: { linkage, between: [low, Number.isFinite(high) ? high : null], merges },
          lines: [
            [
              "cut",
              `between the heights ${short(low)} and ${Number.isFinite(high) ? short(high) : "infinity"}`,
            ],
            [
              "heights",
              `${Array.from(last, short).join(", ")}${result.tree.heights.length > 5 ? ", ..." : ""}`,
            ],
          ],
        },
        model,
        drawing: { tree: drawnTree(result.tree, linkage) },
        call: { name: "agglomerative", options },
      };
    },
  };
}

function drawnTree({ rows, merges, heights, sizes }: Dendrogram, linkage: Linkage): Tree {
  return {
    rows,
    merges: Array.from(heights, (height, m) => ({
      a: merges[2 * m],
      b: merges[2 * m + 1],
      height,
      size: sizes[m],
    })),
    height: `height (${linkage})`,
  };
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
