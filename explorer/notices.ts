import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Where the notices are, beside the page. */
const FILE = "THIRD-PARTY.txt";

/**
 * Two plugins, for the page and for its workers: they record the packages in the bundles, and write the name,
 * the version and the licence text of each into one file. A package without a licence text ends the build.
 */
export function notices(): { readonly page: Plugin; readonly worker: Plugin } {
  const folders = new Set<string>();
  const note = (bundle: Readonly<Record<string, { readonly type: string }>>): void => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      for (const id of (chunk as unknown as { readonly moduleIds: readonly string[] }).moduleIds) {
        const folder = packageFolder(id);
        if (folder !== undefined) folders.add(folder);
      }
    }
  };
  return {
    worker: {
      name: "notices-of-workers",
      generateBundle: (_, bundle) => note(bundle),
    },
    page: {
      name: "notices",
      generateBundle(_, bundle) {
        note(bundle);
        const texts = [...folders].map(notice).sort();
        const head = "The explorer contains code of these packages:\n";
        this.emitFile({ type: "asset", fileName: FILE, source: [head, ...texts].join("\n") });
      },
    },
  };
}

/** ".../node_modules/@preact/signals" of a module in it; nothing for our own sources. */
function packageFolder(id: string): string | undefined {
  return /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)?.[1];
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
  if (file === undefined || !existsSync(join(folder, file))) {
    throw new Error(`${name} has no licence text in ${folder}, and the explorer bundles it`);
  }
  const text = readFileSync(join(folder, file), "utf8").trim();
  return `${"-".repeat(72)}\n${name} ${version} (${license ?? "see below"})\n\n${text}\n`;
}
