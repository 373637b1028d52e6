export function isList(file: string): boolean;
export function pastLists(code: string, file: string): string;
