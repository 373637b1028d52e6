// Links between pages of Markdown, turned into links between pages of the site, and headings that can be linked to.
import { posix } from "node:path";

/**
 * Makes markdown-it write the addresses of the site. Links to files that are not pages become plain words.
 */
export function linked(markdown, pages) {
  const addresses = new Map(pages.map(({ source, address }) => [source, address]));
  markdown.core.ruler.push("site-links", ({ tokens, env }) => {
    const { address } = pages.find((page) => env.page.url === `/${page.address}`) ?? {};
    const source = pages.find((page) => page.address === address)?.source;
    if (source === undefined) return;
    const taken = new Map();
    tokens.forEach((token, i) => {
      if (token.type === "heading_open") token.attrSet("id", anchor(tokens[i + 1], taken));
      if (token.type === "inline") inline(token, source, address);
    });
  });

  function inline({ children }, source, address) {
    const open = [];
    for (const token of children) {
      if (token.type === "image") token.attrSet("src", pictureAt(token.attrGet("src"), source, address));
      if (token.type === "link_open") {
        const target = targetOf(token.attrGet("href"), source, address);
        if (target === undefined) token.tag = "span";
        if (target === undefined) token.attrs = [];
        else token.attrSet("href", target);
        open.push(token);
      }
      if (token.type === "link_close") token.tag = open.pop().tag;
    }
  }

  function targetOf(href, source, address) {
    if (/^[a-z]+:/.test(href) || href.startsWith("#")) return href;
    const [file, hash] = href.split("#");
    const target = posix.join(posix.dirname(source), file);
    const to = target === "README.md" ? "index.html" : addresses.get(target);
    if (to === undefined)
      return target.startsWith("docs/figures/") ? pictureAt(href, source, address) : undefined;
    return posix.relative(posix.dirname(address), to) + (hash === undefined ? "" : `#${hash}`);
  }
}

function pictureAt(src, source, address) {
  if (/^[a-z]+:/.test(src)) return src;
  const target = posix.join(posix.dirname(source), src).replace(/^docs\//, "");
  return posix.relative(posix.dirname(address), target);
}

/** The anchor of a heading, as code hosts write it: lower case, hyphens, a number for repeated ones. */
function anchor({ content }, taken) {
  const base = content
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
  const times = taken.get(base) ?? 0;
  taken.set(base, times + 1);
  return times === 0 ? base : `${base}-${times}`;
}
