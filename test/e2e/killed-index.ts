import { Database } from "bun:sqlite"
import { join } from "node:path"
import { binary, type Workspace } from "./harness.ts"

/**
 * Starts a first index run and kills it as soon as the file at `path` is indexed. Returns the number of files
 * indexed by then.
 */
export async function indexedBefore(space: Workspace, root: string, path: string): Promise<number> {
  const args = [binary, "index", "--quiet", "--root", root]
  const child = Bun.spawn(args, { env: { ...space.env, AMAN_INDEX_WORKERS: "1" }, stdout: "ignore" })
  try {
    while (child.exitCode === null) {
      const found = filesWith(join(root, ".aman", "index.db"), path)
      if (found !== null) return found
      await Bun.sleep(2)
    }
    throw new Error(`the run ended with ${child.exitCode} first`)
  } finally {
    child.kill("SIGKILL")
    await child.exited
  }
}

function filesWith(index: string, path: string): number | null {
  try {
    using db = new Database(index, { readonly: true })
    return (
      db
        .query<{ n: number }, [string]>(
          "SELECT (SELECT files FROM totals) AS n FROM files WHERE path = ? AND (SELECT files FROM totals) > 0",
        )
        .get(path)?.n ?? null
    )
  } catch {
    return null // The index does not exist yet or is being created.
  }
}
