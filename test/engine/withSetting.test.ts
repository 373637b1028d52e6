import { expect, test } from "vitest";
import { fileError, inputError } from "../../src/core/messages.ts";
import { sparkDialect } from "../../src/engine/dialect.ts";
import type { Engine } from "../../src/engine/index.ts";
import { withSetting } from "../../src/engine/engine.ts";

/** An engine that only keeps the statements. */
function listening(): { readonly engine: Engine; readonly statements: string[] } {
  const statements: string[] = [];
  const engine: Engine = {
    name: "Spark 4.0.0",
    dialect: sparkDialect,
    async *query() {
      yield { names: ["key", "value"], rows: 1, columns: [["a"], ["true"]] };
    },
    async run(sql) {
      statements.push(sql);
    },
    close: () => Promise.resolve(),
  };
  return { engine, statements };
}

test("a setting is restored after work and after an error of it, but not on an engine that is gone", async () => {
  const { engine, statements } = listening();
  expect(await withSetting(engine, ["a", "false", "true"], async () => 7)).toBe(7);
  expect(statements.splice(0)).toEqual(["set a=false", "set a=true"]);
  const failing = (error: Error): Promise<never> =>
    withSetting(engine, ["a", "false", "true"], () => Promise.reject(error));
  await expect(failing(inputError("no such table"))).rejects.toThrow("no such table");
  expect(statements.splice(0)).toEqual(["set a=false", "set a=true"]);
  // Each statement to a server that does not answer would take a minute of attempts.
  await expect(failing(fileError("no server answers"))).rejects.toThrow("no server answers");
  expect(statements).toEqual(["set a=false"]);
});
