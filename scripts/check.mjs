// Checks in turn, each run even when an earlier one failed; the last line is the sum.
let passed = 0;
let failed = 0;

/** Runs one check; what it returns is told beside its name. */
export async function check(name, body) {
  try {
    const told = await body();
    passed++;
    console.log(`ok: ${name}${told ? `, ${told}` : ""}`);
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}\n${error.message}`);
  }
}

/** Prints the sum, and lets the process fail with a check. */
export function closing() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
