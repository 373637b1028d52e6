import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { exampleText } from "../../../src/data/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { bareInstallation, command, kindred } from "../command.ts";

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

/** A server in a new folder, with the client of the protocol's own package. */
async function connected(): Promise<{
  root: string;
  call: (name: string, given: object) => Promise<Answer>;
}> {
  const outside = mkdtempSync(join(tmpdir(), "kindred-mcp-"));
  const root = join(outside, "root");
  mkdirSync(root);
  writeFileSync(join(outside, "secret.csv"), "a,b\n1,2\n3,4\n5,6\n");
  writeFileSync(join(root, "customers.csv"), exampleText("customers"));
  const [program, ...args] = command;
  const transport = new StdioClientTransport({ command: program, args: [...args, "mcp"], cwd: root });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, given: object): Promise<Answer> =>
    (await client.callTool({ name, arguments: given as Record<string, unknown> })) as unknown as Answer;
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    "columns",
    "cluster",
    "compare",
    "explain",
    "ask",
    "answer",
    "apply",
    "draw",
    "save",
  ]);
  return { root, call };
}

function said<T = unknown>({ content, isError }: Answer): T {
  expect({ isError: isError === true, text: content[0].text }).toMatchObject({ isError: false });
  expect(content[0].text.length).toBeLessThan(31_000);
  return JSON.parse(content[0].text) as T;
}

test("a whole analysis of a table by tool calls alone", async () => {
  const { root, call } = await connected();
  const seen = said<{ rows: number; columns: { name: string }[] }>(
    await call("columns", { file: "customers.csv" }),
  );
  expect(seen.rows).toBe(400);
  expect(seen.columns.find(({ name }) => name === "monthly_spend")).toMatchObject({
    kind: "number",
    cells: [expect.any(String), expect.any(String), expect.any(String)],
  });

  const found = said<{ groups: { rows: number; name: string }[] }>(
    await call("cluster", { file: "customers.csv", method: "kmeans", clusters: 3, seed: 1 }),
  );
  expect(found).toMatchObject({ clustering: "c1", clusters: 3 });
  expect(found.groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(400);
  expect(said<{ words: string }>(await call("explain", { clustering: "c1" })).words).toContain("3 clusters");
  const one = said<{ rows: number; typical: Record<string, object> }>(
    await call("explain", { clustering: "c1", cluster: 0 }),
  );
  expect(one.rows).toBe(found.groups[0].rows);
  expect(Object.values(one.typical)[0]).toHaveProperty("plan");

  type Asked = {
    answers: number;
    question: { a: number; b: number; rows: Record<number, { plan: string }> };
  };
  let asked = said<Asked>(await call("ask", { file: "customers.csv", clusters: 3 }));
  for (let n = 0; n < 3; n++) {
    const { a, b, rows } = asked.question;
    const same = rows[a].plan === rows[b].plan;
    asked = said<Asked>(await call("answer", { round: "q1", reply: same ? "same" : "different" }));
  }
  expect(asked.answers).toBe(3);
  // What is taken back after a skipped pair is that skip.
  expect(said<Asked>(await call("answer", { round: "q1", reply: "skip" })).answers).toBe(3);
  expect(said<Asked>(await call("answer", { round: "q1", reply: "undo" })).answers).toBe(3);
  const taught = said(await call("cluster", { file: "customers.csv", clusters: 3, round: "q1" }));
  expect(taught).toMatchObject({ clustering: "c2", method: "hints" });

  const applied = said<{ first: number[]; sizes: number[]; names: string[] }>(
    await call("apply", { clustering: "c1", file: "customers.csv", out: "labelled.csv" }),
  );
  expect(applied.sizes).toEqual(found.groups.map(({ rows }) => rows));
  expect(applied.names).toEqual(found.groups.map(({ name }) => name));
  expect(readFileSync(join(root, "labelled.csv"), "utf8").split("\n")[0]).toMatch(/,cluster,distance$/);
  said(await call("draw", { clustering: "c1", out: "page.html" }));
  expect(readFileSync(join(root, "page.html"), "utf8")).toContain("<svg");
  said(await call("save", { clustering: "c1", out: "model.json" }));
  const again = said<{ first: number[] }>(
    await call("apply", { model: "model.json", file: "customers.csv" }),
  );
  expect(adjustedRand(again.first, applied.first)).toBe(1);
});

test("paths outside, absurd numbers and unknown words are errors; nothing is read or written elsewhere", async () => {
  const { root, call } = await connected();
  const outside = join(root, "..");
  symlinkSync(join(outside, "secret.csv"), join(root, "link.csv"));
  symlinkSync(outside, join(root, "up"));
  symlinkSync(join(outside, "new.html"), join(root, "hanging.html"));
  said(await call("cluster", { file: "customers.csv", method: "kmeans", clusters: 3 }));
  const before = readdirSync(outside).sort();
  const inside = readdirSync(root).sort();
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ...[
      "../secret.csv",
      "link.csv",
      "up/secret.csv",
      join(outside, "secret.csv"),
      "/etc/passwd",
      "/dev/zero",
      "nothing.csv",
      "",
    ].map((file) => ["columns", { file }, / below \/|not a file/] as const),
    ["columns", { file: "." }, / below \/|not a file/],
    ["columns", { file: "customers.csv\0.txt" }, / below \//],
    ["apply", { model: "../secret.csv", file: "customers.csv" }, / below \//],
    ["apply", { clustering: "c1", file: "customers.csv", out: "../out.csv" }, /not below/],
    ["draw", { clustering: "c1", out: "up/page.html" }, /not below/],
    ["draw", { clustering: "c1", out: "hanging.html" }, /exists/],
    ["save", { clustering: "c1", out: "customers.csv" }, /exists/],
    ["save", { clustering: "c1", out: "/tmp/../etc/kindred.json" }, /not below/],
    ["cluster", { file: "customers.csv", clusters: 1e9 }, /400 rows/],
    ["cluster", { file: "customers.csv", clusters: 1e300 }, /clusters/],
    ["cluster", { file: "customers.csv", clusters: -1 }, /clusters/],
    ["cluster", { file: "customers.csv", method: "sudo" }, /method/],
    ["cluster", { file: "customers.csv", database: "/etc/passwd" }, /database/],
    [
      "cluster",
      { file: "customers.csv", hints: [{ a: 0, b: 1e9, same: true }] },
      /there is no row 1000000000/,
    ],
    ["cluster", { file: "customers.csv", use: ["nothing"] }, /nothing/],
    ["cluster", { file: ["customers.csv"] }, /file/],
    ["explain", { clustering: "c9" }, /there is no c9; there are: c1/],
    ["explain", { clustering: "c1", cluster: 7 }, /clusters 0 to 2/],
    ["answer", { round: "q1", reply: "same" }, /there is no q1; there are: none yet/],
  ];
  for (const [name, given, message] of refused) {
    const { isError, content } = await call(name, given);
    const outcome = { given, isError, text: content[0].text };
    expect(outcome).toEqual({ given, isError: true, text: expect.stringMatching(message) });
    expect(content[0].text.length).toBeLessThan(5000);
    expect(content[0].text).not.toMatch(/root:|^a,b/m);
  }
  expect(readdirSync(outside).sort()).toEqual(before);
  expect(readdirSync(root).sort()).toEqual(inside);
  expect(existsSync(join(outside, "new.html"))).toBe(false);
  said(await call("columns", { file: "customers.csv" }));
});

test("a message that is no JSON is answered by an error, and the next one is answered", async () => {
  const [program, ...args] = command;
  const child = spawn(program, [...args, "mcp"]);
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
  child.stdin.write('{"jsonrpc": "2.0", broken\n');
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" })}\n`);
  await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(2);
  expect(JSON.parse(lines[0])).toMatchObject({ id: null, error: { code: -32_700 } });
  expect(JSON.parse(lines[1])).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  child.stdin.end();
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
});

test("without the package, the command says what to install", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kindred-bare-"));
  const { code, stderr } = await kindred(["mcp"], { main: bareInstallation(folder) });
  expect([code, stderr]).toEqual([1, expect.stringContaining("npm install @modelcontextprotocol/sdk")]);
});
