/**
 * The connection strings of Spark Connect (its "Client connection string" document):
 * sc://host:port/;parameter=value;parameter=value, the values percent-encoded. Unknown parameters are sent
 * with every call as metadata. No error shows any part of the string except known names: a wrong string may
 * contain a token anywhere.
 */
import { optionError } from "../../core/internal.ts";

export interface SparkRemote {
  readonly host: string;
  readonly port: number;
  /** Whether the connection is encrypted. */
  readonly tls: boolean;
  readonly token: string | undefined;
  readonly userId: string;
  readonly userAgent: string;
  /** The session to join; otherwise a new one is made. */
  readonly sessionId: string | undefined;
  /** In bytes. */
  readonly maxMessageSize: number;
  readonly metadata: Readonly<Record<string, string>>;
}

const PORT = 15002;
/** The size that a typed array can hold everywhere. */
const MAX_MESSAGE_SIZE = 2 ** 30;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Headers that gRPC itself sets. */
const RESERVED = /^(?:grpc-.*|:.*|content-type|te|authorization|user-agent|host|connection)$/;

export function parseRemote(text: string): SparkRemote {
  const match = /^sc:\/\/(\[[^\]]*\]|[^:/;[\]]*)(?::([^/;]*))?(\/.*)?$/.exec(text);
  if (match === null || match[1] === "") {
    throw optionError(
      "spark: the connection string must be like sc://host:15002/;token=... (it is not shown, as it may hold a token)",
    );
  }
  const [, host, portText, rest = "/"] = match;
  const port = portText === undefined ? PORT : Number(portText);
  if (!/^\d+$/.test(portText ?? "0") || port < 1 || port > 65535) {
    throw optionError("spark: the port in the connection string must be a number from 1 to 65535");
  }
  if (!/^(?:\[[0-9A-Fa-f:.%\w]+\]|[\w.-]+)$/.test(host)) {
    throw optionError("spark: the host in the connection string has characters that no name of a host has");
  }
  const [path, ...pairs] = rest.split(";");
  if (path !== "/") {
    throw optionError('spark: the connection string has no path; parameters begin with "/;"');
  }
  const parameters = readParameters(pairs);
  const take = (name: string): string | undefined => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value;
  };
  const token = take("token");
  const encrypted = take("use_ssl");
  if (encrypted !== undefined && encrypted !== "true" && encrypted !== "false") {
    throw wrong("use_ssl", "true or false");
  }
  const sessionId = take("session_id");
  if (sessionId !== undefined && !UUID.test(sessionId)) throw wrong("session_id", "a UUID");
  const size = take("grpc_max_message_size");
  if (size !== undefined && !/^[1-9]\d*$/.test(size))
    throw wrong("grpc_max_message_size", "a number of bytes");
  const userAgent = take("user_agent") ?? "kindred";
  if (userAgent.length > 2048)
    throw optionError("spark: the parameter user_agent has more than 2048 characters");
  return {
    host: host.replace(/^\[|\]$/g, ""),
    port,
    // A token uses an unencrypted connection only on this machine, or on request.
    tls: encrypted === undefined ? token !== undefined && !isLoopback(host) : encrypted === "true",
    token,
    userId: take("user_id") ?? "kindred",
    userAgent,
    sessionId,
    maxMessageSize: size === undefined ? MAX_MESSAGE_SIZE : Number(size),
    metadata: metadataOf(parameters),
  };
}

function readParameters(pairs: readonly string[]): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [k, pair] of pairs.entries()) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    const told = KNOWN.has(name) ? name : `number ${k + 1}`;
    if (at < 1) throw optionError(`spark: the parameter ${told} must be like name=value`);
    if (parameters.has(name)) throw optionError(`spark: the parameter ${told} is given twice`);
    let value: string;
    try {
      value = decodeURIComponent(pair.slice(at + 1));
    } catch {
      throw optionError(`spark: the parameter ${told} is not percent-encoded correctly`);
    }
    if (value === "") throw optionError(`spark: the parameter ${told} is empty`);
    parameters.set(name, value);
  }
  return parameters;
}

/** Names that may be shown. */
const KNOWN: ReadonlySet<string> = new Set([
  "token",
  "use_ssl",
  "user_id",
  "user_agent",
  "session_id",
  "grpc_max_message_size",
]);

function metadataOf(parameters: ReadonlyMap<string, string>): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [k, [name, value]] of [...parameters].entries()) {
    const told = `number ${k + 1} among those without a meaning of their own`;
    const key = name.toLowerCase();
    if (!/^[a-z0-9_.-]+$/.test(key) || key.endsWith("-bin") || RESERVED.test(key)) {
      throw optionError(`spark: the parameter ${told} cannot be sent as metadata`);
    }
    if (!/^[\x20-\x7e]+$/.test(value)) {
      throw optionError(`spark: the parameter ${told} must be plain ASCII text to be sent as metadata`);
    }
    metadata[key] = value;
  }
  return metadata;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function wrong(name: string, expects: string): Error {
  return optionError(`spark: the parameter ${name} must be ${expects}`);
}
