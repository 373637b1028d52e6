import { rule } from "../../core/internal.ts";

const isText = (value: unknown): boolean => typeof value === "string";

/** The options of every reader: how a file is laid out, and what it is called. */
export const LAYOUT_RULES = {
  /** Delimited text: default: detected among comma, semicolon, tab and bar. */
  delimiter: rule.text("one character"),
  /** Delimited text: default: UTF-8 or UTF-16 if it is, otherwise Windows-1252. */
  encoding: rule.text("the name of an encoding"),
  /** Delimited text and spreadsheets: whether the first row names the columns. Default: decided by its cells. */
  header: { ...rule.flag(true), fallback: undefined },
  /** Spreadsheets: the name of a sheet or its position, from 1. Default: the first that is not empty. */
  sheet: rule.given<string | number>(
    "the name of a sheet or its place",
    (value) => isText(value) || Number.isInteger(value),
  ),
  /** The name of the source in messages; default: its path. */
  name: rule.text("a string"),
  onProgress: rule.progress,
};
