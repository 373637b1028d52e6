// The most that fused multiply-adds reach on one thread: a loop of independent ones in registers, which reads and writes no
// memory. Where the relaxed engine has V8 join two operations of 128 bits to one of 256, so does this loop: V8 begins at two
// stores side by side.
import { main as compileAssemblyScript } from "assemblyscript/asc";
import { timed } from "./measure.mjs";
import { sources } from "./sources.mjs";

const ROUNDS = 1_000_000;
const source = (chains) => `
  export function loop(rounds: i32, at: usize): void {
    const a = v128.load_splat<f64>(at, 512), b = v128.load_splat<f64>(at, 520);
    let ${chains.map((c, i) => `${c} = v128.load(at, ${16 * i})`).join(", ")};
    for (let i = 0; i < rounds; i++) {
      ${chains.map((c) => `${c} = f64x2.relaxed_madd(a, b, ${c});`).join(" ")}
    }
    ${chains.map((c, i) => `v128.store(at, ${c}, ${16 * i});`).join(" ")}
  }`;
let prepared;

/**
 * CPU seconds in which this process would do `operations` (a multiply-add is two) at the peak of its relaxed engine, which
 * must be in use: Node 20 has the instruction only then.
 */
export async function atPeak(operations) {
  prepared ??= prepare();
  const { loop, chains } = await prepared;
  let best = Infinity;
  for (let run = 0; run < 10; run++) {
    best = Math.min(best, timed(() => loop(ROUNDS, 0)).cpu);
  }
  return (best * operations) / (ROUNDS * chains * 4);
}

async function prepare() {
  const { canWiden, compiled } = await sources("matrix/v8.ts");
  const wide = canWiden() ? 1 : 0;
  const chains = wide ? 24 : 12;
  const binary = await binaryOf(source(Array.from({ length: chains }, (_, i) => `c${i}`)));
  return { chains, loop: new WebAssembly.Instance(compiled(binary, wide).module).exports.loop };
}

async function binaryOf(text) {
  let binary;
  const { error } = await compileAssemblyScript(
    "peak.ts -O3 --runtime stub --enable simd,relaxed-simd --initialMemory 1 --outFile peak.wasm".split(" "),
    {
      readFile: (path) => (path === "peak.ts" ? text : null),
      writeFile: (path, contents) => {
        if (path === "peak.wasm") binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw error;
  return binary;
}
