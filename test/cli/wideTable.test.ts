import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { kindred } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-wide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

/** A survey: answers 1 to 5 of three groups, and a word for no answer in every column. */
function survey(rows: number, columns: number): string {
  const draw = random(3);
  const means = Array.from({ length: 3 * columns }, () => 1 + 4 * draw.uniform());
  const names = Array.from({ length: columns }, (_, j) => `q${j + 1}`);
  const lines = [["respondent", ...names].join(",")];
  for (let i = 0; i < rows; i++) {
    const answers = names.map((_, j) => {
      if (draw.uniform() < 0.06) return "prefer not to say";
      return Math.max(1, Math.min(5, Math.round(means[(i % 3) * columns + j] + 0.8 * draw.normal())));
    });
    lines.push([`r-${i}x`, ...answers].join(","));
  }
  return lines.join("\n");
}

test("a wide survey: notes of one kind are one line, columns treated alike share one; --json has all", async () => {
  writeFileSync(at("survey.csv"), survey(150, 60));
  const { stdout } = await kindred(["cluster", at("survey.csv"), "--verbose", "--report", at("survey.html")]);
  const notes = stdout.split("\n").filter((line) => line.includes("counts as missing"));
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatch(/column "q1".* \(likewise q2, q3, q4 and 56 more; \d+ cells in all\)$/);
  const head = stdout.slice(0, stdout.indexOf("data "));
  expect(head).toMatch(/^q\d+, q\d+, q\d+ and \d+ more +ordered +.* % missing +z-score, weight \d/m);
  expect(head.split("\n").length).toBeLessThan(15);
  expect(head).toContain("kindred columns lists each column");
  const page = readFileSync(at("survey.html"), "utf8");
  expect(page.split("counts as missing")).toHaveLength(2);

  const answer = JSON.parse((await kindred(["cluster", at("survey.csv"), "--json"])).stdout);
  const own = answer.notes.filter(({ code }: { code: string }) => code === "missing-marks");
  expect(own).toHaveLength(60);
  expect(own[59]).toMatchObject({ column: "q60", values: ["prefer not to say"] });
  const cells = own.reduce((sum: number, note: { cells: number }) => sum + note.cells, 0);
  expect(notes[0]).toContain(`${cells} cells`);
});

test("other commands tell the notes of a wide table once", async () => {
  const lines = survey(60, 45).split("\n");
  writeFileSync(at("known.csv"), lines.map((line, i) => `${line},${i === 0 ? "group" : i % 3}`).join("\n"));
  const told: number[] = [];
  for (const command of [
    ["columns"],
    ["metric", "--method", "mlca", "--label", "group"],
    ["select", "--label", "group"],
    ["embed", "--method", "pca", "--out", at("embedded.csv")],
  ]) {
    const { stdout, stderr } = await kindred([command[0], ...command.slice(1), at("known.csv")]);
    told.push(`${stdout}${stderr}`.split("counts as missing").length - 1);
  }
  expect(told).toEqual([1, 1, 1, 1]);
});
