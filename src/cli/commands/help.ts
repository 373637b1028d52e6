import type { Command } from "commander";
import { readdirSync, readFileSync } from "node:fs";
import { knownNames, optionError } from "../../core/internal.ts";
import { verbs } from "../verbs.ts";
import { columns, writeOut } from "../output/terminal.ts";

const DOCS = new URL("../../../docs/", import.meta.url);
/** Folders of pages that answer questions, with their headings, in the order of the list. */
const KINDS: Readonly<Record<string, string>> = {
  tutorials: "Tutorial",
  "how-to": "Guides",
  methods: "Methods",
  reference: "Reference",
};
/** Generated for a browser. */
const LONG = new Set(["api", "methods"]);

/** `kindred help cluster` prints the help of a command, `kindred help gaps` a page of the documentation. */
export function define(command: Command): void {
  command
    .argument("[topic]", "a command, or a page of the documentation; without it both are listed")
    .action(async (topic?: string) => {
      const program = command.parent!;
      if (topic === undefined) {
        program.outputHelp();
        return writeOut([`\nPages, by kindred help NAME:\n${listed().join("\n")}\n`]);
      }
      const verb = program.commands.find((one) => one.name() === topic);
      if (verb !== undefined) return verb.outputHelp();
      const page = pages().find(({ name }) => name === topic);
      if (page !== undefined) return writeOut([plain(readFileSync(page.file, "utf8"))]);
      const names = [...verbs.map(({ name }) => name), ...pages().map(({ name }) => name)];
      throw optionError(
        `there is no help about "${topic}"; ${knownNames(topic, names, "topics", (name) => name)}`,
        { code: "unknown-topic" },
      );
    });
}

interface Page {
  readonly kind: string;
  readonly name: string;
  readonly file: URL;
}

function pages(): Page[] {
  const taken = new Set(verbs.map(({ name }) => name));
  return Object.keys(KINDS).flatMap((kind) =>
    readdirSync(new URL(`${kind}/`, DOCS))
      .filter((file) => file.endsWith(".md"))
      .map((file) => ({ kind, name: file.slice(0, -3), file: new URL(`${kind}/${file}`, DOCS) }))
      .filter(({ name }) => !taken.has(name) && !LONG.has(name)),
  );
}

/** The names and titles of all pages, below the headings of their kinds. */
function listed(): string[] {
  const all = pages();
  const lines = columns(
    all.map(({ name, file }) => [
      `  ${name}`,
      plain(/^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? ""),
    ]),
  );
  return lines.flatMap((line, i) =>
    all[i].kind === all[i - 1]?.kind ? [line] : ["", `${KINDS[all[i].kind]}:`, line],
  );
}

/** A page as text: links and pictures as words, headings in capitals. */
function plain(markdown: string): string {
  return markdown
    .replace(/^<!--.*?-->\n?/gms, "")
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "($1)")
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, "$1")
    .replace(/^#+ (.+)$/gm, (_, title: string) => title.toUpperCase())
    .replace(/^```.*$\n?/gm, "");
}
