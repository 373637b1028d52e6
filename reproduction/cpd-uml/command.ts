import { type Command, Option } from "commander";
import type { ScaleKind } from "kindred/data";
import { integerAtLeast, namedSets, nameList } from "../arguments.ts";
import { INTERRUPT, reproduce, runOptions, type RunOptions } from "../runReproduction.ts";
import { type CpdUmlDone, planCpdUml, reportCpdUml } from "./cpdUml.ts";
import { SETS as CPD_SETS } from "./cpdUmlTables.ts";
import type { Starts } from "./cpdUmlTask.ts";
import { cpdUmlFindings } from "./cpdUmlText.ts";
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
    .addHelpText("after", `\nAll of it takes one to two hours of CPU time. ${INTERRUPT}`)
    .action(run);
}

async function run(options: ReproduceOptions): Promise<void> {
  const { quick = false, data: folder } = options;
  const sets =
    namedSets(options.sets, CPD_SETS) ?? (quick ? CPD_SETS.filter((set) => set !== "usps20") : undefined);
  const plan = await planCpdUml({
    sets,
    runs: options.runs ?? (quick ? 2 : undefined),
    grid: options.grid ?? (quick ? "few" : undefined),
    scale: options.scale,
    starts: options.starts,
    linearOnly: options.linear ?? quick,
    moons: options.moons,
    folder,
  });
  await reproduce(
    {
      name: "cpd-uml",
      plan,
      labelOf: (task: CpdUmlDone["task"]) =>
        task.kind === "cpd-uml" ? `${task.set}, ${task.part}, run ${task.run + 1}` : "two moons",
      report: (_, done, failed) => reportCpdUml(plan, done as CpdUmlDone[], failed),
      findings: cpdUmlFindings,
      pictures: ({ moons }) => (moons === undefined ? [] : moonsPictures(folder)),
    },
    options,
  );
}
