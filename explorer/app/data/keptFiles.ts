import { signal } from "@preact/signals";

/** Names of the files that a person agreed to keep in this browser. */
export const keptFiles = signal<readonly string[]>([]);

const STORE = "files";

/** Lists the kept files; the list is empty if the browser stores nothing. */
export async function listKept(): Promise<void> {
  const keys = await inStore("readonly", (store) => store.getAllKeys()).catch(() => []);
  keptFiles.value = keys.map(String);
}

/** Keeps a file under its name until it is forgotten; fails if the browser has no room for it. */
export async function keepFile(name: string, file: Blob): Promise<void> {
  await inStore("readwrite", (store) => store.put(file, name));
  await listKept();
}

export async function keptFile(name: string): Promise<Blob | undefined> {
  const found: unknown = await inStore("readonly", (store) => store.get(name)).catch(() => undefined);
  return found instanceof Blob ? found : undefined;
}

export async function forgetFile(name: string): Promise<void> {
  await inStore("readwrite", (store) => store.delete(name)).catch(() => undefined);
  await listKept();
}

async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  if (typeof indexedDB === "undefined") throw new Error("this browser keeps no files");
  const opening = indexedDB.open("kindred", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const result = await done(act(transaction.objectStore(STORE)));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("not kept"));
      // A read-only transaction may already be complete.
      if (mode === "readonly") resolve();
    });
    return result;
  } finally {
    database.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("not kept"));
  });
}
