import { answer, type Engine } from "./engine.ts";

const WHOLE_STAGE = "spark.sql.codegen.wholeStage";

/**
 * Runs statements of much arithmetic. Spark compiles a stage into one method, and a method of more than 8000 bytes is only
 * interpreted by its virtual machine: the distances to 20 centres in 10 columns then take ten times as long. Without code
 * for whole stages the expressions are compiled one by one. The setting is that of this session, and put back afterwards.
 */
export async function compiledInParts<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  if (engine.dialect.engine !== "spark") return work();
  const { names, columns } = await answer(engine, `set ${WHOLE_STAGE}`);
  const before = String(columns[names.indexOf("value")]?.[0] ?? "true");
  await engine.run(`set ${WHOLE_STAGE}=false`);
  try {
    return await work();
  } finally {
    // An engine that is lost has no session to put back.
    await engine.run(`set ${WHOLE_STAGE}=${before}`).catch(() => undefined);
  }
}
