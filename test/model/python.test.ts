import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readColumns } from "../../src/data/index.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";

const python = spawnSync("python3", ["--version"]).status === 0;
if (!python)
  console.warn("python3 is not installed: the Python program of docs/reference/models.md is not run");

test.skipIf(!python)(
  "the Python program of docs/reference/models.md places rows as the library does",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kindred-"));
    const page = readFileSync(new URL("../../docs/reference/models.md", import.meta.url), "utf8");
    const program = /```python\n([^]*?)```/.exec(page)![1];
    expect(program.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
    const source = random(3);
    const lines = Array.from({ length: 300 }, (_, i) => {
      const group = i % 3;
      const amount = Math.exp(2 * group + source.normal());
      const size = 4 * group + source.normal();
      const plan = ["free", "basic", "pro"][source.uniform() < 0.9 ? group : source.integer(3)];
      return `${amount.toFixed(4)},${size.toFixed(4)},${plan}`;
    });
    const table = join(folder, "rows.csv");
    writeFileSync(table, `amount,size,plan\n${lines.join("\n")}\n`);
    writeFileSync(join(folder, "apply.py"), program);
    for (const method of ["kmeans", "spectral"]) {
      const found = await cluster(await readColumns(table), { method: method as MethodName, clusters: 3 });
      const model = join(folder, `${method}.json`);
      writeFileSync(model, JSON.stringify(found));
      const printed = execFileSync("python3", [join(folder, "apply.py"), model, table], { encoding: "utf8" });
      expect(printed.trim().split("\n").map(Number)).toEqual(Array.from(found.labels));
    }
  },
);
