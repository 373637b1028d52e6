import { type Command, Option } from "commander";
import { KindredError } from "kindred";
import { integerAtLeast, nameList } from "../arguments.ts";
import { INTERRUPT, outputFolder, runOptions, type RunOptions, runReproduction } from "../runReproduction.ts";
import { type ConvexReport, type Done, planConvex, reportConvex } from "./convex.ts";
import { type SetName, SETS, type TableName } from "./convexTables.ts";
import type { Task } from "./convexTask.ts";
import { convexPictures } from "./convexPictures.ts";
import { convexText } from "./convexText.ts";
import { figureSvg } from "./figureSvg.ts";
import { OUTLIERS } from "./outlierRepetition.ts";

interface ReproduceOptions extends RunOptions {
  readonly table?: TableName;
  readonly figures?: boolean;
  readonly sets?: readonly string[];
  readonly quick?: boolean;
  readonly repetitions?: number;
  readonly out?: string;
}

export function define(command: Command): void {
  command
    .addOption(new Option("--table <number>", "of the texts' tables").choices(["1", "4.2"]))
    .option("--figures", "Figures 4.2 to 4.5: outlier features and convergence")
    .option("--sets <names>", `rows of the table: ${SETS.join(", ")} (default: all)`, nameList)
    .option(
      "--quick",
      "one setting instead of each grid, z-scored data without labels, 5 repetitions; skips everything that takes minutes",
    )
    .option(
      "--repetitions <n>",
      `of the figures (default: ${OUTLIERS.repetitions}, or 5 with --quick)`,
      integerAtLeast(1),
    );
  runOptions(command)
    .option("--out <folder>", "write convex.txt, convex.json and the figures as SVG there")
    .addHelpText("after", `\nWithout --table and --figures: Table 4.2 and the figures. ${INTERRUPT}`)
    .action((options: ReproduceOptions) => reproduce(options));
}

async function reproduce(options: ReproduceOptions): Promise<void> {
  const { quick, repetitions, json, out } = options;
  const all = options.table === undefined && options.figures !== true;
  const figures = all || options.figures === true;
  if (options.sets !== undefined && !all && options.table === undefined) {
    throw new KindredError("option", "--sets chooses rows of a table; add --table");
  }
  if (repetitions !== undefined && !figures)
    throw new KindredError("option", "--repetitions is for --figures");
  const plan = await planConvex({
    table: all ? "4.2" : options.table,
    figures,
    sets: options.sets?.map(setName),
    quick,
    repetitions,
    folder: options.data,
  });
  const files = out === undefined ? undefined : outputFiles(out);
  const run = await runReproduction<Task, Done["result"]>(plan, options, labelOf);
  const report = reportConvex(plan, run.done as Done[], run.failed);
  const lines = [...convexText(report), ""].join("\n");
  process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : lines);
  files?.(report, lines);
  if (out !== undefined && report.figure !== undefined) {
    for (const { name, svg } of await convexPictures(options.data)) outputFolder(out)(name, svg);
  }
  run.conclude();
}

function labelOf(task: Task): string {
  return task.kind === "cell"
    ? `${task.set}, ${task.protocol}, ${task.method}`
    : `${task.outliers} outlier features, seed ${task.seed}`;
}

function setName(name: string): SetName {
  const known = name === "segment" ? "image" : name;
  if (!SETS.includes(known as SetName)) {
    throw new KindredError(
      "option",
      `--sets: there is no "${name}" in the tables; they have ${SETS.join(", ")}`,
    );
  }
  return known as SetName;
}

/** Makes the folder now, before hours of work; the result writes the files. */
function outputFiles(folder: string): (report: ConvexReport, text: string) => void {
  const write = outputFolder(folder);
  return (report, lines) => {
    write("convex.txt", lines);
    write("convex.json", `${JSON.stringify(report, undefined, 1)}\n`);
    if (report.figure === undefined) return;
    for (const [name, scale] of [
      ["raw", "none"],
      ["zscore", "zscore"],
    ] as const) {
      const svg = figureSvg(report.figure, scale);
      if (svg !== undefined) write(`figure-4.2-${name}.svg`, svg);
    }
  };
}
