import { beforeAll, describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readColumns, type Table } from "../../src/data/index.ts";
import { clusterRun } from "../../src/run/cluster.ts";
import { prepare } from "../../src/run/input/prepare.ts";
import { cluster } from "../../src/run/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

/** Animals of three kinds: five columns depend on the kind, three do not. */
async function animals(): Promise<{ table: Table; kinds: number[] }> {
  const draw = random(12);
  const kinds = Array.from({ length: 150 }, () => draw.integer(3));
  const mostly = (usual: string, all: readonly string[], share: number): string =>
    draw.uniform() < share ? all[draw.integer(all.length)] : usual;
  const pains = ["none", "mild", "severe"];
  const lines = kinds.map((k) => {
    const weight = Math.exp([1.4, 3.2, 2.3][k] + 0.45 * draw.normal()).toFixed(1);
    const heat = ([38.6, 38.4, 39.9][k] + 0.5 * draw.normal()).toFixed(1);
    const animal = mostly(["cat", "dog", "dog"][k], ["cat", "dog", "rabbit"], 0.2);
    const fee = Math.exp([4, 4.3, 5][k] + 0.4 * draw.normal()).toFixed(2);
    const other = `${["yes", "no"][draw.integer(2)]},${"ABCD"[draw.integer(4)]},${["in", "out"][draw.integer(2)]}`;
    return `${draw.uniform() < 0.1 ? "" : weight},${heat},${animal},${mostly(pains[k], pains, 0.3)},${fee},${other}`;
  });
  const text = `weight,temperature,animal,pain,fee,insured,vet,garden\n${lines.join("\n")}\n`;
  return { table: await readColumns(new TextEncoder().encode(text)), kinds };
}

describe("few answers about a table of mixed columns", () => {
  let table: Table;
  let kinds: number[];
  let without: ArrayLike<number>;
  beforeAll(async () => {
    ({ table, kinds } = await animals());
    without = (await cluster(table)).labels;
  });

  const answers = (count: number, start: number) =>
    Array.from({ length: count }, (_, p) => {
      const [a, b] = [start + 2 * p, start + 2 * p + 1];
      return { a, b, same: kinds[a] === kinds[b] };
    });

  test.each([2, 6, 12])("%i answers do not cost what is known without them", async (count) => {
    const pairs = answers(count, 20);
    const found = await cluster(table, { hints: { pairs } });
    const named = new Set(pairs.flatMap(({ a, b }) => [a, b]));
    const free = kinds.map((_, i) => i).filter((i) => !named.has(i));
    const agreement = (labels: ArrayLike<number>): number =>
      adjustedRand(
        free.map((i) => labels[i]),
        free.map((i) => kinds[i]),
      );
    expect(agreement(found.labels)).toBeGreaterThan(agreement(without) - 0.02);
  });

  test("answers that the clusters keep without hints are counted", async () => {
    const told = async (hinted: ReturnType<typeof answers>): Promise<string | undefined> => {
      const options = { hints: { pairs: hinted } };
      const { fitted } = await clusterRun(prepare(table, options), options);
      return fitted.facts?.find(([name]) => name === "hints")?.[1];
    };
    const right = answers(60, 0).filter(({ a, b, same }) => (without[a] === without[b]) === same);
    expect(await told(right.slice(0, 4))).toContain("4 answers; all hold without hints");
    const [first, ...others] = right;
    const wrong = { ...first, same: !first.same };
    expect(await told([wrong, ...others.slice(0, 3)])).toContain("4 answers; 3 hold without hints");
  });
});
