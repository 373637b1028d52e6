// The search: its index is loaded when the field is first used.
const field = document.querySelector(".search input");
const hits = document.querySelector("#hits");
const up = document.documentElement.dataset.up;
let index;

field.addEventListener("focus", load, { once: true });
field.addEventListener("input", show);
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  hits.querySelector("a")?.click();
});
field.form.addEventListener("keydown", (event) => {
  const links = [field, ...hits.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && links[at + step] !== undefined) {
    event.preventDefault();
    links[at + step].focus();
  }
  if (event.key === "Escape") hits.hidden = true;
});
document.addEventListener("click", (event) => {
  if (!field.form.contains(event.target)) hits.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  }
});

async function load() {
  await script("minisearch.js");
  await script("search-index.js");
  index = MiniSearch.loadJSON(window.kindredSearch.index, window.kindredSearch.options);
  show();
}

function script(name) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = `${up}/assets/${name}`;
    element.onload = resolve;
    element.onerror = reject;
    document.head.append(element);
  });
}

function show() {
  const query = field.value.trim();
  hits.hidden = query === "" || index === undefined;
  if (hits.hidden) return;
  const found = index
    .search(query, { prefix: true, fuzzy: 0.15, boost: { title: 3, heading: 4 } })
    .slice(0, 12);
  hits.replaceChildren(...(found.length === 0 ? [line("Nothing found.")] : found.map(hit)));
}

function hit({ title, heading, address }) {
  const link = document.createElement("a");
  link.href = `${up}/${address}`;
  link.textContent = heading;
  if (heading !== title) {
    const where = document.createElement("small");
    where.textContent = title;
    link.append(where);
  }
  return line(link);
}

function line(content) {
  const item = document.createElement("li");
  item.append(content);
  return item;
}
