export function smallFit(tools: object): Promise<{ readonly beta: number[]; readonly gamma: number[] }>;
