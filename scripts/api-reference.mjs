// Writes docs/reference/api.md from the sources: every function of every entry point, with its signature and
// the first sentence of its comment. With --check it only reports whether the page is up to date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { pastLists } from "./pastLists.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "docs", "reference", "api.md");
const { exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const rooms = Object.keys(entries)
  .filter((entry) => /^\.\/[a-z]+$/.test(entry))
  .map((entry) => entry.slice(2));

/** The entries whose names and results change only with a new major version; all others may change with any. */
const STABLE = new Set(
  "matrix score data graph metric cluster convex embed select classify features model place worker".split(
    " ",
  ),
);

const examples = readExamples();

const text = [
  "# Functions",
  "",
  "Every function by its entry point, with a page that shows it in use. Types and options are in the declarations that your",
  "editor shows. `kindred` itself exports the functions that most programs need; the command and the explorer are built on the entries",
  "from `kindred/features` on. Written by `node scripts/api-reference.mjs` from the sources.",
  "",
  "What can be relied on: the names, options and results of `kindred` and of the entries marked *stable* change only with a new",
  "major version, and every model file that a version wrote is read by later ones of the same format. The entries marked",
  "*experimental* serve the command, the explorer and the reproductions, and may change with any version. What no entry exports",
  "is internal.",
  ...rooms.flatMap(section),
  "",
].join("\n");

if (process.argv.includes("--check")) {
  const now = existsSync(page) ? readFileSync(page, "utf8") : "";
  if (now !== text) {
    console.error("docs/reference/api.md is not up to date: node scripts/api-reference.mjs writes it");
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, text);
}

function section(room) {
  // dist/ROOM/index.js
  const source = entries[`./${room}`].default.replace("/dist/", "/src/").replace(/\.js$/, ".ts");
  const functions = exported(join(root, source));
  const lines = functions.toSorted((a, b) => a.name.localeCompare(b.name, "en")).map(entry);
  return ["", `## kindred/${room}`, "", `*${STABLE.has(room) ? "Stable" : "Experimental"}.*`, "", ...lines];
}

function entry({ name, file, code }) {
  const at = code.search(new RegExp(`^export (?:async )?function\\*? ${name}\\b`, "m"));
  if (at < 0) return `- \`${name}\``;
  // The comment at the head of a file describes the function with the name of the file.
  const head = basename(file, ".ts") === name ? commentBefore(code, code.indexOf("*/") + 2) : undefined;
  const said = (commentBefore(code, at) ?? head ?? "").replace(/^@\w+ \w+ /, "");
  const where = relative(dirname(page), file);
  const example = examples.get(name);
  const shown = example === undefined ? "" : ` [Example](${relative(dirname(page), example)}).`;
  return `- [\`${signature(code, at)}\`](${where})${said === "" ? "" : `: ${firstSentence(said)}`}${shown}`;
}

/** The first page of the documentation whose programs import a function, by its name. */
function readExamples() {
  const found = new Map();
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(root, "docs", name));
  // A page on the subject is a better example than the page of examples.
  for (const file of pages.toSorted(
    (a, b) => Number(/examples/.test(a)) - Number(/examples/.test(b)) || (a < b ? -1 : 1),
  )) {
    for (const [, code] of readFileSync(file, "utf8").matchAll(/```(?:js|ts)\n([^]*?)```/g)) {
      for (const [, names] of code.matchAll(/import \{([^}]*)\} from "kindred/g)) {
        for (const name of names.split(",").map((one) => one.trim()))
          if (!found.has(name)) found.set(name, file);
      }
    }
  }
  return found;
}

/** The names exported by an index, without types, with the text of their files. */
function exported(index) {
  const code = pastLists(readFileSync(index, "utf8"), index);
  return [...code.matchAll(/export \{([^}]*)\} from "(\.[^"]+)"/g)].flatMap(([, names, from]) => {
    const file = join(dirname(index), from);
    return names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => ({ name: name.split(" as ").pop(), file, code: readFileSync(file, "utf8") }))
      .filter(({ name, code: own }) => new RegExp(`function\\*? ${name}\\b`).test(own));
  });
}

/** The block comment that ends right before `at`, without its stars. */
function commentBefore(code, at) {
  const before = code.slice(0, at).trimEnd();
  if (!before.endsWith("*/")) return undefined;
  const start = before.lastIndexOf("/**");
  return start < 0
    ? undefined
    : before
        .slice(start + 3, -2)
        .split("\n")
        .map((line) => line.replace(/^\s*\* ?/, ""))
        .join("\n")
        .trim();
}

function firstSentence(comment) {
  const [paragraph] = comment.split(/\n\s*\n|\n@|\n {4}/);
  const flat = paragraph.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
  // An initial, as of "D. Pelleg", ends no sentence.
  const end = /(?<!\b[A-Z])[.:;](?=\s+[A-Z`"(]|$)/.exec(flat);
  const sentence = end === null ? flat : flat.slice(0, end.index);
  return `${sentence.replace(/[.:,;]$/, "")}.`;
}

/** Name, parameters and result, on one line. */
function signature(code, at) {
  const from = code.indexOf("function", at) + "function".length;
  let depth = 0;
  let p = from;
  for (; p < code.length; p++) {
    if ("([{<".includes(code[p])) {
      // The brace of the body is the first one outside all brackets that does not begin a type.
      if (code[p] === "{" && depth === 0 && !/[:|&]\s*$/.test(code.slice(from, p))) break;
      depth++;
    } else if (code[p] === ";" && depth === 0) break;
    else if (")]}>".includes(code[p]) && code[p - 1] !== "=") depth--;
  }
  return code.slice(from, p).replaceAll(/\s+/g, " ").replaceAll(/\( /g, "(").replaceAll(/,? \)/g, ")").trim();
}
