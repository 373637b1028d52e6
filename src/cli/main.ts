#!/usr/bin/env node
try {
  const { program } = await import("./program.ts");
  process.exitCode = await program(process.argv.slice(2));
} catch (error) {
  // Nothing of the command is loaded where its own files cannot be opened.
  if ((error as { code?: unknown }).code !== "EMFILE") throw error;
  process.stderr.write(
    "kindred: this process may not open as many files as it needs; allow more (ulimit -n)\n",
  );
  process.exitCode = 1;
}
