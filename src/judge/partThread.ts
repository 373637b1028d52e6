// A thread that makes partitions of parts of the rows beside the thread that asks (partRuns.ts).
import { nodeModule } from "../core/internal.ts";
import { setThreads, useEngine } from "../matrix/index.ts";
import { partServer, type PartRound } from "./partRuns.ts";

const { parentPort } = nodeModule<{
  parentPort: { on(event: "message", hear: (round: PartRound) => void): void };
}>("worker_threads")!;
setThreads(1);
let server: ReturnType<typeof partServer> | undefined;
parentPort.on("message", (round) => {
  useEngine(round.engine);
  if (server?.pool !== round.pool) server = partServer(round);
  server.serve(round);
});
