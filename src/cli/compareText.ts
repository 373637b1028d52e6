import { cells, type CompareResult, type ComparedMethod } from "../report/index.ts";
import { columns } from "./columns.ts";

/** How the recommended method is chosen, for people. */
export const RULE: string =
  "Ranked without labels: largest modularity on the 10-nearest-neighbour graph; among those within 2 % of it first the " +
  "one that agrees best with the others.";

/** One sentence: which to use, and why. */
export function recommendation(methods: readonly ComparedMethod[], clusters: number): string {
  const [best] = methods;
  const most = Math.max(...methods.map(({ modularity }) => modularity));
  const how = best.modularity >= most ? "best" : "as well as any";
  const reasons = [
    `its ${best.clusters} clusters fit the neighbourhoods ${how} (modularity ${best.modularity.toFixed(3)})`,
  ];
  if (best.agreement !== undefined) {
    reasons.push(`the others agree with it by ${best.agreement.toFixed(2)} on average`);
  }
  if (best.stability !== undefined) reasons.push(`resamples give them again by ${best.stability.toFixed(2)}`);
  const doubt =
    best.clusters === clusters
      ? ""
      : ` No method found exactly ${clusters} clusters, so look at the number again.`;
  const weak =
    best.stability !== undefined && best.stability < WEAK
      ? " The clusters change with the sample: take them as a description, not as a fact."
      : "";
  return `Use ${best.method}: ${reasons.join(", ")}.${doubt}${weak}`;
}

/** Stability below which a warning is due. */
const WEAK = 0.6;

/** The comparison as text. */
export function compareText(result: CompareResult): string {
  const scored = result.methods.some(({ scores }) => scores !== undefined);
  const heads = ["method", "clusters", "modularity", "silhouette", "stability", "agreement", "seconds"];
  if (scored) heads.push("ARI", "NMI", "accuracy");
  const rows = result.methods.map((row) => [
    row.converged ? row.method : `${row.method} (not converged)`,
    ...cells(row, scored),
  ]);
  return [
    `${result.source}, ${result.rows} rows x ${result.features} features, ${result.clusters} clusters`,
    "",
    ...columns([heads, ...rows]),
    "",
    result.rule,
    ...(scored ? [`ARI, NMI and accuracy are against ${result.label}, which no method saw.`] : []),
    ...result.notes,
    ...result.failed.map(({ method, why }) => `${method}: ${why}`),
    "",
    result.recommendation,
    "",
  ].join("\n");
}
