import { CLOSE } from "../cluster/spectral/rankPartitions.ts";
import { cells, type CompareResult, type ComparedMethod } from "../report/index.ts";
import { columns } from "./columns.ts";

/** How the recommended method is chosen, for people. */
export const RULE: string =
  "Ranked without labels: largest modularity on the 10-nearest-neighbour graph; among those within 2 % of it first the " +
  "one that agrees best with the others. Methods that miss the number of clusters come last.";

/** One sentence: which to use, and why. */
export function recommendation(methods: readonly ComparedMethod[], clusters: number): string {
  const [best] = methods;
  const exact = best.clusters === clusters;
  const rivals = methods.filter((method) => (method.clusters === clusters) === exact);
  const others = methods.filter((method) => !rivals.includes(method));
  const how = rivals.every(({ modularity }) => modularity <= best.modularity) ? "best" : "as well as any";
  const reasons = [
    `its ${best.clusters} clusters fit the neighbourhoods ${how} (modularity ${best.modularity.toFixed(3)})`,
  ];
  if (best.agreement !== undefined) {
    reasons.push(`the others agree with it by ${best.agreement.toFixed(2)} on average`);
  }
  if (best.stability !== undefined) reasons.push(`resamples give them again by ${best.stability.toFixed(2)}`);
  const fitter = others.find(
    ({ modularity }) => modularity - best.modularity > CLOSE * Math.abs(best.modularity),
  );
  const doubt = !exact
    ? ` No method found exactly ${clusters} clusters, so look at the number again.`
    : fitter === undefined
      ? ""
      : ` ${fitter.method} fits them better with ${fitter.clusters} clusters (modularity ` +
        `${fitter.modularity.toFixed(3)}): perhaps ${clusters} is not the number.`;
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
    // The library's function may have said its own name already.
    ...result.failed.map(({ method, why }) => `${method}: ${why.replace(/^[a-z]\w*: /, "")}`),
    "",
    result.recommendation,
    "",
  ].join("\n");
}
