import { jointVariable, tablesOf, variable, withVariable, type Discrete } from "../../src/select/discrete.ts";
import { pairInformation, type InformationTable } from "../../src/select/pairInformation.ts";

/** The histograms of all pairs of variables, u < v, one after the other: the reference of src/select/pairInformation.ts. */
export function plainPairCounts(variables: Discrete): Float64Array {
  const { joint } = tablesOf(variables);
  const counts: number[] = [];
  for (let u = 0; u < variables.cols; u++) {
    for (let v = u + 1; v < variables.cols; v++) counts.push(...Array.from(joint(u, v)));
  }
  return Float64Array.from(counts);
}

/** I((u, v); j) for every j, by histograms: the reference of src/select/pairInformation.ts. */
export function plainJointRow(
  variables: Discrete,
  table: InformationTable,
  u: number,
  v: number,
): Float64Array {
  const { cols, levels } = variables;
  const joint = jointVariable(variable(variables, u), variable(variables, v), levels[v]);
  const both = withVariable(variables, joint.codes, joint.levels);
  return pairInformation(tablesOf(both), table).row(cols).slice(0, cols);
}
