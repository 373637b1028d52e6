export interface MessyTable {
  readonly name: string;
  /** The file. */
  readonly text: string;
  readonly truth: readonly number[];
  readonly groups: number;
  /** The columns that depend on the grouping. */
  readonly relevant: readonly string[];
  /** Columns that shift the others. */
  readonly adjust?: readonly string[];
}

export function messyTables(seed?: number): MessyTable[];
