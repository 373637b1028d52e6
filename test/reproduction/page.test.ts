import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { PAGES, QUICK } from "../../reproduction/all.ts";
import { reproductions } from "../../reproduction/reproductions.ts";
import { type BregmanDone, planBregman, reportBregman } from "../../reproduction/bregman/bregman.ts";
import { runBregmanTask } from "../../reproduction/bregman/bregmanTask.ts";
import { bregmanFindings } from "../../reproduction/bregman/bregmanText.ts";
import { type Done, planConvex, reportConvex } from "../../reproduction/convex/convex.ts";
import { runTask } from "../../reproduction/convex/convexTask.ts";
import { convexFindings } from "../../reproduction/convex/convexText.ts";
import { type MlcaDone, planMlca, reportMlca } from "../../reproduction/mlca/mlca.ts";
import { runSyntheticTask } from "../../reproduction/mlca/mlcaSynthetic.ts";
import { TITLES } from "../../reproduction/mlca/mlcaTables.ts";
import { mlcaFindings } from "../../reproduction/mlca/mlcaText.ts";
import { readBlock } from "./readBlock.ts";
import {
  BLOCK,
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

const folder = join(import.meta.dirname, "..", "..", "docs", "explanation");

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
    expect(difference({ text: 70.1, ours: exactly(70.15) })!.apart).toBe(false);
    expect(difference({ text: 70.1, ours: exactly(70.16) })!.apart).toBe(true);
    expect(difference({ text: 70 })).toBeUndefined();
    expect(cellText({ ours: exactly(70), text: 71, mark: "*" }, 1)).toBe("70.0* (71, -1.0 !)");
    // "71" may be anything from 70.5 to 71.5.
    expect(difference({ text: 71, ours: exactly(70.6) })!.apart).toBe(false);
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
    const tied: Table = {
      ...table,
      rows: [
        ["a", { ours: exactly(1) }],
        ["b", { ours: exactly(1 - 1e-15) }],
      ],
    };
    const tie = { ...claim, tables: [tied], own: "b", others: ["a"] };
    expect(ranked(tie)[0].verdict).toBe("does not hold");
    expect(ranked({ ...tie, level: true })[0]).toMatchObject({
      verdict: "holds",
      because: "1 of 1; ahead of the best other by 0 to 0",
    });
    expect(ranked({ ...claim, own: "nobody", others: ["ITML"] })).toEqual([]);
  });

  test("verdicts follow from where a claim holds", () => {
    expect(verdictOf(["a", "b"], 2)).toBe("holds");
    expect(verdictOf(["a"], 2)).toBe("holds where a");
    expect(verdictOf([], 2)).toBe("does not hold");
    expect(verdictOf(["a", "b", "c", "d", "e", "f"], 7)).toBe("holds in 6 of 7 cells");
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

test.each(readdirSync(folder).filter((file) => file.startsWith("reproduce-")))(
  "%s: every table of numbers comes from a run",
  (file) => {
    const byHand = readFileSync(join(folder, file), "utf8").replaceAll(BLOCK, "");
    expect(byHand.match(/^ *\|.*\| *[-+]?\d+\.\d.*$/gm) ?? []).toEqual([]);
  },
);

describe("the runs of all pages", () => {
  test.each([...PAGES, ...QUICK])("%s is understood", async (line) => {
    const [name, ...words] = line.split(" ");
    const command = new Command(name).exitOverride();
    (await reproductions.find((one) => one.name === name)!.load()).define(command);
    let typed = "";
    command.action((options: { command: string }) => {
      typed = options.command;
    });
    await command.parseAsync(words, { from: "user" });
    expect(typed).toBe(`npm run reproduce -- ${line}`);
  });

  test("are those that the pages name", () => {
    const named = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/; `npm run reproduce -- ([^`]+)`\.\*/g)].map(
        ([, line]) => line,
      ),
    );
    expect([...new Set(named)].filter((line) => !PAGES.includes(line))).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });
});

describe("a quick run", () => {
  /** Every number of some of the draws of a page: no draw is farther from the mean of n than (n - 1) / sqrt(n) deviations. */
  function offPage(quick: Table, page: string, rows: readonly string[]): string[] {
    const text = readFileSync(join(folder, page), "utf8");
    const printed = readBlock(text, quick.name);
    const block = text.slice(text.indexOf(`<!-- begin ${quick.name} -->`));
    const draws = Number(/(\d+) draws? in (?:each|a) cell/.exec(block)?.[1] ?? 1);
    const compared = quick.rows.flatMap(([row, ...cells]) =>
      cells.flatMap((cell, c) => {
        const known = printed.get(`${row}, ${quick.columns[c]}`);
        if (!rows.includes(row) || typeof cell === "string" || cell.ours === undefined || known === undefined)
          return [];
        const unit = 10 ** -quick.digits;
        const reach = ((draws - 1) / Math.sqrt(draws)) * (known.spread + 0.5 * unit) + 0.5001 * unit;
        return [{ at: `${row}, ${quick.columns[c]}`, off: Math.abs(cell.ours.mean - known.ours) > reach }];
      }),
    );
    return compared.length === 0 ? ["nothing"] : compared.filter(({ off }) => off).map(({ at }) => at);
  }

  test("MLCA: seed 1 of Tables 1 to 3 is on the page", async () => {
    const plan = await planMlca({ quick: true, seeds: 1 });
    const columns = ["mlca", "euclidean", "kissme", "xqda", "mmc", "lda", "rca"] as const;
    const tasks = plan.tasks.flatMap((task) =>
      task.kind === "mlca synthetic" && task.geometry === "law" && columns.includes(task.column as never)
        ? [task]
        : [],
    );
    const done = tasks.map((task): MlcaDone => ({ task, result: runSyntheticTask(task) }));
    const [delta] = mlcaFindings(reportMlca({ ...plan, tasks }, done)).tables;
    const titles = columns.map((column) => TITLES[column]);
    expect(offPage(delta, "reproduce-mlca.md", titles)).toEqual([]);
  });

  test("convex clustering: wine without labels is on the page", async () => {
    const plan = await planConvex({ table: "4.2", sets: ["wine"] });
    const tasks = plan.tasks.filter((task) => task.kind === "cell" && task.protocol === "unsupervised");
    const done: Done[] = [];
    for (const task of tasks) done.push({ task, result: await runTask(task) } as Done);
    const [wine] = convexFindings(reportConvex({ ...plan, tasks }, done)).tables;
    const rows = wine.rows.map(([row]) => row);
    expect(offPage(wine, "reproduce-convex.md", rows)).toEqual([]);
  }, 120_000);

  const data = process.env.KINDRED_DATA;
  test.skipIf(data === undefined || data === "")(
    "KINDRED_DATA: two runs of sonar are on the Bregman page",
    async () => {
      const plan = await planBregman({ sets: ["sonar"], budgets: ["1000"], runs: 2 });
      const done: BregmanDone[] = [];
      for (const task of plan.tasks) done.push({ task, result: await runBregmanTask(task) });
      const [f1] = bregmanFindings(reportBregman(plan, done)).tables;
      const rows = f1.rows.map(([row]) => row);
      expect(offPage(f1, "reproduce-bregman.md", rows)).toEqual([]);
    },
  );
});
