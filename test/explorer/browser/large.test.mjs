import assert from "node:assert/strict";
import { clusters, framesPerSecond, openRows, tab } from "./page.mjs";

/** Watches, from the first navigation on, for tasks that keep the page from answering; the longest since the last call. */
async function watchTasks(page) {
  await page.addInitScript(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => {
      for (const { duration, startTime } of list.getEntries()) {
        globalThis.tasks.push({ duration, startTime });
      }
    }).observe({ entryTypes: ["longtask"] });
  });
  return () =>
    page.evaluate(() => Math.round(Math.max(0, ...globalThis.tasks.splice(0).map((one) => one.duration))));
}

/** Milliseconds from an act in the page to the frame that shows another count of rows, or another first row. */
function answered(page, act) {
  return page.evaluate(async (body) => {
    const shown = () =>
      `${document.querySelector(".table-bar .remark").textContent} ${document.querySelector(".rows tbody th")?.textContent}`;
    const before = shown();
    const start = performance.now();
    // eslint-disable-next-line no-new-func, typescript/no-implied-eval
    new Function(body)();
    while (shown() === before && performance.now() - start < 5000)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - start;
  }, act);
}

const BRUSH = `
  const svg = document.querySelectorAll(".histogram")[0];
  const { left, top, width } = svg.getBoundingClientRect();
  globalThis.at = 0.35 + (((globalThis.at ?? 0.35) - 0.35 + 0.371) % 0.6);
  const event = (type, share) => svg.dispatchEvent(new PointerEvent(type,
    { bubbles: true, pointerId: 1, clientX: left + share * width, clientY: top + 5 }));
  svg.setPointerCapture = () => {};
  svg.hasPointerCapture = () => true;
  event("pointerdown", 0.1); event("pointermove", globalThis.at); event("pointerup", globalThis.at);`;
const SEARCH = `
  const field = document.querySelector(".table-bar input[type=search]");
  field.value = field.value === "" ? "word 77 " : "";
  field.dispatchEvent(new Event("input", { bubbles: true }));`;
const sort = (place) => `document.querySelectorAll(".rows thead th button")[${place}].click();`;

export const tests = [
  {
    name: "100000 x 20 with a text: table, histograms, brush, search and order; long tasks",
    alone: true,
    fresh: true,
    limit: 600_000,
    async body({ page, address, tell }) {
      const longest = await watchTasks(page);
      const tasks = [];
      const until = async (phase) => tasks.push(`${phase} ${await longest()} ms`);
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      // In parts, so that making the file is no long task.
      await page.evaluate(async () => {
        const parts = [`${Array.from({ length: 20 }, (_, j) => `x${j}`).join(",")},words\n`];
        for (let i = 0; i < 100_000; i++) {
          const cells = Array.from({ length: 20 }, (_, j) =>
            (9 * Math.sin(7 * (i % 8) + 3 * j) + 4 * Math.random()).toFixed(4),
          );
          parts.push(`${cells.join(",")},"a text about row ${i} with word ${i % 997} in it"\n`);
          if (i % 500 === 0) await new Promise((resolve) => setTimeout(resolve));
        }
        globalThis.large = new File(parts, "large.csv");
      });
      await until("start");
      const start = performance.now();
      await page.evaluate(() => {
        const carried = new DataTransfer();
        carried.items.add(globalThis.large);
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true }));
      });
      await page.getByRole("combobox", { name: "Method" }).waitFor({ timeout: 60_000 });
      await until("opening");
      const clustered = async (count) => {
        await page.locator("#clusters").fill(String(count));
        await page.keyboard.press("Enter");
        await page
          .getByRole("heading", { name: new RegExp(`^${count} clusters`) })
          .waitFor({ timeout: 120_000 });
        await page.locator(".progress").waitFor({ state: "detached", timeout: 120_000 });
      };
      await page.getByRole("combobox", { name: "Method" }).selectOption("kmeans");
      await clustered(8);
      tell(`read, clustered and drawn in ${((performance.now() - start) / 1000).toFixed(1)} s`);
      await openRows(page);
      await page.locator(".histogram").first().waitFor();
      await until("clustering");
      const figures = async (name, act, times, pause = 0) => {
        const list = [];
        for (let t = 0; t < times; t++) {
          await page.waitForTimeout(pause);
          list.push(await answered(page, act));
        }
        list.sort((a, b) => a - b);
        const [median, late] = [0.5, 0.95].map((share) => list[Math.floor(share * (times - 1))].toFixed(0));
        tell(
          `${name}: ${median} ms (median), ${late} ms (95 %), ${list.at(-1).toFixed(0)} ms (longest) of ${times}`,
        );
      };
      await figures("brush, histograms and table, as a person brushes", BRUSH, 20, 500);
      await figures("brushes that follow at once", BRUSH, 20);
      await until("brushing");
      await figures("search in all cells", SEARCH, 4);
      await figures("order by a number", sort(3), 2);
      await figures("order by the text", sort(1), 1);
      const scroll = await answered(page, `document.querySelector(".table-window").scrollTop = 1.5e6;`);
      tell(`scroll to the middle of the table: ${scroll.toFixed(0)} ms`);
      await until("search and order");
      await clustered(5);
      await until("clustering again");
      await page.getByRole("button", { name: "Two columns" }).click();
      await page.getByText("x0 across").waitFor();
      await page.getByRole("button", { name: "Colour by x3" }).click();
      await page.getByRole("button", { name: "Colour by cluster" }).waitFor();
      await until("other views");
      tell(`longest tasks of the page, from a new browser on: ${tasks.join(", ")}`);
      assert.ok(await page.getByText(/of 100,000/).count());
    },
  },
  {
    name: "1000000 points: frames while panning",
    alone: true,
    limit: 600_000,
    async body({ page, address, tell }) {
      const longest = await watchTasks(page);
      await page.goto(
        `${address}#data=blobs&data.rows=1000000&data.features=2&data.clusters=6&method=kmeans&k=6`,
      );
      await page.getByText("1,000,000 rows").first().waitFor({ timeout: 120_000 });
      await page.locator(".progress").waitFor({ state: "detached", timeout: 120_000 });
      await page.waitForTimeout(2000);
      await page.getByText("Lines hold 25, 50, 75, 95 % of the rows").waitFor();
      const box = await page.locator(".plot").boundingBox();
      tell(`longest task of the page until all is drawn: ${await longest()} ms`);
      await page.mouse.move(box.x + 200, box.y + 100);
      await page.mouse.down();
      const panned = async (name, place) => {
        const counting = framesPerSecond(page);
        const end = performance.now() + 2000;
        for (let i = 0; performance.now() < end; i++) await page.mouse.move(...place(i));
        const frames = await counting;
        tell(`${name}: ${frames.toFixed(0)} frames a second; longest task ${await longest()} ms`);
        return frames;
      };
      const frames = await panned("panning", (i) => [
        box.x + 200 + 60 * Math.sin(i / 8),
        box.y + 100 + (i % 90) / 3,
      ]);
      await panned("panning beyond the edges", (i) => [box.x + 300 + 280 * Math.sin(i / 20), box.y + 100]);
      await page.mouse.up();
      assert.ok(frames > 0);
    },
  },
  {
    name: "memory after 50 clusterings",
    limit: 200_000,
    async body({ page, address, context, tell }) {
      const session = await context.newCDPSession(page);
      // Of the page, its workers and its canvas, as the browser measures it.
      const heap = async () => {
        await session.send("HeapProfiler.collectGarbage");
        const { bytes } = await page.evaluate(() => performance.measureUserAgentSpecificMemory());
        return bytes / 1e6;
      };
      await page.goto(
        `${address}#data=blobs&data.rows=2000&data.features=6&data.clusters=5&method=kmeans&k=5`,
      );
      await clusters(page, 5);
      await tab(page, "Result");
      const first = await heap();
      for (let t = 0; t < 50; t++) {
        const k = 2 + ((t * 7) % 11);
        await page.locator("#clusters").fill(String(k));
        await page.keyboard.press("Enter");
        await clusters(page, k);
      }
      const last = await heap();
      tell(`page and workers: ${first.toFixed(1)} MB after the first, ${last.toFixed(1)} MB after 50 more`);
      assert.ok(last < 1.3 * first, `${last} MB`);
    },
  },
];
