import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { kindred } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-any-table-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

/** Orders of three shops: kinds of columns that strict numbers refuse, gaps, and a class that some rows lack. */
function orders(rows: number, seed: number, known = 1): string {
  const draw = random(seed);
  const lines = ["order,day,price,colour,size,note,shop"];
  for (let i = 0; i < rows; i++) {
    const shop = Math.floor(3 * draw.uniform());
    const colour = draw.uniform() < 0.85 ? ["red", "green", "blue"][shop] : "grey";
    const size = ["small", "medium", "large"][
      Math.min(2, Math.floor(3 * draw.uniform() * draw.uniform()) + (shop > 1 ? 1 : 0))
    ];
    const price =
      draw.uniform() < 0.05 ? "" : `$${(20 * 3 ** shop * Math.exp(0.3 * draw.normal())).toFixed(2)}`;
    const day = new Date(Date.UTC(2024, 0, 1 + Math.floor(300 * draw.uniform()))).toISOString().slice(0, 10);
    const label = draw.uniform() < known ? `shop ${"ABC"[shop]}` : "";
    lines.push(`O-${1000 + i},${day},${price},${colour},${size},"sent, by post",${label}`);
  }
  return lines.join("\n");
}

beforeAll(() => {
  writeFileSync(at("orders.csv"), orders(240, 1));
  writeFileSync(at("partly.csv"), orders(240, 1, 0.7));
  writeFileSync(
    at("new.csv"),
    orders(40, 2)
      .replaceAll("red", "pink")
      .replace(/^order/, "extra,order")
      .replaceAll("\nO-", "\n1,O-"),
  );
});

async function told(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await kindred(args);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout + stderr;
}

test("metric: decisions are printed, weights are of original columns, the model takes rows of another file", async () => {
  const text = await told("metric", at("orders.csv"), "--label", "shop", "--model", at("metric.json"));
  expect(text).toMatch(/^price +number, \$ .* z-score/m);
  expect(text).toMatch(/^order +id /m);
  expect(text).toMatch(/^(?:colour|price) +\d/m);
  expect(text).not.toMatch(/colour = red +\d/);
  const json = JSON.parse(
    (await kindred(["metric", at("orders.csv"), "--label", "shop", "--json"])).stdout,
  ) as { relevance: Record<string, number> };
  expect(Object.keys(json.relevance).toSorted()).toEqual(["colour", "day", "price", "size"]);
  expect(Object.values(json.relevance).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
  const applied = await told("apply", at("metric.json"), at("new.csv"));
  expect(applied).toContain('"pink" is unknown to the model');
  expect(applied.split("\n").filter((line) => /^-?[\d.e-]+,-?[\d.e-]+$/.test(line))).toHaveLength(40);
  const under = await told(
    "cluster",
    at("orders.csv"),
    "--metric",
    at("metric.json"),
    "-k",
    "3",
    "--label",
    "shop",
    "--model",
    at("under.json"),
  );
  expect(under).toMatch(/distances by the mlca metric/);
  expect(await told("apply", at("under.json"), at("new.csv"))).toMatch(
    /^extra,order,.*,cluster,distance,second$/m,
  );
});

test("select: original columns, with their own cells in the reduced table", async () => {
  const text = await told("select", at("orders.csv"), "--label", "shop", "-f", "2", "--out", at("two.csv"));
  expect(text).toMatch(/^method +chow-liu, 2 of 4 columns$/m);
  const [header, first] = readFileSync(at("two.csv"), "utf8").split("\n");
  expect(header.split(",").toSorted()).toEqual(["colour", "price", "shop"]);
  expect(first).toMatch(/\$\d/);
  await told("select", at("orders.csv"), "--method", "ccscml", "-k", "3", "-f", "2");
});

test("classify: the label is no feature, blanks are filled, the model holds the columns", async () => {
  const json = JSON.parse(
    (
      await kindred([
        "classify",
        at("partly.csv"),
        "--label",
        "shop",
        "--folds",
        "4",
        "--model",
        at("shop.json"),
        "--out",
        at("filled.csv"),
        "--json",
      ])
    ).stdout,
  ) as { accuracy: number; filled: { rows: number[]; labels: string[] } };
  expect(json.accuracy).toBeGreaterThan(0.85);
  const lines = readFileSync(at("filled.csv"), "utf8").trimEnd().split("\n");
  expect(lines[0]).toBe("shop,predicted,probability");
  expect(lines.slice(1).every((line) => /,shop [ABC],/.test(line))).toBe(true);
  const truth = orders(240, 1)
    .split("\n")
    .slice(1)
    .map((line) => line.slice(line.lastIndexOf(",") + 1));
  const right = json.filled.rows.filter((row, i) => truth[row] === json.filled.labels[i]).length;
  expect(json.filled.rows.length).toBeGreaterThan(40);
  expect(right / json.filled.rows.length).toBeGreaterThan(0.85);
  const applied = await told("apply", at("shop.json"), at("new.csv"));
  expect(applied).toMatch(/^extra,order,.*,shop,shop_found,probability$/m);
  const used = await told("classify", at("new.csv"), "--use", at("shop.json"));
  expect(used).toMatch(/^accuracy +\d/m);
});

test("path and segment: dates order a series and are no feature", async () => {
  expect(await told("path", at("new.csv"), "--gammas", "0.1,1")).toMatch(/^colour +category/m);
  const days = Array.from({ length: 60 }, (_, i) => {
    const day = new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
    return `${day},${(i < 30 ? 1 : 5) + 0.1 * Math.sin(7 * i)},${i < 30 ? "calm" : "busy"}`;
  });
  writeFileSync(at("days.csv"), ["day,load,state", ...days].join("\n"));
  const cut = await told("segment", at("days.csv"), "-k", "2");
  expect(cut).toContain("2024-01-01 to 2024-01-30, 30 rows");
  expect(cut).toContain("the rows are in the order of day");
});

test("--as, --missing and --strict mean the same as for cluster", async () => {
  for (const command of ["metric", "classify", "select"]) {
    const label = ["--label", "shop"];
    expect((await kindred([command, at("orders.csv"), ...label, "--missing", "refuse"])).stderr).toMatch(
      /"price" is missing/,
    );
    expect(await told(command, at("orders.csv"), ...label, "--missing", "drop")).toMatch(
      /rows have missing cells and are left out/,
    );
    expect((await kindred([command, at("orders.csv"), ...label, "--strict"])).stderr).toMatch(
      /is not a number/,
    );
    expect(await told(command, at("orders.csv"), ...label, "--as", "colour=text")).toMatch(/^colour +text/m);
  }
}, 60_000);
