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

/**
 * Runs statements with much arithmetic. Spark compiles a stage into one method, and the virtual machine only
 * interprets a method of more than 8000 bytes: the distances to 20 centres in 10 columns then take ten times
 * as long. Without whole-stage code generation the expressions are compiled one by one. The setting belongs
 * to this session, and is restored afterwards.
 */
export async function compiledInParts<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  if (engine.dialect.engine !== "spark") return work();
  return withSetting(engine, ["spark.sql.codegen.wholeStage", "false", "true"], work);
}
