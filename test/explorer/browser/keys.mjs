// Keys alone, as somebody without a mouse presses them. After every key something that is there must have the focus, and
// it must be seen.
import assert from "node:assert/strict";

/** Tabs after which a thing counts as out of reach. */
const MOST = 400;

/** Presses a key, and looks where the focus is. */
export async function press(page, key) {
  await page.keyboard.press(key);
  await focusSeen(page, key);
}

/** What has the focus is not the page itself, is on the screen, and is marked. */
export async function focusSeen(page, after) {
  const found = await page.evaluate(
    (after) =>
      new Promise((resolve) => {
        // What the key changed is drawn, and what it took away is gone; Tab changes nothing.
        if (after.endsWith("Tab")) look();
        else requestAnimationFrame(() => requestAnimationFrame(look));
        function look() {
          const element = document.activeElement;
          if (element === null || element === document.body) return resolve("nothing has the focus");
          const words = `${element.tagName.toLowerCase()} ${element.ariaLabel ?? element.textContent.slice(0, 40)}`;
          const shown = element.matches(".unseen") ? element.closest("label") : element;
          const { left, right, top, bottom } = shown.getBoundingClientRect();
          if (right < 0 || bottom < 0 || left > innerWidth || top > innerHeight)
            return resolve(`${words} is out of sight: ${left}, ${top}`);
          const { outlineStyle, outlineWidth } = getComputedStyle(shown);
          const marked = outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
          return resolve(marked ? "" : `${words} is not marked`);
        }
      }),
    after,
  );
  assert.equal(found, "", `after ${after}`);
}

/** Tab by Tab, or back, until this has the focus. */
export async function tabTo(page, wanted, key = "Tab") {
  const locator = typeof wanted === "string" ? page.locator(wanted) : wanted;
  await locator.first().waitFor({ state: "attached" });
  for (let k = 0; k < MOST; k++) {
    if (await locator.first().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
    // Behind the last element the focus is on the browser for one key.
    if (!(await page.evaluate(() => document.activeElement === document.body))) await focusSeen(page, key);
  }
  throw new Error(`${key} never reaches ${locator}`);
}

/** F6 by F6 until the focus is in this part of the page, then Tab. */
export async function goTo(page, part, wanted) {
  for (let k = 0; k < 12; k++) {
    if (await page.evaluate((css) => document.activeElement.closest(css) !== null, part)) break;
    await press(page, "F6");
    assert.ok(k < 11, `F6 never reaches ${part}`);
  }
  if (wanted !== undefined) await tabTo(page, wanted);
}

/** Goes to something and presses Enter on it. */
export async function enter(page, part, wanted) {
  await goTo(page, part, wanted);
  await press(page, "Enter");
}

/** Opens a tab at the side by the arrow keys. */
export async function showTab(page, name) {
  const tab = page.getByRole("tab", { name });
  await goTo(page, ".side");
  await tabTo(page, page.locator("[role=tab][aria-selected=true]"), "Shift+Tab");
  for (let k = 0; k < 6 && (await tab.getAttribute("aria-selected")) !== "true"; k++) {
    await press(page, "ArrowRight");
  }
  assert.equal(await tab.getAttribute("aria-selected"), "true", name);
}

/** Writes into the field that has the focus, in place of what it holds. */
export async function write(page, text) {
  await page.keyboard.press("Control+a");
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.type(text);
  await focusSeen(page, `writing ${text}`);
}

/** Chooses a file where the focus is on the field for one: the browser's own dialog is not part of the page. */
export async function chooseFile(page, name, text) {
  const field = page.locator("input[type=file]").first();
  await tabTo(page, field);
  await field.setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
}
