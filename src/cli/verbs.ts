import type { Command } from "commander";

/** A file of commands/: it declares its arguments and options on `command`, and its action does the work. */
export interface VerbFile {
  /** `args` is the whole command line, for options that depend on other options (`cluster --method`). */
  define(command: Command, args: readonly string[]): void | Promise<void>;
}

export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<VerbFile>;
}

/** Every command, in the order of the help. A new one is a file in commands/ and an entry here. */
export const verbs: readonly Verb[] = [
  {
    name: "cluster",
    summary: "cluster the rows of a table",
    load: () => import("./commands/cluster.ts"),
  },
  {
    name: "columns",
    summary: "what the columns of a table are taken as, and what they become",
    load: () => import("./commands/columns.ts"),
  },
  {
    name: "embed",
    summary: "put the rows into a few coordinates: PCA, kernel PCA and others",
    load: () => import("./commands/embed.ts"),
  },
  {
    name: "compare",
    summary: "run every suitable method side by side and say which to use",
    load: () => import("./commands/compare.ts"),
  },
  {
    name: "path",
    summary: "the whole clusterpath of convex clustering: gammas, partitions, fusions",
    load: () => import("./commands/path.ts"),
  },
  {
    name: "ask",
    summary: "which pairs of rows to judge next; answered in the terminal or by a file",
    load: () => import("./commands/ask.ts"),
  },
  {
    name: "metric",
    summary: "learn which differences count, from classes, pairs or groups",
    load: () => import("./commands/metric.ts"),
  },
  {
    name: "metrics",
    summary: "list the metrics: what each learns from and when to take it",
    load: () => import("./commands/metrics.ts"),
  },
  {
    name: "apply",
    summary: "put new rows under a learned metric, or into the clusters of a model",
    load: () => import("./commands/apply.ts"),
  },
  {
    name: "select",
    summary: "rank features by what they tell about the classes, or without classes",
    load: () => import("./commands/select.ts"),
  },
  {
    name: "classify",
    summary: "learn classes from labelled rows and predict them for others, or cross-validate",
    load: () => import("./commands/classify.ts"),
  },
  {
    name: "segment",
    summary: "cut a series into stretches of consecutive rows, also under a learned metric",
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
    summary: "look at a table in the browser: cluster it, give hints, see why",
    load: () => import("./commands/explore.ts"),
  },
  {
    name: "doctor",
    summary: "say which engine, versions and optional parts are in use",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "completion",
    summary: "print what completes commands and options in bash, zsh or fish",
    load: () => import("./commands/completion.ts"),
  },
  {
    name: "help",
    summary: "help about a command or a topic; without a name, all of them",
    load: () => import("./commands/help.ts"),
  },
];
