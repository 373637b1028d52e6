// npm run build:site [-- FOLDER]: builds the site into dist-site/ or FOLDER: the docs, and the explorer as a
// live page. Then every link inside it is checked.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Eleventy } from "@11ty/eleventy";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(process.argv[2] ?? join(root, "dist-site"));
process.chdir(root);
rmSync(out, { recursive: true, force: true });

const docs = new Eleventy("site", relative(root, out), {
  configPath: "site/eleventy.config.mjs",
  quietMode: true,
});
await docs.write();

const explorer = join(root, "dist", "explorer");
if (!existsSync(explorer)) throw new Error("dist/explorer is missing: run npm run build first");
cpSync(explorer, join(out, "explorer"), { recursive: true });

const pages = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".html"),
);
const texts = new Map(pages.map((name) => [posix.normalize(name), readFileSync(join(out, name), "utf8")]));
const broken = [...texts].flatMap(([page, text]) =>
  [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].flatMap(([, target]) =>
    leads(page, target) ? [] : [`${page}: ${target}`],
  ),
);
if (broken.length > 0) {
  console.error(`The site has links that lead nowhere:\n${broken.join("\n")}`);
  process.exitCode = 1;
} else console.log(`${relative(root, out)}: ${pages.length} pages, every link leads somewhere`);

/** Whether a link inside the site has a page and, if it names one, a heading. */
function leads(page, target) {
  if (/^[a-z]+:/.test(target)) return true;
  const [file, hash] = target.split("#");
  const to = file === "" ? page : posix.join(posix.dirname(page), decodeURI(file));
  if (!existsSync(join(out, to))) return false;
  return hash === undefined || !texts.has(to) || texts.get(to).includes(` id="${hash}"`);
}
