import { absentColumn, inputError, option, optionError, rule } from "../../core/internal.ts";
import type { FoundColumn } from "../table.ts";

/** The roles of columns; those not named are features. */
export const roleRules = {
  /** The column of known classes; read as text, never part of X. */
  label: rule.text("a column name"),
  /** The column that names the rows; read as text, never part of X. */
  id: rule.text("a column name"),
  /** The column with the measurement group of a row; read as text, never part of X. */
  batch: rule.text("a column name"),
  ignore: rule.names,
  /** Columns of text to encode as one 0/1 column per level, or "onehot" for every column that holds text. */
  categorical: rule.given<"refuse" | "onehot" | readonly string[]>(
    '"refuse", "onehot" or an array of column names',
    (value) => value === "refuse" || value === "onehot" || rule.names.accepts(value),
  ),
};

export type ColumnRoles = rule.OptionsOf<typeof roleRules>;

/** The roles, or what decides them once the columns are known. */
export interface RoleOptions extends ColumnRoles {
  readonly roles?: (columns: readonly FoundColumn[]) => ColumnRoles;
}

/** What a column of the source is in a table of numbers: a number, a level, or text beside the numbers. */
export type Role = "number" | "level" | "label" | "id" | "batch" | "ignored";

export interface Roles {
  readonly names: readonly string[];
  /** The role of each column of the source. */
  readonly roles: readonly Role[];
  /** The columns of numbers and levels, in order. */
  readonly features: readonly number[];
}

/** The options that give a column of text its role. */
const TEXTS = ["label", "id", "batch"] as const;

/**
 * Gives each column its role from the options `label`, `id`, `batch`, `ignore` and `categorical`, or from
 * `roles`.
 *
 * @param columns whether they hold text, as far as is known; used by `categorical: "onehot"` and `roles`
 */
export function assignRoles(source: string, columns: readonly FoundColumn[], given: RoleOptions): Roles {
  const names = columns.map(({ name }) => name);
  const options: ColumnRoles = given.roles === undefined ? given : given.roles(columns);
  const roles: Role[] = names.map(() => "number");
  const askedBy = new Map<number, string>();
  const give = (asked: string, name: string, role: Role): void => {
    const column = names.indexOf(name);
    if (column < 0) throw absentColumn(asked, name, source, names);
    const before = askedBy.get(column);
    if (before !== undefined) {
      throw optionError(
        `${source}: column "${name}" is named by both ${option(before)} and ${option(asked)}`,
      );
    }
    askedBy.set(column, asked);
    roles[column] = role;
  };
  for (const role of TEXTS) if (options[role] !== undefined) give(role, options[role], role);
  for (const name of options.ignore ?? []) give("ignore", name, "ignored");
  if (options.categorical === "onehot") {
    columns.forEach(({ text }, j) => {
      if (text && roles[j] === "number") roles[j] = "level";
    });
  } else if (Array.isArray(options.categorical)) {
    for (const name of options.categorical) give("categorical", name, "level");
  }
  const features = [...roles.keys()].filter((j) => roles[j] === "number" || roles[j] === "level");
  if (features.length === 0) throw inputError(`${source}: no column is left to be a feature`);
  return { names, roles, features };
}
