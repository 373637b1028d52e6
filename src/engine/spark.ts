import { inputError, rule } from "../core/internal.ts";
import { sparkDialect } from "./dialect.ts";
import { type Engine, statementsOf } from "./engine.ts";
import { openChannel } from "./spark/grpc.ts";
import { GrpcError } from "./spark/grpcStatus.ts";
import {
  commandPlan,
  PATHS,
  queryPlan,
  readVersion,
  releaseSessionRequest,
  versionRequest,
  type SessionHead,
} from "./spark/messages.ts";
import { operation, sleep, waitOf, type Operation, type RetryPolicy } from "./spark/operation.ts";
import { parseRemote } from "./spark/remote.ts";
import { isRetryable, sparkError } from "./spark/sparkError.ts";

const RULES = {
  /** The connection string: sc://host:15002/;token=...;use_ssl=true;user_id=... */
  remote: rule.required(rule.text("a connection string such as sc://host:15002")),
  /** Number of consecutive retries of a call when the connection breaks or the server is not available. */
  retries: rule.integer({ min: 0, default: 8 }),
  /** The wait before the first retry in milliseconds; each further wait is four times as long. */
  backoff: rule.real({ above: 0, default: 50 }),
  /** Statements to run first, in the session: `use catalog.schema; set spark.sql.ansi.enabled=false`. */
  setup: rule.given<string>("statements of SQL", (value) => typeof value === "string", ""),
};

export type SparkOptions = rule.OptionsOf<typeof RULES>;

const GREETING_MILLISECONDS = 60_000;
const FAREWELL_MILLISECONDS = 5000;

/** A Spark cluster through its Spark Connect server (Spark 4); needs Node. */
export async function spark(options: SparkOptions): Promise<Engine> {
  const { remote: text, setup, ...policy } = rule.resolveOptions("spark", options, RULES);
  const remote = parseRemote(text);
  const channel = openChannel(remote);
  const head: SessionHead = {
    sessionId: remote.sessionId ?? crypto.randomUUID(),
    userId: remote.userId,
    clientType: remote.userAgent,
    serverSessionId: undefined,
  };
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw sparkError(error, remote);
    }
  };
  const greeting = await told(() =>
    greeted(policy, () => channel.unary(PATHS.analyze, versionRequest(head), GREETING_MILLISECONDS)),
  ).catch((error: unknown) => {
    channel.close();
    throw error;
  });
  const { version, serverSessionId } = readVersion(greeting);
  if (serverSessionId !== "") head.serverSessionId = serverSessionId;

  const operations = new Set<Operation>();
  const releases = new Set<Promise<void>>();
  const releasing = (released: Promise<void>): void => {
    releases.add(released);
    void released.then(() => releases.delete(released));
  };
  let closed = false;
  async function* batches(plan: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    if (closed) throw inputError("Spark: the engine is closed");
    const current = operation(channel, head, plan, policy, releasing);
    operations.add(current);
    try {
      yield* current.batches();
    } catch (error) {
      throw sparkError(error, remote);
    } finally {
      operations.delete(current);
    }
  }
  const engine: Engine = {
    name: `Spark ${version}`,
    dialect: sparkDialect,
    async *query(sql) {
      // Loaded here, so users of another engine do not load an Arrow reader.
      const { readArrowBatch } = await import("./spark/arrowBatch.ts");
      for await (const bytes of batches(queryPlan(sql))) {
        const batch = readArrowBatch(bytes);
        if (batch.rows > 0) yield batch;
      }
    },
    async run(sql) {
      for await (const _ of batches(commandPlan(sql)));
    },
    async close() {
      if (closed) return;
      closed = true;
      await Promise.all([...Array.from(operations, (current) => current.interrupt()), ...releases]);
      // Until the server has undone what a statement was writing.
      const latest = performance.now() + FAREWELL_MILLISECONDS;
      while (operations.size > 0 && performance.now() < latest) await sleep(20);
      // A joined session belongs to somebody else.
      if (remote.sessionId === undefined) {
        await channel
          .unary(PATHS.releaseSession, releaseSessionRequest(head), FAREWELL_MILLISECONDS)
          .catch(() => undefined);
      }
      channel.close();
    },
  };
  try {
    for (const statement of statementsOf(setup, "spark", "the setup")) await engine.run(statement);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

/** The first call: an unreachable server is most often a wrong address, so there is no long wait. */
async function greeted(policy: RetryPolicy, call: () => Promise<Uint8Array>): Promise<Uint8Array> {
  for (let retry = 0; ; retry++) {
    try {
      return await call();
    } catch (error) {
      const hopeless = error instanceof GrpcError && error.transport;
      if (hopeless || !isRetryable(error) || retry >= policy.retries) throw error;
      await sleep(waitOf(retry, policy));
    }
  }
}
