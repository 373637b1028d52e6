import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, type Engine } from "../../src/engine/engine.ts";
import { writeTable } from "../../src/engine/writeTable.ts";
import {
  connect,
  killWorker,
  record,
  remote,
  replaceWorkers,
  TEN_MILLION,
  tenMillionRows,
} from "./spark/cluster.ts";

const LIMIT = 180_000;

describe.skipIf(record === undefined)("a Spark cluster in trouble (npm run test:spark)", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await connect();
    await tenMillionRows(engine);
  }, LIMIT);
  afterAll(async () => {
    await engine.close();
    replaceWorkers();
  }, LIMIT);

  /** Some tens of tasks over the large table, more than ten seconds of work for two cores. */
  const LONG = `select id, pmod(xxhash64(id, copy), 1000) as h from ten_million, range(0, 12) as copies(copy)`;

  it(
    "the client killed while a table is written leaves no table, and the next writer has a free way",
    async () => {
      const name = `interrupted_${Date.now()}`;
      const program = `
      import { spark, writeTable } from "kindred/engine";
      const engine = await spark({ remote: process.argv[1] });
      console.log("connected");
      await writeTable(engine, process.argv[2], process.argv[3]);
      console.log("written");`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", program, remote!, name, LONG], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let printed = "";
      child.stdout.on("data", (part: Buffer) => (printed += String(part)));
      const gone = new Promise((resolve) => child.once("exit", resolve));
      const setting = (await answer(engine, "set spark.sql.warehouse.dir")).columns[1][0];
      const warehouse = String(setting).replace(/^file:/, "");
      const staged = (): boolean =>
        readdirSync(warehouse).some((entry) => entry.startsWith(`${name}__kindred_`));
      await expect.poll(() => printed, { timeout: 30_000 }).toBe("connected\n");
      // Until the first files are being written.
      await expect.poll(staged, { timeout: 60_000, interval: 200 }).toBe(true);
      child.kill("SIGKILL");
      await gone;
      expect(printed).toBe("connected\n");
      await expect(answer(engine, `select * from ${name}`)).rejects.toThrow("[TABLE_OR_VIEW_NOT_FOUND]");
      expect(existsSync(`${warehouse}/${name}`)).toBe(false);
      await writeTable(engine, name, "select 1 as a");
      expect((await answer(engine, `select a from ${name}`)).columns[0][0]).toBe(1);
      await engine.run(`drop table ${name}`);
    },
    LIMIT,
  );

  it(
    "a worker killed in the middle does not fail the query",
    async () => {
      const expected = await answer(engine, `select count(*), sum(h) from (${LONG})`);
      expect(expected.columns[0][0]).toBe(12 * TEN_MILLION);
      let ended = false;
      const running = answer(engine, `select count(*), sum(h) from (${LONG})`).finally(() => (ended = true));
      await new Promise((resolve) => {
        setTimeout(resolve, 1500);
      });
      killWorker();
      expect(ended).toBe(false);
      expect(await running).toEqual(expected);
    },
    LIMIT,
  );
});
