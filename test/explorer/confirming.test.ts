import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, expect, test } from "vitest";
import { openTable } from "../../explorer/worker/openTable.ts";
import { solve } from "../../explorer/worker/solve.ts";
import { kindred } from "../cli/command.ts";

/*
 * Answers that the clusters already keep make nothing less sure: in the page and in the command the trust stays, no row moves,
 * no metric is learned that would move the points, and no column has another weight.
 */
const folder = mkdtempSync(join(tmpdir(), "kindred-confirming-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Told {
  readonly labels: readonly number[];
  readonly trust: { readonly word: string; readonly probability?: number };
  readonly representatives: readonly { readonly typical: readonly number[] }[];
  readonly details: {
    readonly moved: readonly object[];
    readonly columns: readonly { readonly before: number; readonly after: number }[];
  };
}

const WORDS = ["none", "weak", "doubtful", "clear"];

/** The trust without answers stays, or a surer one takes its place. */
function isNoLower(trust: Told["trust"], usual: Told["trust"]): boolean {
  return isDeepStrictEqual(trust, usual) || WORDS.indexOf(trust.word) > WORDS.indexOf(usual.word);
}

test.each(["wine", "iris", "customers", "sensors", "tasting"])(
  "%s: two answers that hold",
  async (name) => {
    const { stdout: text } = await kindred(["data", name]);
    const [file, hints] = [join(folder, `${name}.csv`), join(folder, `${name}-hints.csv`)];
    writeFileSync(file, text);
    const command = async (...more: readonly string[]): Promise<Told> =>
      JSON.parse((await kindred(["cluster", file, "--json", ...more])).stdout) as Told;
    const before = await command();
    const [[a, b], [other]] = before.representatives.map(({ typical }) => typical);
    writeFileSync(hints, `a,b,hint\n${a},${b},same\n${a},${other},different\n`);
    const after = await command("--hints", hints);
    expect(after.labels).toEqual(before.labels);
    expect(isNoLower(after.trust, before.trust)).toBe(true);
    expect(after.details.moved).toEqual([]);
    for (const { before: then, after: now } of after.details.columns) expect(now).toBe(then);

    const table = await openTable(
      {
        key: text.length,
        source: { kind: "file", name: `${name}.csv`, file: new Blob([text]) },
        reading: { as: {} },
      },
      () => {},
    );
    const usual = { table, off: [], scale: "auto", weights: "auto", missing: "fill", edits: [] } as const;
    const asked = { ...usual, statements: [], seed: 0, own: {}, same: [], different: [] } as const;
    const plain = await solve({ ...asked, method: "auto" }, () => {});
    const confirmed = await solve(
      { ...asked, method: "hints", same: [[a, b]], different: [[a, other]] },
      () => {},
    );
    expect(Array.from(plain.labels)).toEqual(before.labels);
    expect(Array.from(confirmed.labels)).toEqual(before.labels);
    expect(isNoLower(confirmed.trust!, plain.trust!)).toBe(true);
    expect(plain.trust).toEqual(before.trust);
    expect(confirmed.metric).toBeUndefined();
    expect(confirmed.taught!.moved).toEqual([]);
    for (const { before: then, after: now } of confirmed.taught!.columns) expect(now).toBe(then);
  },
  240_000,
);
