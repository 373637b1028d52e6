import type { Command } from "commander";

/** A file of commands/ declares its arguments and options on `command`, and its action does the work. */
export interface VerbFile {
  /** `args` is the whole command line, for options that depend on other options (`cluster --method`). */
  define(command: Command, args: readonly string[]): void | Promise<void>;
}

export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<VerbFile>;
}

/** Every command, in the order of the help. A new command needs a file in commands/ and an entry here. */
export const verbs: readonly Verb[] = [
  verb("cluster", "cluster the rows of a table", () => import("./commands/cluster.ts")),
  verb(
    "columns",
    "show how the columns of a table are read and converted",
    () => import("./commands/columns.ts"),
  ),
  verb(
    "embed",
    "map the rows to a few coordinates: PCA, kernel PCA and others",
    () => import("./commands/embed.ts"),
  ),
  verb("compare", "run every suitable method and recommend one", () => import("./commands/compare.ts")),
  verb("path", "compute the whole clusterpath of convex clustering", () => import("./commands/path.ts")),
  verb(
    "ask",
    "ask which pairs of rows belong together; answers come from the terminal or a file",
    () => import("./commands/ask.ts"),
  ),
  verb(
    "metric",
    "learn which differences count, from classes, pairs or groups",
    () => import("./commands/metric.ts"),
  ),
  verb(
    "methods",
    "list all methods; with --json their needs and options",
    () => import("./commands/methods.ts"),
  ),
  verb(
    "metrics",
    "list the metrics: what each learns from and when to use it",
    () => import("./commands/metrics.ts"),
  ),
  verb(
    "apply",
    "transform new rows by a learned metric, or place them in the clusters of a model",
    () => import("./commands/apply.ts"),
  ),
  verb(
    "select",
    "rank features by their information about the classes, or without classes",
    () => import("./commands/select.ts"),
  ),
  verb(
    "classify",
    "learn classes from labelled rows and predict them for others, or cross-validate",
    () => import("./commands/classify.ts"),
  ),
  verb(
    "segment",
    "cut a series into segments of consecutive rows, also under a learned metric",
    () => import("./commands/segment.ts"),
  ),
  verb("score", "compare two labelings by every score", () => import("./commands/score.ts")),
  verb("data", "list the named data sets, or write one as CSV", () => import("./commands/data.ts")),
  verb(
    "explore",
    "explore a table in the browser: cluster it, give hints, see why",
    () => import("./commands/explore.ts"),
  ),
  verb(
    "doctor",
    "print the engine, the versions and the optional parts in use",
    () => import("./commands/doctor.ts"),
  ),
  verb(
    "completion",
    "print the completion script for bash, zsh or fish",
    () => import("./commands/completion.ts"),
  ),
  verb(
    "help",
    "help for a command or a topic; without a name, the list of both",
    () => import("./commands/help.ts"),
  ),
];

function verb(name: string, summary: string, load: Verb["load"]): Verb {
  return { name, summary, load };
}
