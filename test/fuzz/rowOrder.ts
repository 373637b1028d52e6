import { random } from "../../src/core/random.ts";
import { KindredError } from "../../src/core/messages.ts";
import { matrix, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { placesIn } from "../../src/matrix/valueOrder.ts";
import { clusterings, type ClusteringMethod } from "../../src/method/index.ts";
import { dice, fault, type Dice, type Outcome } from "./dice.ts";

/** A method on a table full of ties, and on the same rows in another order: the partition is the same. */
export async function rowOrderCase(seed: number, announce?: (tried: string) => void): Promise<Outcome> {
  return comparedOrders(dice(seed).pick(clusterings), seed, announce);
}

/** The order of OPTICS begins at the first row, by its definition; at ties it decides. */
const BY_THE_FIRST_ROW: ReadonlySet<string> = new Set(["optics"]);

/** The same for a method of choice. */
export async function comparedOrders(
  method: ClusteringMethod,
  seed: number,
  announce?: (tried: string) => void,
): Promise<Outcome> {
  const roll = dice(seed);
  roll.share(); // the method
  const { X, told } = tiedTable(roll);
  const n = X.rows;
  const clusters = 2 + roll.below(Math.min(4, n - 2));
  const order = random(seed).shuffle(Int32Array.from({ length: n }, (_, i) => i));
  const places = placesIn(order);
  const { pairs, labels } = method.needs;
  const hinted = pairs === "required" || (pairs === "optional" && roll.chance(0.3));
  const links = (count: number): [number, number][] =>
    Array.from({ length: count }, () => {
      const i = roll.below(n);
      return [i, (i + 1 + roll.below(n - 1)) % n];
    });
  const mustLink = links(2);
  const cannotLink = links(roll.below(2) + 1);
  const known = Array.from({ length: n }, (_, i) => (i < 2 * clusters ? `c${i % clusters}` : ""));
  const options = (renamed: (i: number) => number, rows: ArrayLike<number>): object => ({
    clusters,
    ...(method.needs.seed && { seed: 1 }),
    ...(hinted && {
      mustLink: mustLink.map((pair) => pair.map(renamed)),
      cannotLink: cannotLink.map((pair) => pair.map(renamed)),
    }),
    ...(labels === "required" && { labels: Array.from(rows, (i) => known[i]) }),
  });
  const tried = `${method.name} ${JSON.stringify(
    options(
      (i) => i,
      known.map((_, i) => i),
    ),
  )} on ${told} in two orders`;
  announce?.(tried);
  if (BY_THE_FIRST_ROW.has(method.name)) return { tried };
  const open = await method.open();
  const found = async (Y: Matrix, given: object): Promise<string> => {
    try {
      return partitionText(Y, (await open.fit(Y, given as never)).labels);
    } catch (error) {
      if (error instanceof KindredError) return "refused";
      throw error;
    }
  };
  try {
    const first = await found(
      X,
      options((i) => i, Int32Array.from(order).sort()),
    );
    const second = await found(
      takeRows(X, order),
      options((i) => places[i], order),
    );
    return { tried, wrong: first === second ? undefined : `${first} and, in another order, ${second}` };
  } catch (error) {
    return { tried, wrong: fault(error) };
  }
}

const KINDS = ["ties", "grid", "few", "tenths", "blobs", "random", "line"] as const;

function tiedTable(roll: Dice): { readonly X: Matrix; readonly told: string } {
  const rows = roll.pick([6, 8, 10, 13, 20, 30]);
  const cols = roll.pick([1, 2, 2, 3]);
  const kind = roll.pick(KINDS);
  const X = matrix(rows, cols);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) X.data[i * cols + j] = cell(kind, roll, i, j);
  return { X, told: `${rows} x ${cols} ${kind}` };
}

function cell(kind: (typeof KINDS)[number], roll: Dice, i: number, j: number): number {
  switch (kind) {
    case "ties":
      return roll.below(4);
    case "grid":
      return (i >> (j % 5)) % 3;
    case "few":
      return roll.below(2);
    case "tenths":
      return roll.below(8) / 10;
    case "blobs":
      return 10 * (i % 3) * ((j % 2) + 1) + roll.share();
    case "random":
      return 2 * roll.share() - 1;
    case "line":
      return i * (j + 1);
  }
}

/** The clusters as lists of the values of their rows: equal rows may take each other's place. */
function partitionText(X: Matrix, labels: Int32Array): string {
  const clusters = new Map<number, string[]>();
  for (let i = 0; i < X.rows; i++) {
    const values = X.data.subarray(i * X.cols, (i + 1) * X.cols).join(" ");
    clusters.set(labels[i], [...(clusters.get(labels[i]) ?? []), values]);
  }
  return Array.from(clusters.values(), (rows) => rows.sort().join(", "))
    .sort()
    .join(" | ");
}
