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
  { name: "cluster", summary: "cluster the rows of a table", load: () => import("./commands/cluster.ts") },
  {
    name: "columns",
    summary: "show how the columns of a table are read and converted",
    load: () => import("./commands/columns.ts"),
  },
  {
    name: "embed",
    summary: "map the rows to a few coordinates: PCA, kernel PCA and others",
    load: () => import("./commands/embed.ts"),
  },
  {
    name: "compare",
    summary: "run every suitable method and recommend one",
    load: () => import("./commands/compare.ts"),
  },
  {
    name: "path",
    summary: "compute the whole clusterpath of convex clustering",
    load: () => import("./commands/path.ts"),
  },
  {
    name: "ask",
    summary: "ask which pairs of rows belong together; answers come from the terminal or a file",
    load: () => import("./commands/ask.ts"),
  },
  {
    name: "metric",
    summary: "learn which differences count, from classes, pairs or groups",
    load: () => import("./commands/metric.ts"),
  },
  {
    name: "methods",
    summary: "list all methods; with --json their needs and options",
    load: () => import("./commands/methods.ts"),
  },
  {
    name: "metrics",
    summary: "list the metrics: what each learns from and when to use it",
    load: () => import("./commands/metrics.ts"),
  },
  {
    name: "apply",
    summary: "transform new rows by a learned metric, or place them in the clusters of a model",
    load: () => import("./commands/apply.ts"),
  },
  {
    name: "select",
    summary: "rank features by their information about the classes, or without classes",
    load: () => import("./commands/select.ts"),
  },
  {
    name: "classify",
    summary: "learn classes from labelled rows and predict them for others, or cross-validate",
    load: () => import("./commands/classify.ts"),
  },
  {
    name: "segment",
    summary: "cut a series into segments of consecutive rows, also under a learned metric",
    load: () => import("./commands/segment.ts"),
  },
  {
    name: "score",
    summary: "compare two labelings by every score",
    load: () => import("./commands/score.ts"),
  },
  {
    name: "data",
    summary: "list the named data sets, or write one as CSV",
    load: () => import("./commands/data.ts"),
  },
  {
    name: "explore",
    summary: "explore a table in the browser: cluster it, give hints, see why",
    load: () => import("./commands/explore.ts"),
  },
  {
    name: "doctor",
    summary: "print the engine, the versions and the optional parts in use",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "completion",
    summary: "print the completion script for bash, zsh or fish",
    load: () => import("./commands/completion.ts"),
  },
  {
    name: "help",
    summary: "help for a command or a topic; without a name, the list of both",
    load: () => import("./commands/help.ts"),
  },
];
