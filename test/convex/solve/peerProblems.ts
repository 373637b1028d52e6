import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ConvexProblem, Norm } from "../../../src/convex/solve/problem.ts";
import { fromRows } from "../../../src/matrix/matrix.ts";
import { shared } from "../../../bench/shared.mjs";

/** Problems of other programs, with what they found (KINDRED_PEERS). */
export const folder = shared("peers", "convex");
export const here = existsSync(folder);

export function peerProblem(name: string, norm: Norm, B?: string): ConvexProblem {
  const X = fromRows(table(`${name}_X.csv.gz`));
  const edges = table(`${name}_edges.csv.gz`);
  return {
    X,
    graph: {
      nodes: X.rows,
      from: Int32Array.from(edges, (edge) => edge[0]),
      to: Int32Array.from(edges, (edge) => edge[1]),
      weights: Float64Array.from(edges, (edge) => edge[2]),
    },
    norm,
    ...(B !== undefined && { metric: fromRows(table(B)) }),
  };
}

export function table(file: string): number[][] {
  return text(file)
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
}

export function text(file: string): string {
  const bytes = readFileSync(`${folder}/${file}`);
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}
