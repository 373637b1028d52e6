import { expect, test } from "vitest";
import { clusterings } from "../../src/method/index.ts";
import { verbs } from "../../src/cli/verbs.ts";
import { kindred } from "./command.ts";

test("help lists commands and pages, and shows either", async () => {
  const all = await kindred(["help"]);
  expect(all.code).toBe(0);
  for (const { name } of verbs) expect(all.stdout).toContain(`  ${name}`);
  expect(all.stdout).toMatch(/^ {2}gaps +Cluster sensor data with gaps$/m);
  expect((await kindred(["help", "path"])).stdout).toMatch(/^Usage: kindred path/);
  const page = await kindred(["help", "how-many"]);
  expect(page.code).toBe(0);
  expect(page.stdout).toMatch(/^HOW MANY CLUSTERS/);
  expect(page.stdout).not.toMatch(/\]\(|```/);
});

test("a topic that does not exist is told with the nearest one", async () => {
  const { code, stdout, stderr } = await kindred(["help", "how-mny"]);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^kindred: there is no help about "how-mny"; did you mean how-many\?/);
});

test("no method has an option of the name of one of the command", { timeout: 120_000 }, async () => {
  for (const { name } of clusterings) {
    const { code, stderr } = await kindred(["cluster", "--method", name, "--help"]);
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
  }
});
