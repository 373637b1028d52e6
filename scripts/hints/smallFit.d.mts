export function smallFit(tools: object): Promise<object>;
