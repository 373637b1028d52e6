// What the thread of `kindred/worker` runs: one call, whose progress and result it posts.
import { failureOf, nodeModule, type Reply } from "../core/internal.ts";
import type { Asked, Stop } from "./inThread.ts";

interface Port {
  postMessage(reply: Reply<unknown> | { readonly called: string; readonly args: readonly unknown[] }): void;
  on?(event: "message", hear: (asked: Asked) => void): void;
  addEventListener?(event: "message", hear: (event: { readonly data: Asked }) => void): void;
}

const { parentPort } = nodeModule<{ parentPort: Port | null }>("worker_threads") ?? { parentPort: null };
const port = parentPort ?? (globalThis as unknown as Port);
if (port.on === undefined) port.addEventListener!("message", ({ data }) => void answer(data));
else port.on("message", (asked) => void answer(asked));

async function answer({ name, data, options, heard, stop }: Asked): Promise<void> {
  try {
    const post =
      (called: string) =>
      (...args: unknown[]) => {
        port.postMessage({ called, args });
        return !isAsked(stop);
      };
    const callbacks = Object.fromEntries(heard.map((called) => [called, post(called)]));
    const call = await functionNamed(name);
    port.postMessage({ result: await call(...data, { ...options, ...callbacks }) });
  } catch (error) {
    port.postMessage({ failure: failureOf(error) });
  }
}

async function functionNamed(name: Asked["name"]): Promise<(...args: unknown[]) => unknown> {
  if (name === "learnFromHints") {
    const { learnFromHints } = await import("../hints/learnFromHints.ts");
    return learnFromHints as (...args: unknown[]) => unknown;
  }
  if (name === "compare") {
    const { compare } = await import("../run/compare/compare.ts");
    return compare as (...args: unknown[]) => unknown;
  }
  const { cluster } = await import("../run/cluster.ts");
  return cluster as (...args: unknown[]) => unknown;
}

/** Whether the best so far is asked for. A busy thread gets no messages, so it looks. */
function isAsked({ flag, url }: Stop): boolean {
  if (flag !== undefined) return Atomics.load(flag, 0) !== 0;
  if (url === undefined) return false;
  try {
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    request.send();
    return false;
  } catch {
    // The address is no longer valid.
    return true;
  }
}
