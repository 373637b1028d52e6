import { Option } from "commander";
import { type Form, kindredCluster, type RecipeCandidate, type RecipeMetric } from "../../convex/index.ts";
import { squareRoot } from "../../convex/path/result.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import { multiply } from "../../matrix/multiply.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { compressionJson, dense, metricJson, relevanceLine } from "./convexOptions.ts";

export const accepts: MethodFile["accepts"] = { clusters: "optional", seed: true, sparse: false };

export function options(): Option[] {
  return [
    new Option("--form <name>", "how much work (default: by the size of the data)").choices([
      "full",
      "light",
      "landmarks",
      "representatives",
    ]),
  ];
}

export function run(
  X: Matrix | Sparse,
  { clusters, seed, onProgress, own, names }: MethodOptions,
): Clustering {
  const { form } = own as { form?: Form };
  const options = { clusters, seed, form, scale: "none", onProgress } as const;
  const result = kindredCluster(dense(X), options);
  const { labels, sizes, centers, converged, warnings, objective, certificate, candidates, metric } = result;
  const lines: [string, string][] = [
    ["form", `${result.form}: ${result.reason}`],
    ["chosen", `${describe(candidates[0])}, of ${candidates.length} candidates by modularity`],
    ...(certificate === undefined
      ? []
      : ([["proof", `relative duality gap ${certificate.relativeGap.toExponential(1)}`]] as [
          string,
          string,
        ][])),
    ...relevanceLine(metric, names),
  ];
  return {
    labels,
    sizes,
    centers,
    nearest: { map: metricMap(metric) },
    converged,
    warnings,
    objective,
    certificate,
    details: {
      json: {
        form: result.form,
        reason: result.reason,
        candidates: candidates.map(({ method, neighbors, round, gamma, modularity }) => ({
          method,
          neighbors,
          round,
          gamma,
          modularity,
        })),
        ...(result.compression !== undefined && { compression: compressionJson(result.compression) }),
        metric: metricJson(metric, names),
      },
      lines,
    },
    drawing: learned(metric) ? { metric } : {},
    call: { name: "kindredCluster", options },
  };
}

/** Rows times this are Euclidean: V B^(1/2), or B^(1/2) where there is no projection. */
function metricMap({ matrix: B, projection }: RecipeMetric): Matrix {
  const root = squareRoot(B);
  return projection === undefined ? root : multiply(projection, root);
}

/** Not a multiple of the identity. */
function learned({ eigenvalues, projection }: RecipeMetric): boolean {
  return projection !== undefined || eigenvalues[0] - eigenvalues[eigenvalues.length - 1] > 1e-9;
}

function describe({ method, neighbors, round, modularity }: RecipeCandidate): string {
  const parts: string[] = [method];
  if (round !== undefined) parts.push(`round ${round}`);
  if (neighbors !== undefined) parts.push(`${neighbors} neighbours`);
  return `${parts.join(", ")} (modularity ${modularity.toFixed(4)})`;
}
