import { lstatSync, truncateSync } from "node:fs"
import { fileIdentity } from "../base/index.ts"

/**
 * Size to which the file is extended. SQLite extends it in regions of 32 KiB, each for 16 MiB of the log; this size
 * covers more than is ever used.
 */
const GROWN_BYTES = 1 << 20

type ShmFile = { users: number; inode: bigint; bytes: bigint }

/**
 * The open -shm files, by database. All connections of a process to one database share the -shm file that the first one
 * opened (SQLite's unixShmNode), even if another file is at its path by now.
 */
const opened = new Map<string, ShmFile>()

/**
 * The -shm file of an open database, which SQLite maps into memory. Reading a mapped file beyond the end of a truncated
 * file kills the process (SIGBUS), so `mend` must be called before each query.
 */
export class SharedMemoryFile implements Disposable {
  readonly #path: string
  readonly #database: string
  readonly #file: ShmFile
  #isOpen = true

  constructor(database: string) {
    this.#path = `${database}-shm`
    this.#database = fileIdentity(database)
    this.#file = opened.get(this.#database) ?? { users: 0, inode: 0n, bytes: 0n }
    this.#file.users++
    opened.set(this.#database, this.#file)
    this.mend()
  }

  /**
   * Extends the file again if it was truncated since the last call. SQLite then finds zeros in it and rebuilds it from
   * the log. Returns false once the path has another file or none: the open database continues to use its old file, so
   * that this process and processes that opened the database later no longer see each other's writes.
   */
  mend(): boolean {
    const found = lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (found === undefined || !found.isFile()) return this.#file.inode === 0n
    if (this.#file.inode === 0n) this.#file.inode = found.ino
    if (found.ino !== this.#file.inode) return false
    // Truncated by its path, not through a descriptor, because closing a descriptor of the file would release this
    // process's locks on it (POSIX).
    if (found.size < this.#file.bytes)
      truncateSync(this.#path, Math.max(GROWN_BYTES, Number(this.#file.bytes)))
    else this.#file.bytes = found.size
    return true
  }

  /** Must be called when the database is closed. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#file.users--
    if (this.#file.users === 0) opened.delete(this.#database)
  }
}
