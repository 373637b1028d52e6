import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

/*
 * Every example of the documentation runs as it is printed: ```ts blocks against the built package (the test of the
 * package compiles them under `strict`), ```sh blocks with `kindred` on the path. The blocks of a file run in order in one folder, so
 * that one may use what an earlier one wrote. A ```text block that follows is the expected output; "..." stands for
 * anything, and times are not compared. Blocks in Python are run by python/test.sh.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const project = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "reproduction/README.md"];
const pages = [...project, ...markdown("docs")];
const cache = join(root, ".cache");
let bin = "";

beforeAll(() => {
  fs.mkdirSync(cache, { recursive: true });
  bin = fs.mkdtempSync(join(cache, "bin-"));
  const main = join(root, "dist", "cli", "main.js");
  fs.writeFileSync(join(bin, "kindred"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => {
  fs.rmSync(bin, { recursive: true, force: true });
});

describe.each(pages)("%s", (page) => {
  const examples = examplesOf(fs.readFileSync(join(root, page), "utf8"));
  // Inside of the checkout, so that `import ... from "kindred"` finds the package itself.
  let folder = "";
  beforeAll(() => {
    fs.mkdirSync(cache, { recursive: true });
    folder = fs.mkdtempSync(join(cache, "docs-"));
  });
  afterAll(() => {
    fs.rmSync(folder, { recursive: true, force: true });
  });

  test("has code blocks of known languages only", () => {
    const known = new Set(["ts", "jsx", "sh", "text", "json", "console", "python"]);
    expect(
      blocksOf(fs.readFileSync(join(root, page), "utf8")).filter(({ language }) => !known.has(language)),
    ).toEqual([]);
  });

  test("links to files that exist", () => {
    const text = fs.readFileSync(join(root, page), "utf8");
    const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target);
    const local = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(local.filter((target) => !fs.existsSync(join(root, dirname(page), target)))).toEqual([]);
  });

  test("links to headings that exist", () => {
    const text = fs.readFileSync(join(root, page), "utf8");
    const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)];
    const broken = links.filter(([, target, heading]) => {
      const file = target === "" ? join(root, page) : join(root, dirname(page), target);
      return !anchorsOf(fs.readFileSync(file, "utf8")).includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test.skipIf(!/^docs\/(tutorials|how-to|methods)\//.test(page))("is read in ten minutes", () => {
    expect(fs.readFileSync(join(root, page), "utf8").split(/\s+/).length).toBeLessThanOrEqual(1500);
  });

  for (const { language, line, code, expected } of examples) {
    test(`line ${line}: ${code.split("\n")[0]}`, () => {
      // The README shows a terminal of 80 columns.
      if (page === "README.md") vi.stubEnv("COLUMNS", "80");
      const output = language === "sh" ? runShell(code, folder) : runModule(code, folder, line);
      vi.unstubAllEnvs();
      expect(expected === undefined || matches(output, expected) ? expected : output).toBe(expected);
      if (process.env.KINDRED_DOCS === "write" && expected !== undefined) write(page, expected, output);
    });
  }
});

/** Puts the real line in the place of each that has "..." in it, as `K  ...`; a line of "..." alone stays. */
function write(page: string, expected: string, output: string): void {
  const lines = output.split("\n");
  let from = 0;
  const full = expected.split("\n").map((line) => {
    if (line === "...") return line;
    const at = lines.findIndex((own, i) => i >= from && matches(own, line));
    if (at < 0) return line;
    from = at + 1;
    return line.includes("...") ? lines[at].trimEnd() : line;
  });
  const file = join(root, page);
  const text = fs.readFileSync(file, "utf8");
  fs.writeFileSync(
    file,
    text.replace(`\`\`\`text\n${expected}\n`, () => `\`\`\`text\n${full.join("\n")}\n`),
  );
}

function runShell(code: string, cwd: string): string {
  return run("sh", ["-ec", code], cwd);
}

function runModule(code: string, cwd: string, line: number): string {
  const file = join(cwd, `line-${line}.mjs`);
  fs.writeFileSync(file, transformSync(`line-${line}.ts`, code).code);
  return run(process.execPath, [file], cwd);
}

function run(command: string, args: readonly string[], cwd: string): string {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, KINDRED_DATA: "" };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** The anchors of the headings: lower case, spaces as hyphens, without other signs. */
function anchorsOf(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
}

interface Block {
  readonly language: string;
  readonly line: number;
  readonly code: string;
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const fence = /^```(.*)$/.exec(lines[i]);
    if (fence === null) continue;
    const end = lines.indexOf("```", i + 1);
    if (end < 0) throw new Error(`the code block at line ${i + 1} is never closed`);
    blocks.push({ language: fence[1].trim(), line: i + 1, code: lines.slice(i + 1, end).join("\n") });
    i = end;
  }
  return blocks;
}

function examplesOf(text: string): (Block & { readonly expected?: string })[] {
  const blocks = blocksOf(text);
  return blocks.flatMap((block, i) => {
    if (!["ts", "sh"].includes(block.language)) return [];
    const next = blocks[i + 1];
    return [{ ...block, expected: next?.language === "text" ? next.code : undefined }];
  });
}

function matches(output: string, expected: string): boolean {
  const pattern = plainTimes(expected)
    .split("...")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^]*");
  return new RegExp(`^${pattern}$`).test(plainTimes(output).trimEnd());
}

function plainTimes(text: string): string {
  return text
    .trimEnd()
    .replace(/\d+(?:\.\d+)? m?s\b/g, "TIME")
    .replace(/\b\d+ threads?\b/g, "THREADS");
}

function markdown(folder: string): string[] {
  return fs
    .readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => relative(root, join(root, folder, name)))
    .toSorted();
}
