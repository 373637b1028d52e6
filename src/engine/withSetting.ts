import { answer, type Engine } from "./engine.ts";

/** Works under a setting of the session of Spark, which is restored afterwards. */
export async function withSetting<T>(
  engine: Engine,
  [setting, value, usual]: readonly [setting: string, value: string, usual: string],
  work: () => Promise<T>,
): Promise<T> {
  const { names, columns } = await answer(engine, `set ${setting}`);
  const before = String(columns[names.indexOf("value")]?.[0] ?? usual);
  await engine.run(`set ${setting}=${value}`);
  try {
    return await work();
  } finally {
    // A lost engine has no session to restore.
    await engine.run(`set ${setting}=${before}`).catch(() => undefined);
  }
}
