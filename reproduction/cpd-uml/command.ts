import { type Command, Option } from "commander";
import { KindredError } from "kindred";
import type { ScaleKind } from "kindred/data";
import { integerAtLeast, nameList } from "../arguments.ts";
import { INTERRUPT, outputFolder, runOptions, type RunOptions, runReproduction } from "../runReproduction.ts";
import { type CpdUmlDone, type CpdUmlReport, planCpdUml, reportCpdUml } from "./cpdUml.ts";
import { type CpdSet, SETS as CPD_SETS } from "./cpdUmlTables.ts";
import type { Starts } from "./cpdUmlTask.ts";
import { cpdUmlText } from "./cpdUmlText.ts";
import { moonsPictures } from "./moonsPictures.ts";

interface ReproduceOptions extends RunOptions {
  readonly sets?: readonly string[];
  readonly runs?: number;
  readonly grid?: "few" | "half" | "full";
  readonly scale?: ScaleKind;
  readonly starts?: Starts;
  readonly linear?: boolean;
  readonly moons?: boolean;
  readonly quick?: boolean;
  readonly out?: string;
}

export function define(command: Command): void {
  command
    .option("--sets <names>", `columns of the tables: ${CPD_SETS.join(", ")} (default: all)`, nameList)
    .option("--runs <n>", "of three folds each (default: 20, as in the text)", integerAtLeast(1))
    .addOption(
      new Option(
        "--grid <size>",
        "values of each parameter: few, every second power, or all of the text (default: half, few for usps20)",
      ).choices(["few", "half", "full"]),
    )
    .addOption(
      new Option(
        "--scale <kind>",
        "of the columns of every set (default: zscore, none for usps20; the text does not say)",
      ).choices(["none", "zscore", "minmax"]),
    )
    .option(
      "--starts <n>",
      'of every k-means, or "random": one, from random rows (default: 10, CPD-UML 5 in each iteration; the text does not say)',
      (text) => (text === "random" ? text : integerAtLeast(1)(text)),
    )
    .option("--linear", "without the kernel methods and the search by stability")
    .option("--no-moons", "without the two moons")
    .option("--quick", "two runs of the linear methods with few settings, without the digits");
  runOptions(command)
    .option("--out <folder>", "write cpd-uml.txt, cpd-uml.json and Figures 1 and 2 (with the moons) there")
    .addHelpText("after", `\nAll of it takes one to two hours of CPU time. ${INTERRUPT}`)
    .action((options: ReproduceOptions) => reproduce(options));
}

async function reproduce(options: ReproduceOptions): Promise<void> {
  const { quick = false, json, out } = options;
  const plan = await planCpdUml({
    sets: options.sets?.map(setName) ?? (quick ? CPD_SETS.filter((set) => set !== "usps20") : undefined),
    runs: options.runs ?? (quick ? 2 : undefined),
    grid: options.grid ?? (quick ? "few" : undefined),
    scale: options.scale,
    starts: options.starts,
    linearOnly: options.linear ?? quick,
    moons: options.moons,
    folder: options.data,
  });
  const files = out === undefined ? undefined : outputFiles(out);
  const run = await runReproduction<CpdUmlDone["task"], CpdUmlDone["result"]>(plan, options, labelOf);
  const report = reportCpdUml(plan, run.done as CpdUmlDone[], run.failed);
  const lines = [...cpdUmlText(report), ""].join("\n");
  process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : lines);
  files?.(report, lines);
  if (out !== undefined && report.moons !== undefined) {
    for (const { name, svg } of await moonsPictures(options.data)) outputFolder(out)(name, svg);
  }
  run.conclude();
}

function labelOf(task: CpdUmlDone["task"]): string {
  return task.kind === "cpd-uml" ? `${task.set}, ${task.part}, run ${task.run + 1}` : "two moons";
}

function setName(name: string): CpdSet {
  if (!CPD_SETS.includes(name as CpdSet)) {
    throw new KindredError(
      "option",
      `--sets: there is no "${name}" in the tables; they have ${CPD_SETS.join(", ")}`,
    );
  }
  return name as CpdSet;
}

/** Makes the folder now, before an hour of work. */
function outputFiles(folder: string): (report: CpdUmlReport, text: string) => void {
  const write = outputFolder(folder);
  return (report, lines) => {
    write("cpd-uml.txt", lines);
    write("cpd-uml.json", `${JSON.stringify(report, undefined, 1)}\n`);
  };
}
