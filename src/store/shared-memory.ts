import { lstatSync, truncateSync } from "node:fs"

/** SQLite grows the file in regions of 32 KiB, each for 16 MiB of the log; this covers more than is ever used. */
const GROWN_BYTES = 1 << 20

/**
 * The -shm file of an open database, which SQLite maps. Reading a mapped file beyond a truncated end kills the
 * process (SIGBUS), so call `mend` before each query.
 */
export class SharedMemoryFile {
  readonly #path: string
  #inode = 0n
  #bytes = 0n

  constructor(database: string) {
    this.#path = `${database}-shm`
    this.mend()
  }

  /**
   * Lets the file grow again if it was truncated since the last call. SQLite finds zeros in it, and rebuilds it
   * from the log. False once another file, or none, is at the path: the open database goes on with its own,
   * so that it and processes that opened the database later no longer see each other's writes.
   */
  mend(): boolean {
    const found = lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (found === undefined || !found.isFile()) return this.#inode === 0n
    if (this.#inode === 0n) this.#inode = found.ino
    if (found.ino !== this.#inode) return false
    // By its path: closing a descriptor of the file would drop this process's locks on it (POSIX).
    if (found.size < this.#bytes) truncateSync(this.#path, Math.max(GROWN_BYTES, Number(this.#bytes)))
    else this.#bytes = found.size
    return true
  }
}
