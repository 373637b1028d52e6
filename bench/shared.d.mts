export function shared(part: "datasets" | "peers" | "tables" | "hostile", ...path: string[]): string;
