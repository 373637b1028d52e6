// A few lines of test runner, for the page and its worker.
export const results = [];

export async function test(name, body) {
  try {
    await body();
    results.push({ name });
  } catch (error) {
    results.push({ name, error: String(error?.stack ?? error) });
  }
}

export function expect(condition, message) {
  if (!condition) throw new Error(message);
}
