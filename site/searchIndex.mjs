// The search index: every part of a page under its heading.
import MiniSearch from "minisearch";

const OPTIONS = { fields: ["title", "heading", "text"], storeFields: ["title", "heading", "address"] };

/** The parts of a page, cut at its headings. */
export function partsOf(html, { title, address }) {
  return html.split(/(?=<h[1-3] id=")/).map((part) => {
    const [, id = "", heading = title] = /^<h[1-3] id="([^"]*)">([^]*?)<\/h[1-3]>/.exec(part) ?? [];
    return { title, heading: plain(heading), text: plain(part), address: `${address}${id && `#${id}`}` };
  });
}

/** A script that passes the index to the page; a script, because pages on a disk cannot fetch. */
export function searchIndex(parts) {
  const index = new MiniSearch(OPTIONS);
  index.addAll(parts.map((part, id) => ({ id, ...part })));
  return `window.kindredSearch = ${JSON.stringify({ options: OPTIONS, index: JSON.stringify(index) })};\n`;
}

function plain(html) {
  return html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(
      /&(lt|gt|amp|quot|#39);/g,
      (_, name) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" })[name],
    )
    .replaceAll(/\s+/g, " ")
    .trim();
}
