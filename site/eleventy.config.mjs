// The site: every page of docs/ as HTML, a home page, search, and the explorer as a live page. All addresses
// are relative: the folder works on any host and in any sub-folder; the docs also open from the disk. `npm
// run build:site` runs it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import highlight from "@11ty/eleventy-plugin-syntaxhighlight";
import { home } from "./home.mjs";
import { layout } from "./layout.mjs";
import { linked } from "./links.mjs";
import { readPages, root } from "./pages.mjs";
import { partsOf, searchIndex } from "./searchIndex.mjs";

export default function configure(eleventy) {
  const pages = readPages();
  const parts = [];

  eleventy.setUseGitIgnore(false);
  eleventy.setQuietMode(true);
  eleventy.addPlugin(highlight);
  eleventy.amendLibrary("md", (markdown) => linked(markdown, pages));
  for (const { source, address, text } of pages) {
    eleventy.addTemplate(`virtual/${source}`, text, { permalink: address });
  }
  eleventy.addTemplate("virtual/home.html", home(), { permalink: "index.html" });
  eleventy.addTransform("layout", function dressed(content) {
    const page = pages.find(({ address }) => this.page.url === `/${address}`);
    if (page !== undefined) parts.push(...partsOf(content, page));
    return layout({ content, page, pages });
  });
  for (const folder of ["images", "figures"]) {
    eleventy.addPassthroughCopy({ [`docs/${folder}`]: folder });
  }
  eleventy.addPassthroughCopy({
    "site/assets": "assets",
    "explorer/icon.svg": "assets/icon.svg",
    "node_modules/minisearch/dist/umd/index.js": "assets/minisearch.js",
  });
  eleventy.on("eleventy.after", ({ directories }) => {
    writeFileSync(join(root, directories.output, "assets", "search-index.js"), searchIndex(parts));
  });
  return {
    dir: { input: "site" },
    markdownTemplateEngine: false,
    htmlTemplateEngine: false,
  };
}
