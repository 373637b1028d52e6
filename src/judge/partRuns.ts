/**
 * Every method runs again on two parts of the rows, which tells how stable its partitions are. These runs depend neither on
 * each other nor on those on all rows, so other threads of Node make some of them. A thread takes a task, which is a part and
 * the spaces that share starts, and keeps it: trees, neighbours and eigenvectors serve all numbers of clusters. Whoever takes
 * a task, the partitions are the same bits.
 */
import { engine, type EngineName } from "../matrix/index.ts";
import { helperThreads } from "../matrix/internal.ts";
import { attempt, makersOver, STARTS } from "./members.ts";
import { partOf, type Material } from "./spaces.ts";

/** Share of the rows on which every method is run again: the first of them, and the last. */
const PART = 0.7;
export const PARTS = [0, 1] as const;
type Part = (typeof PARTS)[number];

/** Fewer rows are clustered before a thread has started. */
const LEAST_ROWS = 400;
/** Threads beside this one. */
const MOST_HELPERS = 3;

/** One partition to make: by the maker m of the space s, into K clusters. */
export interface Visit {
  readonly s: number;
  readonly m: number;
  readonly K: number;
}

export interface PartRuns {
  /** Whether other threads take part. */
  readonly shared: boolean;
  /** The visits that are meant by their numbers; other threads begin with them. */
  begin(visits: readonly Visit[]): void;
  /** Makes the partitions of the tasks that no other thread has taken. */
  help(visits: readonly number[]): void;
  /** Undefined if the method has no such partition. */
  labels(part: Part, visit: number): Int32Array | undefined;
  rowsOf(part: Part, labels: Int32Array): Int32Array;
}

type PartMaterial = Material & { readonly rows: number };

export function partRuns(material: PartMaterial, most: number): PartRuns {
  const { all, kinds, rows } = material;
  const { make, taskOf, count } = partTasks(material, most);
  const file = (): URL => new URL("./partThread.js", import.meta.url);
  const helpers = rows < LEAST_ROWS ? [] : helperThreads<PartRound>(file, MOST_HELPERS);
  const pool = ++pools;
  let visits: readonly Visit[] = [];
  let board: Board | undefined;
  const makeHere = (part: Part, visit: number): Int32Array | undefined => {
    if (board?.state(part, visit) === PENDING) board.write(part, visit, make(part, visits[visit]));
    return board === undefined ? make(part, visits[visit]) : board.read(part, visit);
  };
  return {
    shared: helpers.length > 0,
    begin(asked) {
      visits = asked;
      if (helpers.length === 0) return;
      const before = board;
      board = boardOf(rows, visits.length, count);
      if (before !== undefined) board.owners.set(before.owners);
      const shared = { all, kinds, rows };
      const round = { pool, engine: engine().name, material: shared, most, visits, words: board.words };
      helpers.forEach((helper, h) => helper.post({ ...round, owner: HERE + 1 + h }));
    },
    help(asked) {
      for (let task = count - 1; task >= 0; task--) {
        if (!board!.takes(task, HERE)) continue;
        for (const part of PARTS)
          for (const visit of asked) if (taskOf(part, visits[visit].s) === task) makeHere(part, visit);
      }
    },
    labels(part, visit) {
      const task = taskOf(part, visits[visit].s);
      if (board !== undefined && !board.takes(task, HERE)) board.wait(part, visit);
      return makeHere(part, visit);
    },
    rowsOf: (part, labels) => labels.subarray(...rangeOf(part, rows)),
  };
}

let pools = 0;

/** What another thread is told: the spaces, the visits, and the board for their partitions. */
export interface PartRound {
  readonly pool: number;
  readonly engine: EngineName;
  readonly material: PartMaterial;
  readonly most: number;
  readonly visits: readonly Visit[];
  readonly words: Int32Array;
  readonly owner: number;
}

/** What another thread does in the rounds of one pool. */
export function partServer({ pool, material, most }: PartRound): {
  readonly pool: number;
  serve(round: PartRound): void;
} {
  const { make, taskOf, count } = partTasks(material, most);
  return {
    pool,
    serve({ visits, words, owner }) {
      const board = boardOf(material.rows, visits.length, count, words);
      for (let task = 0; task < count; task++) {
        if (!board.takes(task, owner)) continue;
        for (const part of PARTS)
          for (const [visit, { s }] of visits.entries())
            if (taskOf(part, s) === task) board.write(part, visit, make(part, visits[visit]));
      }
    },
  };
}

/** The methods on both parts; a task is a number for each part and space, the same for spaces that share starts. */
function partTasks(material: PartMaterial, most: number) {
  const { kinds, rows } = material;
  const again = PARTS.map((part) => {
    const [first, end] = rangeOf(part, rows);
    const own = Int32Array.from({ length: end - first }, (_, i) => first + i);
    return makersOver(partOf(material, own), most);
  });
  const joint = new Set(kinds === undefined ? [] : ["kinds", ...STARTS.map(({ space }) => space)]);
  const spaces = again[0].map(({ space }) => (joint.has(space) ? "kinds" : space));
  return {
    count: PARTS.length * spaces.length,
    taskOf: (part: Part, s: number): number => part * spaces.length + spaces.indexOf(spaces[s]),
    make: (part: Part, { s, m, K }: Visit) => attempt(again[part][s].makers[m], K),
  };
}

function rangeOf(part: Part, rows: number): [first: number, end: number] {
  const size = Math.round(PART * rows);
  return part === 0 ? [0, size] : [rows - size, rows];
}

/** Owners of tasks: nobody yet, the thread that asks, others. */
const HERE = 1;
/** States of a partition: not made yet, made, or there is none. */
const PENDING = 0;
const MADE = 1;
const NONE = 2;

type Board = ReturnType<typeof boardOf>;

/** Owners of the tasks, states of the partitions, and these, in memory that threads share. */
function boardOf(rows: number, visits: number, tasks: number, given?: Int32Array) {
  const size = Math.round(PART * rows);
  const first = tasks + PARTS.length * visits;
  const length = first + PARTS.length * visits * size;
  const words = given ?? new Int32Array(new SharedArrayBuffer(4 * length));
  const stateAt = (part: Part, visit: number): number => tasks + part * visits + visit;
  const labelsAt = (part: Part, visit: number): Int32Array => {
    const start = first + (part * visits + visit) * size;
    return words.subarray(start, start + size);
  };
  const state = (part: Part, visit: number): number => Atomics.load(words, stateAt(part, visit));
  return {
    words,
    owners: words.subarray(0, tasks),
    state,
    /** Whether the task belongs to this owner, who takes it if nobody has. */
    takes: (task: number, owner: number): boolean =>
      [0, owner].includes(Atomics.compareExchange(words, task, 0, owner)),
    write(part: Part, visit: number, labels: Int32Array | undefined): void {
      if (labels !== undefined) labelsAt(part, visit).set(labels);
      Atomics.store(words, stateAt(part, visit), labels === undefined ? NONE : MADE);
      Atomics.notify(words, stateAt(part, visit));
    },
    wait(part: Part, visit: number): void {
      Atomics.wait(words, stateAt(part, visit), PENDING);
    },
    read: (part: Part, visit: number): Int32Array | undefined =>
      state(part, visit) === MADE ? labelsAt(part, visit) : undefined,
  };
}
