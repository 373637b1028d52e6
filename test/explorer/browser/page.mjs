// What the explorer's tests do in the page, in the words of its users.
import { namedData, writeCsv } from "../../../dist/data/index.js";

/** A named set as the text of a CSV file. */
export async function csvOf(name, options = {}) {
  return [...writeCsv(await namedData(name, options))].join("");
}

/** Drops a file of text or bytes on the page, as from the desktop. */
export async function drop(page, name, contents) {
  const encoded = Buffer.from(contents).toString("base64");
  await page.evaluate(
    ({ name, encoded }) => {
      const carried = new DataTransfer();
      const bytes = Uint8Array.from(atob(encoded), (character) => character.codePointAt(0));
      carried.items.add(new File([bytes], name));
      document.body.dispatchEvent(
        new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }),
      );
    },
    { name, encoded },
  );
}

/** Waits for a result with so many clusters. */
export async function clusters(page, count = "\\d+") {
  await page.getByRole("heading", { name: new RegExp(`^${count} clusters?`) }).waitFor();
  await page.locator(".progress").waitFor({ state: "detached" });
}

/** The places on the screen of some rows: each is focused in the table, and its ring is read. */
export async function placesOf(page, rows) {
  const places = [];
  await openRows(page);
  for (const row of rows) {
    await page.getByLabel("Go to row").fill(String(row));
    await page.keyboard.press("Enter");
    places.push(await ring(page));
  }
  return places;
}

/** Where the row that is looked at is drawn, once the plot has found its size. */
export async function ring(page) {
  let last = await ringNow(page);
  for (let t = 0; t < 60; t++) {
    await page.waitForTimeout(80);
    const now = await ringNow(page);
    if (now.x === last.x && now.y === last.y) break;
    last = now;
  }
  return last;
}

async function ringNow(page) {
  await page.locator('.plot canvas[aria-busy="false"]').last().waitFor({ state: "attached" });
  const box = await page.locator(".plot").last().boundingBox();
  const circle = page.locator(".plot").last().locator(".ring.focused");
  const [x, y] = await circle.evaluate((one) => [
    Number(one.getAttribute("cx")),
    Number(one.getAttribute("cy")),
  ]);
  return { x: box.x + x, y: box.y + y };
}

/** The table of rows below the plot. */
export async function openRows(page) {
  const toggle = page.getByRole("button", { name: "Rows", exact: true });
  if ((await toggle.getAttribute("aria-expanded")) !== "true") await toggle.click();
}

/** Gives a cluster a name. */
export async function nameCluster(page, cluster, name) {
  await page.getByRole("button", { name: `Rename cluster ${cluster}`, exact: true }).click();
  await page.getByLabel(`Name of cluster ${cluster}`).fill(name);
  await page.keyboard.press("Enter");
}

/** The clusters in the legend, by number. */
export async function namesOfClusters(page) {
  const texts = await page.locator(".legend .cluster-name").allTextContents();
  const named = texts.map((text) => /^Cluster (\d+): (.*)$/s.exec(text));
  return named.reduce((names, [, k, name]) => Object.assign(names, { [k]: name }), []);
}

export async function tab(page, name) {
  await page.getByRole("tab", { name }).click();
}

/** The labels as the download has them. */
export async function labels(page) {
  await tab(page, "Export");
  const text = await saved(page, () => page.getByRole("button", { name: "Labels CSV" }).click());
  return text
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => Number(/(-?\d+),(?:"(?:[^"]|"")*"|[^,"]*)$/.exec(line)?.[1]));
}

/** The text of the file that an action saves. */
export async function saved(page, act) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  const parts = [];
  for await (const part of await download.createReadStream()) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

export async function problem(page) {
  const alert = page.getByRole("alert");
  await alert.waitFor();
  return (await alert.textContent()) ?? "";
}

export async function mouseLasso(page, points) {
  await page.mouse.move(points[0].x, points[0].y);
  await page.mouse.down();
  for (const { x, y } of points.slice(1)) await page.mouse.move(x, y, { steps: 3 });
  await page.mouse.up();
}

/** Frames a second over the next two seconds. */
export function framesPerSecond(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let frames = 0;
        const begin = performance.now();
        const count = () => {
          frames++;
          if (performance.now() - begin < 2000) requestAnimationFrame(count);
          else resolve((1000 * frames) / (performance.now() - begin));
        };
        requestAnimationFrame(count);
      }),
  );
}

/** Waits for another pair to judge than the last; the names of its two rows. */
export async function nextPair(page, last) {
  await page.waitForFunction((known) => {
    const names = [...document.querySelectorAll(".pair thead th")].map((one) => one.textContent).join();
    return names !== "" && names !== known;
  }, last.join());
  return page.locator(".pair thead th").allTextContents();
}
