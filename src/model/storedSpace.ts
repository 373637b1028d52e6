import { inputError } from "../core/internal.ts";
import { checkSpace } from "./schema.ts";
import type { TableSpace } from "./space.ts";

/**
 * The space of a model of a metric, a classifier or an embedding; refuses a damaged one. An older file has
 * the scaling of its columns instead.
 *
 * @param width the numbers that what comes after it takes, which is called `what`
 */
export function restoreTableSpace(json: object, width?: number, what?: string): TableSpace {
  const file = json as Readonly<Record<string, unknown>>;
  const given = "scaling" in file ? { columns: [], space: { kind: "scaling", scaling: file.scaling } } : file;
  const { columns, space } = checkSpace(given);
  if (space.kind !== "scaling" && space.kind !== "features") {
    throw inputError(
      `the model has rows in "${String((space as TableSpace["space"]).kind)}", which this version does not know`,
    );
  }
  const has =
    space.kind === "scaling"
      ? space.scaling.kept.length
      : space.record.parts.reduce((sum, { names }) => sum + names.length, 0);
  if (width !== undefined && has !== width) {
    throw inputError(
      `the rows of the model have ${has} numbers, but the ${what} takes ${width}: the file is damaged`,
    );
  }
  return { columns, space };
}
