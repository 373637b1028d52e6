import { fileURLToPath } from "node:url";

/** The command as it was built. This file lies in test/fuzz, its bundle in .fuzz. */
export const builtCommand: string = fileURLToPath(
  new URL(
    import.meta.url.includes("/test/fuzz/") ? "../../dist/cli/main.js" : "../dist/cli/main.js",
    import.meta.url,
  ),
);
