import { callCase } from "./calls.ts";
import { commandCase } from "./commands.ts";
import type { Case } from "./dice.ts";
import { fileCase } from "./files.ts";
import { libraryCase } from "./library.ts";
import { modelCase } from "./models.ts";
import { requestCase } from "./requests.ts";
import { rowOrderCase } from "./rowOrder.ts";
import { signalCase } from "./signals.ts";
import { sqlCase } from "./sql.ts";

/** What is tried, and how much of the time it gets. */
export const KINDS: Readonly<Record<string, { readonly run: Case; readonly share: number }>> = {
  library: { run: libraryCase, share: 0.25 },
  calls: { run: callCase, share: 0.1 },
  order: { run: rowOrderCase, share: 0.1 },
  files: { run: fileCase, share: 0.2 },
  models: { run: modelCase, share: 0.1 },
  requests: { run: requestCase, share: 0.05 },
  sql: { run: sqlCase, share: 0.05 },
  commands: { run: commandCase, share: 0.1 },
  signals: { run: signalCase, share: 0.1 },
};
