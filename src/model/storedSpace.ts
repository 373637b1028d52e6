import { checked, inputError } from "../core/internal.ts";
import { tableSpaceForm, type TableSpace } from "./modelForm.ts";

/**
 * The space of a model of a metric, a classifier or an embedding; refuses a damaged one. An older file has
 * the scaling of its columns instead.
 *
 * @param width the numbers that what comes after it takes, which is called `what`
 */
export function restoreTableSpace(json: object, width?: number, what?: string): TableSpace {
  const file = json as Readonly<Record<string, unknown>>;
  const given = "scaling" in file ? { columns: [], space: { kind: "scaling", scaling: file.scaling } } : file;
  const { columns, space } = checked(tableSpaceForm, given, "the model");
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
