export function sources(...more: string[]): Promise<Readonly<Record<string, unknown>>>;
