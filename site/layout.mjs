// The frame of every page: menu, search, light and dark.
import { posix } from "node:path";
import { SECTIONS } from "./pages.mjs";

/** A whole page. `page` is undefined for the home page. */
export function layout({ content, page, pages }) {
  const address = page?.address ?? "index.html";
  const to = (target) => posix.relative(posix.dirname(address), target);
  // Elements that scroll sideways can be reached by the keyboard.
  const wide = content
    .replaceAll(/<table>[^]*?<\/table>/g, (table) => `<div class="wide" tabindex="0">${table}</div>`)
    .replaceAll("<pre", '<pre tabindex="0"');
  return `<!doctype html>
<html lang="en" data-up="${to("") || "."}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page === undefined ? "Kindred: groups you can trust, explain and deploy" : `${escaped(page.title)} · Kindred`}</title>
<link rel="icon" href="${to("assets/icon.svg")}">
<link rel="stylesheet" href="${to("assets/style.css")}">
<script defer src="${to("assets/site.js")}"></script>
</head>
<body${page === undefined ? ' class="home"' : ""}>
<a class="skip" href="#content">Skip to the page</a>
<header>
<a class="brand" href="${to("index.html")}"><img src="${to("assets/icon.svg")}" alt="" width="24" height="24">Kindred</a>
<nav aria-label="Site">
<a href="${to("tutorials/five-minutes.html")}">Start</a>
<a href="${to("how-to/gallery.html")}">Gallery</a>
<a href="${to("documentation.html")}">Docs</a>
<a href="${to("explorer/index.html")}">Try it</a>
</nav>
<form role="search" class="search">
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" aria-controls="hits">
<ol id="hits" aria-live="polite" hidden></ol>
</form>
</header>
${page === undefined ? "" : menu(page, pages, to)}
<main id="content">
${wide}
</main>
<footer><p>Kindred, MIT license. No cookies, no tracking: this page sends nothing to anyone.</p></footer>
</body>
</html>
`;
}

function menu(page, pages, to) {
  const sections = Object.entries(SECTIONS).map(([section, title]) => {
    const items = pages
      .filter((other) => other.section === section)
      .map(({ address, title: name }) => {
        const here = address === page.address ? ' aria-current="page"' : "";
        return `<li><a href="${to(address)}"${here}>${escaped(name)}</a></li>`;
      });
    const open = section === page.section ? " open" : "";
    return `<details${open}><summary>${title}</summary><ul>${items.join("")}</ul></details>`;
  });
  return `<nav class="menu" aria-label="Documentation">${sections.join("\n")}</nav>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
