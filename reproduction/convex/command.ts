import { type Command, Option } from "commander";
import { KindredError } from "kindred";
import { integerAtLeast, namedSets, nameList } from "../arguments.ts";
import { INTERRUPT, type Picture, reproduce, runOptions, type RunOptions } from "../runReproduction.ts";
import { type Done, planConvex, reportConvex } from "./convex.ts";
import { PROTOCOLS, SETS, type TableName } from "./convexTables.ts";
import type { Task } from "./convexTask.ts";
import { convexPictures } from "./convexPictures.ts";
import { convexFindings } from "./convexText.ts";
import { figureSvg } from "./figureSvg.ts";
import type { OutlierFigure } from "./outlierFigure.ts";
import { OUTLIERS } from "./outlierRepetition.ts";

interface ReproduceOptions extends RunOptions {
  readonly table?: TableName;
  readonly figures?: boolean;
  readonly sweep?: boolean;
  readonly sets?: readonly string[];
  readonly protocols?: readonly string[];
  readonly quick?: boolean;
  readonly repetitions?: number;
}

export function define(command: Command): void {
  command
    .addOption(new Option("--table <number>", "of the texts' tables").choices(["1", "4.2"]))
    .option("--figures", "Figures 4.2 to 4.5: outlier features and convergence")
    .option("--sweep", "Figure 4.2 over the deviation of the outlier features, 24 settings")
    .option("--sets <names>", `rows of the table: ${SETS.join(", ")} (default: all)`, nameList)
    .option(
      "--protocols <names>",
      `columns of the table: ${PROTOCOLS.map(({ name }) => name).join(", ")} (default: all)`,
      nameList,
    )
    .option(
      "--quick",
      "one setting instead of each grid, z-scored data without labels, 5 repetitions; skips everything that takes minutes",
    )
    .option(
      "--repetitions <n>",
      `of the figures (default: ${OUTLIERS.repetitions}, of the sweep ${OUTLIERS.sweep.repetitions}; 5 with --quick)`,
      integerAtLeast(1),
    );
  runOptions(command)
    .addHelpText("after", `\nWithout --table and --figures: Table 4.2 and the figures. ${INTERRUPT}`)
    .action(run);
}

async function run(options: ReproduceOptions): Promise<void> {
  const { quick, repetitions, sweep } = options;
  const all = options.table === undefined && options.figures !== true && sweep !== true;
  const figures = all || options.figures === true;
  if (options.sets !== undefined && !all && options.table === undefined) {
    throw new KindredError("option", "--sets chooses rows of a table; add --table");
  }
  if (figures && sweep === true)
    throw new KindredError("option", "--figures and --sweep are two runs: their draws differ");
  if (repetitions !== undefined && !figures && sweep !== true)
    throw new KindredError("option", "--repetitions is for --figures and --sweep");
  const plan = await planConvex({
    table: all ? "4.2" : options.table,
    figures,
    sweep,
    // The text calls it Image.
    sets: namedSets(
      options.sets?.map((name) => (name === "segment" ? "image" : name)),
      SETS,
    ),
    protocols: namedSets(
      options.protocols,
      PROTOCOLS.map(({ name }) => name),
    ),
    quick,
    repetitions,
    folder: options.data,
  });
  await reproduce(
    {
      name: "convex",
      plan,
      labelOf,
      report: (_, done, failed) => reportConvex(plan, done as Done[], failed),
      findings: convexFindings,
      pictures: async ({ figure }) =>
        figure === undefined || sweep === true
          ? []
          : [...outlierPictures(figure), ...(await convexPictures(options.data))],
    },
    options,
  );
}

function labelOf(task: Task): string {
  return task.kind === "cell"
    ? `${task.set}, ${task.protocol}, ${task.method}`
    : `${task.outliers} outlier features, seed ${task.seed}`;
}

function outlierPictures(figure: OutlierFigure): Picture[] {
  const scales = { raw: "none", zscore: "zscore" } as const;
  return Object.entries(scales).flatMap(([name, scale]) => {
    const svg = figureSvg(figure, scale);
    return svg === undefined ? [] : [{ name: `figure-4.2-${name}.svg`, svg }];
  });
}
