import { progressGate, type OnProgress } from "../core/progress.ts";
import { runSynthetic, type SyntheticCell } from "./mlcaSynthetic.ts";
import {
  type Column,
  COLUMNS,
  GEOMETRIES,
  LABEL_NOISE,
  type MlcaTable,
  PROTOCOL,
  PUBLISHED,
  PUBLISHED_SEGMENTATION,
  TABLES,
} from "./mlcaTables.ts";
import { runTwoClass, TWO_CLASS_SETS, type TwoClassReport } from "./mlcaTwoClass.ts";
import { runSegmentation, SEGMENTATION_METHODS, type SegmentationReport } from "./segmentationRun.ts";

/** The experiments of Law et al. (2016) that can be repeated, ours beside theirs. */
export interface MlcaReport {
  readonly seeds: number;
  readonly quick: boolean;
  readonly labelNoise: number;
  readonly pairs: number;
  /** Tables 1 to 3. */
  readonly tables: readonly GeometryReport[];
  /** The same for other places and spreads of the Gaussians, fewer columns. */
  readonly geometries: readonly GeometryReport[];
  readonly twoClass: TwoClassReport;
  readonly segmentation: readonly SegmentationReport[];
  readonly published: typeof PUBLISHED;
  readonly publishedSegmentation: typeof PUBLISHED_SEGMENTATION;
  /** False if the caller ended it; parts may be missing. */
  readonly complete: boolean;
}

export interface GeometryReport {
  readonly geometry: string;
  readonly title: string;
  readonly table: MlcaTable;
  readonly cells: readonly SyntheticCell[];
}

export interface MlcaReproduction {
  /** Fewer seeds, images and splits, defaults instead of grids, LMNN on a sample of the rows. */
  readonly quick?: boolean;
  readonly seeds?: number;
  /** Folder of the two-class sets; default: the environment's KINDRED_DATA. */
  readonly folder?: string;
  readonly onProgress?: OnProgress;
}

/** What is asked of the other geometries. */
const ELSEWHERE: readonly Column[] = ["mlca", "euclidean", "kissme", "itml", "pcca", "lajugie", "lda", "rca"];
const ELSEWHERE_SEEDS = 3;
const QUICK_SPLITS = 5;

export async function reproduceMlca(options: MlcaReproduction = {}): Promise<MlcaReport> {
  const { quick = false, folder } = options;
  const { seeds = quick ? PROTOCOL.quickSeeds : PROTOCOL.seeds } = options;
  const elsewhere = Math.min(seeds, quick ? 1 : ELSEWHERE_SEEDS);
  const parts = stepsOf(seeds, elsewhere);
  const report = progressGate(options.onProgress);
  let done = 0;
  const step = (label: string): boolean => report({ fraction: ++done / parts, label });

  const tables: GeometryReport[] = [];
  const geometries: GeometryReport[] = [];
  for (const geometry of GEOMETRIES) {
    const { name, title } = geometry;
    const main = geometry === GEOMETRIES[0];
    for (const table of TABLES) {
      if (report.stopped) break;
      const cells = await runSynthetic(table, geometry, {
        seeds: main ? seeds : elsewhere,
        quick,
        columns: main ? COLUMNS : ELSEWHERE,
        onDone: (column, seed) => step(`Table ${table}, ${name}, seed ${seed}, ${column}`),
      });
      (main ? tables : geometries).push({ geometry: name, title, table, cells });
    }
  }
  const splits = quick ? QUICK_SPLITS : PROTOCOL.splits;
  const twoClass = report.stopped
    ? { splits, sets: [], skipped: [] }
    : await runTwoClass(splits, folder, (name) => step(`two classes, ${name}`));
  const segmentation: SegmentationReport[] = [];
  for (const task of ["foreground", "collage"] as const) {
    if (report.stopped) break;
    const onDone = (method: string): boolean => step(`${task}, ${method}`);
    segmentation.push(await runSegmentation(task, { quick, seed: 1, onDone }));
  }
  return {
    seeds,
    quick,
    labelNoise: LABEL_NOISE,
    pairs: PROTOCOL.pairs,
    tables,
    geometries,
    twoClass,
    segmentation,
    published: PUBLISHED,
    publishedSegmentation: PUBLISHED_SEGMENTATION,
    complete: !report.stopped,
  };
}

/** About how many times `step` will be called. */
function stepsOf(seeds: number, elsewhere: number): number {
  const synthetic = TABLES.length * COLUMNS.length * seeds;
  const other = TABLES.length * ELSEWHERE.length * elsewhere * (GEOMETRIES.length - 1);
  return synthetic + other + TWO_CLASS_SETS.length + 2 * SEGMENTATION_METHODS.length - 1;
}
