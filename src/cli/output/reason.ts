/** Why a file cannot be read or written, in words where there are some. */
export function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : (IN_WORDS[code] ?? code);
}

const IN_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "a file may not be that long here",
  EROFS: "the disk can only be read",
  ENXIO: "there is no such device",
  EBADF: "it is not open for writing",
  EIO: "the disk has failed",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};
