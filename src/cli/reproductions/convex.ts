import { type Command, Option } from "commander";
import { optionError } from "../../core/errors.ts";
import {
  convexText,
  type ConvexReport,
  type Done,
  figureSvg,
  OUTLIERS,
  planConvex,
  reportConvex,
  SETS,
  type SetName,
  type TableName,
  type Task,
} from "../../reproduce/index.ts";
import { integerAtLeast, nameList } from "../arguments.ts";
import {
  INTERRUPT,
  reproductionFolder,
  runOptions,
  type RunOptions,
  runReproduction,
} from "../reproductionTasks.ts";
import { writeOut } from "../stdout.ts";

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
      "one setting instead of each grid, z-scored data without labels, 5 repetitions; nothing that takes minutes",
    )
    .option(
      "--repetitions <n>",
      `of the figures (default: ${OUTLIERS.repetitions}, or 5 with --quick)`,
      integerAtLeast(1),
    );
  runOptions(command)
    .option("--out <folder>", "write convex.txt, convex.json and the figures as SVG there")
    .addHelpText("after", `\nWithout --table and --figures: Table 4.2 and the figures. ${INTERRUPT}`)
    .action((_: string, options: ReproduceOptions) => reproduce(options));
}

async function reproduce(options: ReproduceOptions): Promise<void> {
  const { quick, repetitions, json, out } = options;
  const all = options.table === undefined && options.figures !== true;
  const figures = all || options.figures === true;
  if (options.sets !== undefined && !all && options.table === undefined) {
    throw optionError("--sets chooses rows of a table; add --table");
  }
  if (repetitions !== undefined && !figures) throw optionError("--repetitions is for --figures");
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
  await writeOut([json === true ? `${JSON.stringify(report)}\n` : lines]);
  await files?.(report, lines);
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
    throw optionError(`--sets: there is no "${name}" in the tables; they have ${SETS.join(", ")}`);
  }
  return known as SetName;
}

/** Checks the files now, before hours of work; the result writes them. */
function outputFiles(folder: string): (report: ConvexReport, text: string) => Promise<void> {
  const file = reproductionFolder(folder);
  const text = file("convex.txt");
  const json = file("convex.json");
  const pictures = [
    { file: file("figure-4.2-raw.svg"), scale: "none" },
    { file: file("figure-4.2-zscore.svg"), scale: "zscore" },
  ] as const;
  return async (report, lines) => {
    await text.write([lines]);
    await json.write([`${JSON.stringify(report, undefined, 1)}\n`]);
    for (const picture of pictures) {
      const svg = report.figure === undefined ? undefined : figureSvg(report.figure, picture.scale);
      if (svg !== undefined) await picture.file.write([svg]);
    }
  };
}
