/**
 * A model behind an address that answers like OpenAI's embeddings: { model, input: [...] } in, { data: [{ index, embedding }] }
 * out. The key comes from the environment (KINDRED_EMBED_KEY) and is sent to no other address.
 */
import { fileError, inputError, optionError, option } from "../../core/internal.ts";
import type { Embedder } from "./embedTexts.ts";

const BATCH = 64;
/** Attempts at a request, and the waits between them in milliseconds: of the first, doubled each time, and at most. */
const ATTEMPTS = 5;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** Milliseconds without an answer. */
const PATIENCE = 120_000;

export function modelAtAddress(address: string, model: string): Embedder {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw optionError(
      `${option("embedUrl")} must be an address such as https://host/v1/embeddings, got ${address}`,
    );
  }
  const key = process.env.KINDRED_EMBED_KEY;
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && key !== "" && { authorization: `Bearer ${key}` }),
  };
  const told = `${url.origin}${url.pathname}`;
  return {
    name: `${model} at ${told}`,
    key: `${url.href}\n${model}`,
    batch: BATCH,
    async embed(texts) {
      const body = JSON.stringify({ model, input: texts });
      for (let attempt = 1; ; attempt++) {
        const answer = await sent(url, headers, body).catch((error: Error) => error);
        if (!(answer instanceof Error) && answer.ok) return vectorsOf(answer.text, texts.length, told);
        const canWait = answer instanceof Error || answer.status === 429 || answer.status >= 500;
        if (!canWait || attempt === ATTEMPTS) throw refusal(answer, told);
        const asked = answer instanceof Error ? Number.NaN : 1000 * Number(answer.after ?? "x");
        const wait = Number.isFinite(asked) ? asked : FIRST_WAIT * 2 ** (attempt - 1);
        await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_WAIT, wait)));
      }
    },
  };
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly after: string | null;
  readonly text: string;
}

/** Another address that the answer points to gets neither texts nor key. */
async function sent(url: URL, headers: Record<string, string>, body: string): Promise<Answer> {
  const signal = AbortSignal.timeout(PATIENCE);
  const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
  const { ok, status } = answer;
  return { ok, status, after: answer.headers.get("retry-after"), text: await answer.text() };
}

function refusal(answer: Answer | Error, told: string): Error {
  if (answer instanceof Error) {
    const { cause } = answer as { cause?: { code?: string } };
    return fileError(`${told} cannot be reached (${cause?.code ?? answer.message})`, answer);
  }
  if (answer.status === 401 || answer.status === 403) {
    return inputError(`${told} refuses the key (${answer.status}): set KINDRED_EMBED_KEY`);
  }
  const words = answer.text.replaceAll(/\s+/g, " ").slice(0, 200);
  return inputError(`${told} answers ${answer.status}${words === "" ? "" : `: ${words}`}`);
}

function vectorsOf(text: string, count: number, told: string): number[][] {
  const wrong = (what: string): Error =>
    inputError(
      `${told} does not answer like OpenAI's embeddings: ${what}; name the address of the embeddings`,
    );
  let data: unknown;
  try {
    ({ data } = JSON.parse(text) as { data?: unknown });
  } catch {
    throw wrong("the answer is no JSON");
  }
  if (!Array.isArray(data) || data.length !== count) throw wrong(`${count} vectors were asked for`);
  const vectors: number[][] = Array.from({ length: count });
  for (const [place, entry] of data.entries()) {
    const { index = place, embedding } = (entry ?? {}) as { index?: number; embedding?: unknown };
    const isVector = Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite);
    if (!isVector) throw wrong(`embedding ${place} is no list of numbers`);
    vectors[index] = embedding as number[];
  }
  if (vectors.length !== count || vectors.includes(undefined!))
    throw wrong("its vectors are numbered otherwise");
  return vectors;
}
