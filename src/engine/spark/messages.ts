/** The messages of Spark Connect (spark/connect/base.proto of Spark 3.5 and later) that an engine sends and receives. */
import { decode, encode, type FieldValue } from "./protobuf.ts";

export const PATHS = {
  execute: "/spark.connect.SparkConnectService/ExecutePlan",
  reattach: "/spark.connect.SparkConnectService/ReattachExecute",
  release: "/spark.connect.SparkConnectService/ReleaseExecute",
  interrupt: "/spark.connect.SparkConnectService/Interrupt",
  analyze: "/spark.connect.SparkConnectService/AnalyzePlan",
  releaseSession: "/spark.connect.SparkConnectService/ReleaseSession",
} as const;

/** The beginning of every request. */
export interface SessionHead {
  readonly sessionId: string;
  readonly userId: string;
  /** For the logs of the server. */
  readonly clientType: string;
  /** The server's own name of the session, once known; the server refuses a call if it has changed. */
  serverSessionId: string | undefined;
}

type Fields = readonly (readonly [number, FieldValue])[];

/** The numbers of client_type and of client_observed_server_side_session_id differ from message to message. */
function request(
  head: SessionHead,
  clientType: number,
  observed: number | undefined,
  fields: Fields,
): Uint8Array {
  return encode([
    [1, head.sessionId],
    [2, encode([[1, head.userId]])],
    [clientType, head.clientType],
    ...(observed === undefined ? [] : [[observed, head.serverSessionId] as const]),
    ...fields,
  ]);
}

/** A plan whose rows are wanted. */
export function queryPlan(sql: string): Uint8Array {
  return encode([[1, sqlRelation(sql)]]);
}

/** A plan that is run for its effect; servers before version 4 read the text, later ones the relation. */
export function commandPlan(sql: string): Uint8Array {
  const command = encode([
    [1, sql],
    [6, sqlRelation(sql)],
  ]);
  return encode([[2, encode([[5, command]])]]);
}

function sqlRelation(sql: string): Uint8Array {
  return encode([[10, encode([[1, sql]])]]);
}

export function executeRequest(head: SessionHead, operationId: string, plan: Uint8Array): Uint8Array {
  const reattachable = encode([[1, encode([[1, true]])]]);
  return request(head, 4, 8, [
    [3, plan],
    [5, reattachable],
    [6, operationId],
  ]);
}

export function reattachRequest(
  head: SessionHead,
  operationId: string,
  last: string | undefined,
): Uint8Array {
  return request(head, 4, 6, [
    [3, operationId],
    [5, last],
  ]);
}

/** Frees the server's copy of the answer up to a response, or all of it. */
export function releaseRequest(
  head: SessionHead,
  operationId: string,
  until: string | undefined,
): Uint8Array {
  return request(head, 4, 7, [
    [3, operationId],
    until === undefined ? [5, new Uint8Array(0)] : [6, encode([[1, until]])],
  ]);
}

export function interruptRequest(head: SessionHead, operationId: string): Uint8Array {
  const byOperation = 3;
  return request(head, 3, 7, [
    [4, byOperation],
    [6, operationId],
  ]);
}

export function versionRequest(head: SessionHead): Uint8Array {
  return request(head, 3, 17, [[10, new Uint8Array(0)]]);
}

export function releaseSessionRequest(head: SessionHead): Uint8Array {
  return request(head, 3, undefined, []);
}

export function readVersion(bytes: Uint8Array): { version: string; serverSessionId: string } {
  const answer = decode(bytes);
  return { version: answer.message(8).text(1), serverSessionId: answer.text(15) };
}

export interface ExecuteResponse {
  readonly serverSessionId: string;
  readonly responseId: string;
  /** An Arrow stream of one record batch. */
  readonly arrow: Uint8Array | undefined;
  readonly complete: boolean;
}

export function readResponse(bytes: Uint8Array): ExecuteResponse {
  const response = decode(bytes);
  return {
    serverSessionId: response.text(15),
    responseId: response.text(13),
    arrow: response.has(2) ? response.message(2).bytes(2) : undefined,
    complete: response.has(14),
  };
}

/** google.rpc.Status with google.rpc.ErrorInfo: Spark's name of the error, and its full message. */
export function readErrorDetails(bytes: Uint8Array): { message: string; errorClass: string | undefined } {
  const status = decode(bytes);
  const info = status.messages(3).find((any) => any.text(1).endsWith("google.rpc.ErrorInfo"));
  const entry = info
    ?.message(2)
    .messages(3)
    .find((pair) => pair.text(1) === "errorClass");
  return { message: status.text(2), errorClass: entry?.text(2) };
}
