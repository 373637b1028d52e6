/** How a gRPC call ends: its status, the HTTP status if there is none, and why a connection fails. */
type Headers = Readonly<Record<string, string | string[] | number | undefined>>;

/** The status codes that matter here. */
export const CANCELLED = 1;
export const DEADLINE_EXCEEDED = 4;
export const PERMISSION_DENIED = 7;
export const RESOURCE_EXHAUSTED = 8;
export const UNIMPLEMENTED = 12;
export const INTERNAL = 13;
export const UNAVAILABLE = 14;
export const UNAUTHENTICATED = 16;

export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;
  /** The message google.rpc.Status, if the server sent one. */
  readonly details: Uint8Array | undefined;
  /** Whether the connection failed, and not the call. */
  readonly transport: boolean;

  constructor(code: number, message: string, details?: Uint8Array, transport = false) {
    super(message);
    this.code = code;
    this.details = details;
    this.transport = transport;
  }
}

/** The status in the trailers, or in the headers. */
export function statusError(headers: Headers): GrpcError {
  const details = headers["grpc-status-details-bin"];
  return new GrpcError(
    Number(headers["grpc-status"]),
    percentDecoded(String(headers["grpc-message"] ?? "")),
    typeof details === "string" ? fromBase64(details) : undefined,
  );
}

/** The HTTP status in gRPC's interpretation ("HTTP to gRPC status code mapping"). */
export function withoutStatus(head: Headers, failure: Error | undefined): GrpcError {
  const status = Number(head[":status"]);
  const type = String(head["content-type"] ?? "");
  if (status === 200 && type.startsWith("application/grpc")) return transportError(failure);
  const codes: Readonly<Record<number, number>> = {
    401: UNAUTHENTICATED,
    403: PERMISSION_DENIED,
    404: UNIMPLEMENTED,
    429: UNAVAILABLE,
    502: UNAVAILABLE,
    503: UNAVAILABLE,
    504: UNAVAILABLE,
  };
  return new GrpcError(
    status === 200 ? UNIMPLEMENTED : (codes[status] ?? UNIMPLEMENTED),
    `HTTP status ${status}`,
  );
}

/** A connection that failed. */
export function transportError(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return new GrpcError(
    UNAVAILABLE,
    REASONS[code ?? ""] ?? message ?? "the connection broke",
    undefined,
    true,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  EHOSTUNREACH: "the host cannot be reached",
  ERR_STREAM_PREMATURE_CLOSE: "the connection broke",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "its certificate is self-signed (name the file of the authority in NODE_EXTRA_CA_CERTS)",
  SELF_SIGNED_CERT_IN_CHAIN:
    "the authority of its certificate is not known (name its file in NODE_EXTRA_CA_CERTS)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "the authority of its certificate is not known (name its file in NODE_EXTRA_CA_CERTS)",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server there does not speak TLS (use_ssl=false)",
  ERR_HTTP2_ERROR: "the server there does not speak gRPC",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/**
 * The bytes of grpc-message are UTF-8, those outside printable ASCII percent-encoded; wrong escapes stay
 * unchanged.
 */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    return text;
  }
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}
