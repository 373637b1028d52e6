import { endingOf, type FailedTask } from "../ending.ts";
import { syntheticCells, type SyntheticFit, type SyntheticTask, syntheticTasks } from "./mlcaSynthetic.ts";
import {
  type Column,
  GEOMETRIES,
  LABEL_NOISE,
  PROTOCOL,
  PUBLISHED,
  PUBLISHED_SEGMENTATION,
  TABLES,
} from "./mlcaTables.ts";
import { planTwoClass, type TwoClassRow, type TwoClassTask } from "./mlcaTwoClass.ts";
import {
  type SegmentationCell,
  segmentationReport,
  type SegmentationTask,
  segmentationTasks,
} from "./segmentationRun.ts";

export type MlcaTask = SyntheticTask | TwoClassTask | SegmentationTask;

export type MlcaDone =
  | { readonly task: SyntheticTask; readonly result: SyntheticFit }
  | { readonly task: TwoClassTask; readonly result: TwoClassRow }
  | { readonly task: SegmentationTask; readonly result: SegmentationCell };

/** Ours beside theirs. */
export type MlcaReport = ReturnType<typeof reportMlca>;
export type GeometryReport = MlcaReport["tables"][number];

export interface MlcaPlanOptions {
  /** Fewer seeds, images and splits, defaults instead of grids, LMNN on a sample of the rows. */
  readonly quick?: boolean;
  readonly seeds?: number;
  /** Folder of the two-class sets; default: the environment's KINDRED_DATA. */
  readonly folder?: string;
}

/** The questions for the other geometries. */
const ELSEWHERE: readonly Column[] = ["mlca", "euclidean", "kissme", "itml", "pcca", "lajugie", "lda", "rca"];
const ELSEWHERE_SEEDS = 3;
const QUICK_SPLITS = 5;
const SCENES = ["foreground", "collage"] as const;
const IMAGE_SEED = 1;

export type MlcaPlan = Awaited<ReturnType<typeof planMlca>>;

/** The reproducible experiments of Law et al. (2016) as a list of tasks, and as a report on the finished tasks. */
export async function planMlca(options: MlcaPlanOptions = {}) {
  const { quick = false, folder } = options;
  const { seeds = quick ? PROTOCOL.quickSeeds : PROTOCOL.seeds } = options;
  const elsewhere = Math.min(seeds, quick ? 1 : ELSEWHERE_SEEDS);
  const splits = quick ? QUICK_SPLITS : PROTOCOL.splits;
  const twoClass = await planTwoClass(splits, folder);
  const synthetic = GEOMETRIES.flatMap((geometry, g) =>
    TABLES.flatMap((table) =>
      g === 0
        ? syntheticTasks(table, geometry.name, { seeds, quick })
        : syntheticTasks(table, geometry.name, { seeds: elsewhere, quick, columns: ELSEWHERE }),
    ),
  );
  const images = SCENES.flatMap((scene) => segmentationTasks(scene, { quick, seed: IMAGE_SEED }));
  const tasks = [...synthetic, ...twoClass.tasks, ...images];
  return { seeds, quick, splits, skipped: twoClass.skipped, tasks };
}

export function reportMlca(plan: MlcaPlan, done: readonly MlcaDone[], failed: readonly FailedTask[] = []) {
  const { seeds, quick, splits, skipped } = plan;
  const fits = done.filter((one) => one.task.kind === "mlca synthetic") as SyntheticDone[];
  const reports = GEOMETRIES.flatMap(({ name, title }) =>
    TABLES.map((table) => {
      const own = fits.filter(({ task }) => task.geometry === name && task.table === table);
      return { geometry: name, title, table, cells: syntheticCells(own) };
    }),
  ).filter(({ cells }) => cells.length > 0);
  const segmentation = SCENES.map((scene) =>
    segmentationReport(
      scene,
      quick,
      done.flatMap(({ task, result }) =>
        task.kind === "mlca segmentation" && task.scene === scene ? [result as SegmentationCell] : [],
      ),
    ),
  );
  const sets = done.flatMap(({ task, result }) =>
    task.kind === "mlca two classes" ? [result as TwoClassRow] : [],
  );
  return {
    seeds,
    quick,
    labelNoise: LABEL_NOISE,
    pairs: PROTOCOL.pairs,
    /** Tables 1 to 3. */
    tables: reports.filter(({ geometry }) => geometry === GEOMETRIES[0].name),
    /** The same for other positions and spreads of the Gaussians, fewer columns. */
    geometries: reports.filter(({ geometry }) => geometry !== GEOMETRIES[0].name),
    twoClass: { splits, sets, skipped },
    segmentation: segmentation.filter(({ cells }) => cells.length > 0),
    published: PUBLISHED,
    publishedSegmentation: PUBLISHED_SEGMENTATION,
    ...endingOf(plan, done, failed),
  };
}

type SyntheticDone = Extract<MlcaDone, { task: SyntheticTask }>;
