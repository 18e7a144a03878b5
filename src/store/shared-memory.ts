import { lstatSync, truncateSync } from "node:fs"
import { fileIdentity } from "../base/files/files.ts"

/** SQLite grows the file in regions of 32 KiB, each for 16 MiB of the log; this covers more than is ever used. */
const GROWN_BYTES = 1 << 20

type ShmFile = { users: number; inode: bigint; bytes: bigint }

/**
 * The open -shm files by database. All connections of a process to one database share the -shm file that the first one
 * opened (SQLite's unixShmNode), even if another file is at its path by now.
 */
const opened = new Map<string, ShmFile>()

/**
 * The -shm file of an open database, which SQLite maps. Reading a mapped file beyond a truncated end kills the
 * process (SIGBUS), so call `mend` before each query.
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
   * the log. False once another file, or none, is at the path: the open database then continues to use its own file, so
   * that this process and processes that opened the database later no longer see each other's writes.
   */
  mend(): boolean {
    const found = lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (found === undefined || !found.isFile()) return this.#file.inode === 0n
    if (this.#file.inode === 0n) this.#file.inode = found.ino
    if (found.ino !== this.#file.inode) return false
    // By its path: closing a descriptor of the file would drop this process's locks on it (POSIX).
    if (found.size < this.#file.bytes)
      truncateSync(this.#path, Math.max(GROWN_BYTES, Number(this.#file.bytes)))
    else this.#file.bytes = found.size
    return true
  }

  /** Call it when the database is closed. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#file.users--
    if (this.#file.users === 0) opened.delete(this.#database)
  }
}
