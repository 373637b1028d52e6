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

/** What each command does, in the order of the help. */
const SUMMARIES = {
  cluster: "cluster the rows of a table",
  columns: "show how the columns of a table are read and converted",
  embed: "map the rows to a few coordinates: PCA, kernel PCA and others",
  compare: "run every suitable method and recommend one",
  path: "compute the whole clusterpath of convex clustering",
  ask: "ask which pairs of rows belong together; answers come from the terminal or a file",
  metric: "learn which differences count, from classes, pairs or groups",
  methods: "list all methods; with --json their needs and options",
  metrics: "list the metrics: what each learns from and when to use it",
  apply: "transform new rows by a learned metric, or place them in the clusters of a model",
  explain: "tell what the clusters of a model are, and why a row is in its cluster",
  report: "write the page of a model, with the rows of a table in its clusters",
  select: "rank features by their information about the classes, or without classes",
  classify: "learn classes from labelled rows and predict them for others, or cross-validate",
  segment: "cut a series into segments of consecutive rows, also under a learned metric",
  score: "compare two labelings by every score",
  data: "list the named data sets, or write one as CSV",
  explore: "explore a table in the browser: cluster it, give hints, see why",
  mcp: "serve the Model Context Protocol on standard input and output, for assistants",
  doctor: "print the engine, the versions and the optional parts in use",
  completion: "print the completion script for bash, zsh or fish",
  help: "help for a command or a topic; without a name, the list of both",
};

const FILES: Readonly<Record<keyof typeof SUMMARIES, Verb["load"]>> = {
  cluster: () => import("./commands/cluster.ts"),
  columns: () => import("./commands/columns.ts"),
  embed: () => import("./commands/embed.ts"),
  compare: () => import("./commands/compare.ts"),
  path: () => import("./commands/path.ts"),
  ask: () => import("./commands/ask.ts"),
  metric: () => import("./commands/metric.ts"),
  methods: () => import("./commands/methods.ts"),
  metrics: () => import("./commands/metrics.ts"),
  apply: () => import("./commands/apply.ts"),
  explain: () => import("./commands/explain.ts"),
  report: () => import("./commands/report.ts"),
  select: () => import("./commands/select.ts"),
  classify: () => import("./commands/classify.ts"),
  segment: () => import("./commands/segment.ts"),
  score: () => import("./commands/score.ts"),
  data: () => import("./commands/data.ts"),
  explore: () => import("./commands/explore.ts"),
  mcp: () => import("./commands/mcp.ts"),
  doctor: () => import("./commands/doctor.ts"),
  completion: () => import("./commands/completion.ts"),
  help: () => import("./commands/help.ts"),
};

/** Every command. A new one needs a file in commands/ and its two lines here. */
export const verbs: readonly Verb[] = (Object.keys(SUMMARIES) as (keyof typeof SUMMARIES)[]).map((name) => ({
  name,
  summary: SUMMARIES[name],
  load: FILES[name],
}));
