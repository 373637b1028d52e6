/** Why a file cannot be read or written, in words if possible. */
export function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : (IN_WORDS[code] ?? code);
}

const IN_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file would exceed the size limit of this system",
  EROFS: "the disk is read-only",
  ENXIO: "there is no such device",
  EBADF: "it is not open for writing",
  EIO: "the disk has failed",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};
