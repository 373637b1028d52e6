// The most that 128-bit fused multiply-adds reach on one thread: a loop of independent ones in registers, which reads and
// writes no memory.
import { main as compileAssemblyScript } from "assemblyscript/asc";

const CHAINS = 12;
const ROUNDS = 1_000_000;
const chains = Array.from({ length: CHAINS }, (_, i) => `c${i}`);
const SOURCE = `
  export function loop(rounds: i32): f64 {
    const a = f64x2.splat(0.5), b = f64x2.splat(0.25);
    let ${chains.map((c) => `${c} = a`).join(", ")};
    for (let i = 0; i < rounds; i++) {
      ${chains.map((c) => `${c} = f64x2.relaxed_madd(a, ${c}, b);`).join(" ")}
    }
    return f64x2.extract_lane(${chains.reduce((sum, c) => `f64x2.add(${sum}, ${c})`)}, 0);
  }`;
let loop;

/**
 * CPU seconds in which this process would do `operations` (a multiply-add is two) at the peak. Node 20 knows the
 * instruction once the relaxed engine is in use.
 */
export async function atPeak(operations) {
  loop ??= await compiled();
  let best = Infinity;
  for (let run = 0; run < 10; run++) {
    const before = process.cpuUsage();
    loop(ROUNDS);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return (best * operations) / (ROUNDS * CHAINS * 4);
}

async function compiled() {
  let binary;
  const { error } = await compileAssemblyScript(
    ["peak.ts", "-O3", "--runtime", "stub", "--enable", "simd,relaxed-simd", "--outFile", "peak.wasm"],
    {
      readFile: (path) => (path === "peak.ts" ? SOURCE : null),
      writeFile: (path, contents) => {
        if (path === "peak.wasm") binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw error;
  const { instance } = await WebAssembly.instantiate(binary);
  return instance.exports.loop;
}
