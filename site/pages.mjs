// The pages of the site: which file becomes which address, in which section of the menu.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Sections of the menu, by the folder of docs/. */
export const SECTIONS = {
  tutorials: "Start",
  "how-to": "Guides",
  methods: "Methods",
  reference: "Reference",
  explanation: "Explanation",
  project: "Project",
};

/** Pages outside of docs/. */
const OTHERS = [
  ["docs/README.md", "documentation.html", "project"],
  ["reproduction/README.md", "explanation/reproductions.html", "explanation"],
  ["CHANGELOG.md", "changes.html", "project"],
  ["CONTRIBUTING.md", "contributing.html", "project"],
  ["SECURITY.md", "security.html", "project"],
];

/** Every page: { source, address, section, title, text }. */
export function readPages() {
  const docs = Object.keys(SECTIONS)
    .filter((section) => section !== "project")
    .flatMap((section) =>
      readdirSync(join(root, "docs", section))
        .filter((name) => name.endsWith(".md"))
        .map((name) => [`docs/${section}/${name}`, `${section}/${name.replace(/md$/, "html")}`, section]),
    );
  return [...docs, ...OTHERS].map(([source, address, section]) => {
    const text = readFileSync(join(root, source), "utf8");
    const title = (/^# (.+)$/m.exec(text)?.[1] ?? source).replaceAll("`", "");
    return { source, address, section, title, text };
  });
}
