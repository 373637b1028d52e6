import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBlock } from "./readBlock.ts";
import {
  cellText,
  claimsMarkdown,
  comparison,
  difference,
  exactly,
  filledPage,
  findingsText,
  ranked,
  type Table,
  tableMarkdown,
  verdictOf,
} from "../../reproduction/page.ts";

const ours = (mean: number, deviation: number, count = 5) => ({ mean, deviation, count });
const table: Table = {
  name: "made up",
  title: "Table 7",
  digits: 1,
  columns: ["wine", "seeds"],
  rows: [
    ["k-means", { text: 72.7, textSpread: 3.4, ours: ours(92.7, 0.4) }, { text: 70, ours: ours(70.04, 0) }],
    ["ITML", { text: 91.9, textSpread: 2.1, ours: ours(89, 1) }, "-"],
    ["|odd|", { ours: exactly(3) }, { text: 5 }],
  ],
};

describe("a number beside the text's", () => {
  test("is marked where the two intervals do not meet, rounding included", () => {
    expect(cellText(table.rows[0][1] as never, 1)).toBe("92.7 ± 0.4 (72.7, +20.0 !)");
    expect(cellText(table.rows[1][1] as never, 1)).toBe("89.0 ± 1.0 (91.9, -2.9)");
    expect(difference({ text: 70, ours: exactly(70.05) }, 1)!.apart).toBe(false);
    expect(difference({ text: 70, ours: exactly(70.06) }, 1)!.apart).toBe(true);
    expect(difference({ text: 70 }, 1)).toBeUndefined();
    expect(cellText({ ours: exactly(70), text: 71, mark: "*" }, 1)).toBe("70.0* (71, -1.0 !)");
  });

  test("makes the sentence below its table", () => {
    expect(comparison(table)).toEqual([
      "1 of 3 numbers differ from the text's beyond the spread, 1 above and 0 below; the largest difference is 20.0 (k-means, wine).",
    ]);
    expect(comparison({ ...table, rows: [["x", "-", "-"]] })).toEqual([]);
  });

  test("rankings hold where a row or a column is ahead by two standard errors", () => {
    const claim = { claim: "c", tables: [table], better: "larger" } as const;
    expect(ranked({ ...claim, own: "k-means", others: ["ITML"] })).toEqual([
      { claim: "c", verdict: "holds", because: "1 of 1; ahead of the best other by 3.7 to 3.7" },
    ]);
    expect(ranked({ ...claim, own: "k-means", others: ["ITML"], better: "smaller" })[0].verdict).toBe(
      "does not hold",
    );
    expect(
      ranked({ ...claim, own: "k-means", others: ["ITML"], better: "smaller", places: 1 })[0].verdict,
    ).toBe("holds");
    const [columns] = ranked({ ...claim, own: "wine", others: ["seeds"], where: (row) => row !== "ITML" });
    expect(columns.verdict).toBe("holds");
    const close: Table = {
      ...table,
      rows: [
        ["a", { ours: ours(2, 2) }],
        ["b", { ours: ours(1, 2) }],
      ],
    };
    expect(ranked({ ...claim, tables: [close, table], own: "a", others: ["b"] })[0].verdict).toBe(
      "does not hold",
    );
    expect(ranked({ ...claim, own: "nobody", others: ["ITML"] })).toEqual([]);
  });

  test("verdicts follow from where a claim holds", () => {
    expect(verdictOf(["a", "b"], 2)).toBe("holds");
    expect(verdictOf(["a"], 2)).toBe("holds where a");
    expect(verdictOf([], 2)).toBe("does not hold");
  });
});

describe("pages", () => {
  const origin = { version: "1.2.3", command: "npm run reproduce -- x" };
  const page =
    "# A\n\n<!-- begin made up -->\n<!-- end made up -->\n\n<!-- begin other -->\nold\n<!-- end other -->\n";

  test("have the blocks of a run, with version and command, and keep the others", () => {
    const filled = filledPage(page, new Map([[table.name, tableMarkdown(table, origin)]]));
    expect(filled).toContain("| k-means | 92.7 ± 0.4 (72.7, +20.0 !) | 70.0 ± 0.0 (70, 0.0) |");
    expect(filled).toContain("| \\|odd\\| | 3.0 | (5) |");
    expect(filled).toContain("*Kindred 1.2.3; 1 to 5 draws in a cell; `npm run reproduce -- x`.*");
    expect(filled).toContain("<!-- begin other -->\nold\n<!-- end other -->");
    const again = filledPage(filled, new Map([[table.name, tableMarkdown(table, origin)]]));
    expect(again).toBe(filled);
    const read = readBlock(filled, table.name);
    expect(read.get("k-means, wine")).toEqual({ ours: 92.7, spread: 0.4 });
    expect(read.has("ITML, seeds")).toBe(false);
    expect(readBlock(filled, "nothing").size).toBe(0);
  });

  test("and terminals have the same cells; claims their evidence", () => {
    const claims = [{ claim: "a is better", verdict: "holds", because: "3 of 3" } as const];
    const text = findingsText({ title: "T", head: ["h"], tables: [table], claims, end: ["end"] }).join("\n");
    expect(text).toContain("92.7 ± 0.4 (72.7, +20.0 !)");
    expect(text).toContain("Table 7; 1 to 5 draws in a cell");
    expect(text).toContain("a is better: holds (3 of 3)");
    expect(claimsMarkdown(claims, origin)).toContain("| a is better | holds | 3 of 3 |");
  });

  const folder = join(import.meta.dirname, "..", "..", "docs", "explanation");
  const version = (
    JSON.parse(readFileSync(join(folder, "..", "..", "package.json"), "utf8")) as { version: string }
  ).version;
  test.each(readdirSync(folder).filter((file) => /^(reproduce-.*|claims)\.md$/.test(file)))(
    "%s: every block comes from a run of this version",
    (file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const blocks = text.match(/<!-- begin (.+?) -->[^]*?<!-- end \1 -->/g) ?? [];
      for (const block of blocks) {
        expect(block).toMatch(
          new RegExp(`\\*Kindred ${version.replaceAll(".", "\\.")}; [^\\n]*npm run reproduce -- `),
        );
      }
    },
  );
});
