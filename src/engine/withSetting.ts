import { answer, isLost, type Engine } from "./engine.ts";

/** Works under a setting of the session of Spark, which is restored afterwards. */
export async function withSetting<T>(
  engine: Engine,
  [setting, value, usual]: readonly [setting: string, value: string, usual: string],
  work: () => Promise<T>,
): Promise<T> {
  const { names, columns } = await answer(engine, `set ${setting}`);
  const before = String(columns[names.indexOf("value")]?.[0] ?? usual);
  const restore = (): Promise<void> => engine.run(`set ${setting}=${before}`).catch(() => undefined);
  await engine.run(`set ${setting}=${value}`);
  const result = await work().catch(async (error: unknown) => {
    if (!isLost(error)) await restore();
    throw error;
  });
  await restore();
  return result;
}
