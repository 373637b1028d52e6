import type { Engine } from "./engine.ts";
import { withSetting } from "./withSetting.ts";

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
