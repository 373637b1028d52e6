// Writes the tables of methods and options into the pages of docs/ from the registries of src/method, between lines such
// as <!-- methods: metrics --> or <!-- options: metrics --> and <!-- end -->. With --check it only reports
// whether the pages are up to date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { loadedSource } from "./loadedSource.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const registries = await loadedSource("src/method/index.ts");
const { fallbackText, flagOf, optionText, shownOptions } = await loadedSource("src/core/options.ts");

/** The extra column of a family. */
const FAMILIES = {
  clusterings: { methods: registries.clusterings, heading: "needs", own: clusteringNeeds },
  metrics: { methods: registries.metrics, heading: "learns from", own: ({ needs }) => needs },
  selections: {
    methods: registries.selections,
    heading: "needs",
    own: ({ needs }) => (needs.labels === "required" ? "classes" : "the rows alone"),
  },
  classifiers: {
    methods: registries.classifiers,
    heading: "scaling",
    own: ({ scale }) => `\`${scale}\``,
  },
  embeddings: {
    methods: registries.embeddings,
    heading: "needs",
    own: ({ needs: { clusters } }) =>
      clusters === undefined
        ? "the rows alone"
        : `${clusters === "optional" ? "optional: " : ""}the number of clusters`,
  },
};

const pages = readdirSync(join(root, "docs"), { recursive: true })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join(root, "docs", name));
let late = false;
for (const page of pages) {
  const before = readFileSync(page, "utf8");
  const after = await filled(before, page);
  if (after === before) continue;
  late = true;
  if (process.argv.includes("--check")) {
    console.error(
      `${relative(root, page)} is not up to date: node scripts/method-tables.mjs writes its tables`,
    );
  } else writeFileSync(page, after);
}
if (late && process.argv.includes("--check")) process.exitCode = 1;

/** A page with its tables. */
async function filled(text, page) {
  const MARK = /<!-- (methods|options): (\w+) -->\n[^]*?<!-- end -->/g;
  let result = "";
  let from = 0;
  for (const match of text.matchAll(MARK)) {
    const [whole, what, name] = match;
    const family = FAMILIES[name];
    if (family === undefined) throw new Error(`${relative(root, page)}: there is no family "${name}"`);
    const lines = what === "methods" ? methodTable(family) : await optionTable(family);
    const block = [`<!-- ${what}: ${name} -->`, "", ...lines, "", "<!-- end -->"].join("\n");
    result += text.slice(from, match.index) + block;
    from = match.index + whole.length;
  }
  return result + text.slice(from);
}

function methodTable({ methods, heading, own }) {
  const when = methods.some((method) => method.when !== undefined);
  return table(
    ["method", "", "what it does", ...(when ? ["take it for"] : []), heading],
    methods.map((method) => [
      `\`${method.name}\``,
      method.title,
      method.sentence.replace(/\.$/, ""),
      ...(when ? [method.when] : []),
      own(method),
    ]),
  );
}

async function optionTable({ methods }) {
  const rows = [];
  for (const method of methods) {
    const { options } = await method.open();
    for (const [place, shown] of shownOptions(options).entries()) {
      rows.push([
        place === 0 ? `\`${method.name}\`` : "",
        `\`${flagText(shown)}\``,
        fallbackText(shown) ?? "",
        optionText(shown),
      ]);
    }
  }
  return table(["method", "option", "default", "what it does"], rows);
}

/** As typed: --gamma X, --no-center, --norm 1|2|inf. */
function flagText({ name, fallback, control: { kind, choices } }) {
  const flag = flagOf(name);
  if (kind === "flag") return fallback === true ? `--no-${flag.slice(2)}` : flag;
  return `${flag} ${choices?.join("|") ?? { integer: "N", number: "X", numbers: "LIST" }[kind]}`;
}

function clusteringNeeds({ needs: { clusters, instead, pairs, labels } }) {
  const parts = [
    ...(clusters === "required" ? ["the number of clusters"] : []),
    ...(instead === undefined ? [] : [`the number of clusters or \`${flagOf(instead)}\``]),
    ...(pairs === "required" ? ["pairs"] : []),
    ...(labels === "required" ? ["labels"] : []),
  ];
  const optional = [
    ...(clusters === "optional" && instead === undefined ? ["the number of clusters"] : []),
    ...(pairs === "optional" ? ["pairs"] : []),
    ...(labels === "optional" && instead !== "labels" ? ["labels"] : []),
  ];
  const needed = parts.length === 0 ? "nothing" : parts.join(", ");
  return optional.length === 0 ? needed : `${needed}; optional: ${optional.join(", ")}`;
}

function table(headings, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), `|${"---|".repeat(headings.length)}`, ...rows.map(line)];
}
