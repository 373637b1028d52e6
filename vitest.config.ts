import { defineConfig } from "vitest/config";

export default defineConfig({
  // The explorer and the reproduction import the library by its name: here they get the sources.
  resolve: {
    alias: [
      { find: /^kindred$/, replacement: `${import.meta.dirname}/src/index.ts` },
      { find: /^kindred\/convex$/, replacement: `${import.meta.dirname}/src/recipes/index.ts` },
      { find: /^kindred\/(\w+)$/, replacement: `${import.meta.dirname}/src/$1/index.ts` },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
