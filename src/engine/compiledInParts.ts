import { answer, type Engine } from "./engine.ts";

const WHOLE_STAGE = "spark.sql.codegen.wholeStage";

/**
 * Runs statements with much arithmetic. Spark compiles a stage into one method, and the virtual machine only
 * interprets a method of more than 8000 bytes: the distances to 20 centres in 10 columns then take ten times
 * as long. Without whole-stage code generation the expressions are compiled one by one. The setting belongs
 * to this session, and is restored afterwards.
 */
export async function compiledInParts<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  if (engine.dialect.engine !== "spark") return work();
  const { names, columns } = await answer(engine, `set ${WHOLE_STAGE}`);
  const before = String(columns[names.indexOf("value")]?.[0] ?? "true");
  await engine.run(`set ${WHOLE_STAGE}=false`);
  try {
    return await work();
  } finally {
    // A lost engine has no session to restore.
    await engine.run(`set ${WHOLE_STAGE}=${before}`).catch(() => undefined);
  }
}
