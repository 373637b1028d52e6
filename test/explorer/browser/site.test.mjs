import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { clusters } from "./page.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const script = fileURLToPath(new URL("../../../scripts/build-site.mjs", import.meta.url));

/** A host that knows files and nothing else: no headers of its own. */
function host(folder) {
  return createServer((request, response) => {
    const path = new URL(request.url, "http://host").pathname.replace(/\/$/, "/index.html");
    const file = join(folder, path.replace(/^\/some\/place\//, ""));
    if (!path.startsWith("/some/place/") || !existsSync(file)) return response.writeHead(404).end();
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
}

export const tests = [
  {
    name: "the site's explorer works from any folder of a static host, with its examples",
    allowed: /served\.json|404|Content Security Policy/,
    async body({ page }) {
      const folder = mkdtempSync(join(tmpdir(), "kindred-site-"));
      const server = host(folder);
      try {
        execFileSync(process.execPath, [script, folder], { stdio: "ignore" });
        await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
        const address = `http://127.0.0.1:${server.address().port}/some/place/explorer/`;
        for (const [name, count] of [
          ["Wine 178", 3],
          ["Iris 150", 3],
          ["Iris, with hints", 3],
        ]) {
          await page.goto(address);
          await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
          await clusters(page, count);
          await page.goto("about:blank");
        }
        await page.goto(address);
        const reached = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(Boolean, () => false));
        assert.equal(reached, false);
      } finally {
        server.closeAllConnections();
        server.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];
