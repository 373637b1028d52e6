import { fileError, inputError, optionError } from "../../core/internal.ts";
import {
  CANCELLED,
  GrpcError,
  INTERNAL,
  PERMISSION_DENIED,
  RESOURCE_EXHAUSTED,
  UNAUTHENTICATED,
  UNAVAILABLE,
  UNIMPLEMENTED,
} from "./grpcStatus.ts";
import { readErrorDetails } from "./messages.ts";
import type { SparkRemote } from "./remote.ts";

/** The error on one line: in Spark's words if it concerns the query, otherwise about the connection. */
export function sparkError(error: unknown, remote: SparkRemote): unknown {
  if (!(error instanceof GrpcError)) return error;
  const oneLine = (message: string): string => firstLine(withoutToken(message, remote));
  const place = `${remote.host}:${remote.port}`;
  if (LOST.test(error.message)) {
    return fileError(
      `Spark lost the session: the server at ${place} was restarted, or ended it; begin again`,
      error,
    );
  }
  if (error.transport)
    return fileError(`no Spark Connect server answers at ${place}: ${oneLine(error.message)}`, error);
  switch (error.code) {
    case UNAUTHENTICATED:
    case PERMISSION_DENIED:
      return optionError(
        remote.token === undefined
          ? `Spark at ${place} asks for a token (token=... in the connection string)`
          : `Spark at ${place} refuses the token`,
      );
    case UNIMPLEMENTED:
      return fileError(
        `the server at ${place} is not a Spark Connect server (${oneLine(error.message)})`,
        error,
      );
    case UNAVAILABLE:
    case RESOURCE_EXHAUSTED:
    case CANCELLED:
      return fileError(`Spark at ${place}: ${oneLine(error.message)}`, error);
    default:
      return inputError(`Spark: ${withoutToken(wordsOf(error), remote)}`);
  }
}

const LOST = /INVALID_HANDLE\.SESSION_(?:NOT_FOUND|CHANGED|CLOSED)/;

/**
 * Whether the same call may be repeated: the server was busy, the connection broke, or another client took
 * the stream over.
 */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof GrpcError)) return false;
  return (
    error.code === UNAVAILABLE ||
    error.transport ||
    (error.code === INTERNAL && error.message.includes("INVALID_CURSOR.DISCONNECTED"))
  );
}

/** Whether the operation is unknown to the server. */
export function isUnknownOperation(error: unknown): boolean {
  return error instanceof GrpcError && /INVALID_HANDLE\.(?:OPERATION|SESSION)_NOT_FOUND/.test(error.message);
}

/** Whether the new operation already exists: the request arrived, its answer did not. */
export function isKnownOperation(error: unknown): boolean {
  return error instanceof GrpcError && error.message.includes("INVALID_HANDLE.OPERATION_ALREADY_EXISTS");
}

/** A server may repeat the request in its message. */
function withoutToken(message: string, { token }: SparkRemote): string {
  return token === undefined ? message : message.replaceAll(token, "(token)");
}

const LONGEST = 500;

function wordsOf(error: GrpcError): string {
  const details = error.details === undefined ? undefined : readErrorDetails(error.details);
  const words = firstLine(details?.message || error.message);
  const name = details?.errorClass;
  return name === undefined || words.includes(`[${name}]`) ? words : `[${name}] ${words}`;
}

/**
 * The first line without the SQL state and the position in the plan, which follow it, and without the task and the Java
 * class, which some versions put before the name of the error.
 */
function firstLine(message: string): string {
  const [first] = message.trim().split("\n");
  const words = first
    .replace(/\s*SQLSTATE: \w+.*$/, "")
    .replace(/^[^[]*Exception: (?=\[[A-Z])/, "")
    .trim();
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}...` : words || "no reason given";
}
