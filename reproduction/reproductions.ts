import type { Command } from "commander";

/** The command.ts of a folder declares its options on `command`, and its action does the work. */
export interface ReproductionFile {
  define(command: Command): void;
}

export interface Reproduction {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<ReproductionFile>;
}

/** What can be reproduced. A new paper needs a folder with a command.ts and an entry here. */
export const reproductions: readonly Reproduction[] = [
  {
    name: "convex",
    summary: "convex clustering with metric learning: Tables 1 and 4.2, Figures 4.2 to 4.9",
    load: () => import("./convex/command.ts"),
  },
  {
    name: "mlca",
    summary: "closed-form metrics for supervised clustering: Tables 1 to 3, two classes, segmentation",
    load: () => import("./mlca/command.ts"),
  },
  {
    name: "bregman",
    summary: "Bregman distances learned from pairs: Tables 2 and 3, which cells are possible, fewer pairs",
    load: () => import("./bregman/command.ts"),
  },
  {
    name: "cpd-uml",
    summary:
      "a nonlinear metric without labels: Tables 1 to 3 of ten methods, the two moons, impossible figures",
    load: () => import("./cpd-uml/command.ts"),
  },
  {
    name: "chow-liu",
    summary: "feature selection by Chow-Liu trees: accuracy curves of Figures 6.1 to 6.10, which claims hold",
    load: () => import("./chow-liu/command.ts"),
  },
  {
    name: "printed",
    summary: "the algorithms of the texts, repaired and as printed, side by side",
    load: () => import("./printed/command.ts"),
  },
  { name: "all", summary: "all of these, one after the other", load: () => import("./all.ts") },
];
