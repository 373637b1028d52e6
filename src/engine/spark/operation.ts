/**
 * A plan run on the server with reattachable execution: the operation and each response have a name, so after
 * a broken stream ReattachExecute continues after the last received response, without loss or repetition. A
 * server also ends long or old streams on purpose; only ResultComplete marks the end.
 */
import { inputError } from "../../core/internal.ts";
import { CONNECT_MILLISECONDS, type Channel } from "./grpc.ts";
import { GrpcError, RESOURCE_EXHAUSTED } from "./grpcStatus.ts";
import {
  executeRequest,
  interruptRequest,
  PATHS,
  reattachRequest,
  readResponse,
  releaseRequest,
  type SessionHead,
} from "./messages.ts";
import { isKnownOperation, isRetryable, isUnknownOperation } from "./sparkError.ts";

export interface RetryPolicy {
  /** Number of consecutive attempts. */
  readonly retries: number;
  /** The first wait, in milliseconds. */
  readonly backoff: number;
}

const LONGEST_WAIT = 10_000;
/** After failures for so long there is no further attempt: a connection that nobody answers takes long to fail. */
const LONGEST_TROUBLE = 60_000;
const HOUSEKEEPING_MILLISECONDS = 10_000;
/** A stream that ends this soon without a response is not progress. */
const SOON_MILLISECONDS = 1000;

/**
 * Milliseconds: each wait is four times as long as the last, plus up to half at random, so that many clients do
 * not return at once.
 */
export function waitOf(retry: number, policy: RetryPolicy): number {
  return Math.min(policy.backoff * 4 ** retry, LONGEST_WAIT) * (1 + Math.random() / 2);
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

export interface Operation {
  /** The Arrow streams of the answer. */
  batches(): AsyncGenerator<Uint8Array, void, undefined>;
  /** Ends it on the server, if it has not ended. */
  interrupt(): Promise<void>;
}

/** @param releasing receives the promise that the server was finally told to release everything */
export function operation(
  channel: Channel,
  head: SessionHead,
  plan: Uint8Array,
  policy: RetryPolicy,
  releasing: (released: Promise<void>) => void,
): Operation {
  const operationId = crypto.randomUUID();
  const execute = executeRequest(head, operationId, plan);
  let last: string | undefined;
  let complete = false;
  let stopped = false;

  const buffer = releaser(channel, (until) => releaseRequest(head, operationId, until));
  const received = (bytes: Uint8Array): Uint8Array | undefined => {
    const response = readResponse(bytes);
    if (response.serverSessionId !== "") {
      head.serverSessionId ??= response.serverSessionId;
      if (head.serverSessionId !== response.serverSessionId) {
        throw inputError("Spark lost the session: the server was restarted");
      }
    }
    last = response.responseId;
    complete = response.complete;
    if (!complete) buffer.until(last);
    return response.arrow;
  };

  async function* batches(): AsyncGenerator<Uint8Array, void, undefined> {
    let begun = false;
    let failures = 0;
    let since = 0; // the first of the failures in a row
    let ended = false; // by the server
    let lost = false;
    try {
      for (;;) {
        const start = performance.now();
        let progress = false;
        try {
          const stream = begun
            ? channel.stream(PATHS.reattach, reattachRequest(head, operationId, last))
            : channel.stream(PATHS.execute, execute);
          begun = true;
          for await (const bytes of stream) {
            progress = true;
            failures = 0;
            const arrow = received(bytes);
            if (arrow !== undefined) yield arrow;
          }
          if (complete) return;
          if (progress || performance.now() - start > SOON_MILLISECONDS) continue;
        } catch (error) {
          if (complete) return;
          if (stopped) throw inputError("Spark: the query was cancelled");
          const unsent = last === undefined && isUnknownOperation(error);
          if (!unsent && !isKnownOperation(error) && !isRetryable(error)) {
            ended = error instanceof GrpcError && error.code !== RESOURCE_EXHAUSTED;
            throw error;
          }
          // A stream may have worked for long before it broke; an attempt to connect has not.
          const now = performance.now();
          const took = Math.min(now - start, CONNECT_MILLISECONDS);
          if (failures === 0) since = now - took;
          lost = failures >= policy.retries || now - since + took > LONGEST_TROUBLE;
          if (lost) throw error;
          // The plan has not arrived: it is sent again, under the same name.
          if (unsent) begun = false;
        }
        if (failures >= policy.retries) {
          throw inputError("Spark repeatedly ends the answer without a reason");
        }
        await sleep(waitOf(failures++, policy));
      }
    } finally {
      // An unreachable server gets no request; it discards unfetched results itself.
      if (!lost) {
        if (!ended) await interrupt();
        releasing(buffer.all());
      }
    }
  }

  async function interrupt(): Promise<void> {
    if (stopped || complete) return;
    stopped = true;
    // A failure here changes nothing for the caller.
    await channel
      .unary(PATHS.interrupt, interruptRequest(head, operationId), HOUSEKEEPING_MILLISECONDS)
      .catch(() => undefined);
  }
  return { batches, interrupt };
}

/** Tells the server what it can release: one call at a time, always for the newest response. */
function releaser(
  channel: Channel,
  request: (until: string | undefined) => Uint8Array,
): { until(id: string): void; all(): Promise<void> } {
  let newest: string | undefined;
  let running: Promise<void> | undefined;
  const release = async (until: string | undefined): Promise<void> => {
    await channel.unary(PATHS.release, request(until), HOUSEKEEPING_MILLISECONDS).catch(() => undefined);
  };
  const run = async (): Promise<void> => {
    while (newest !== undefined) {
      const until = newest;
      newest = undefined;
      await release(until);
    }
    running = undefined;
  };
  return {
    until(id) {
      newest = id;
      running ??= run();
    },
    async all() {
      newest = undefined;
      await running;
      await release(undefined);
    },
  };
}
