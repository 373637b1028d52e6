export function toolsOf(): Promise<object>;
