import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"

/** A folder below `folder` whose path has about this many bytes. */
function deepIn(folder: string, bytes: number): string {
  let path = folder
  while (path.length < bytes) path = join(path, "d".repeat(100))
  mkdirSync(path, { recursive: true })
  return path
}

const isWindows = process.platform === "win32"

test.skipIf(isWindows)(
  "a project too deep for SQLite keeps its index in the user's data folder",
  async () => {
    using space = new Workspace()
    const cwd = deepIn(space.project, 600)
    writeFileSync(join(cwd, "package.json"), "{}")
    writeFileSync(join(cwd, "harbour.ts"), "export function harbour() {}\n")
    const { results } = await space.json(["search", "harbour"], { cwd })
    expect(results[0].path).toBe("harbour.ts")
    const { projects } = await space.json(["projects", "list"], { cwd })
    expect(projects[0].index_dir).toStartWith(join(space.home, ".local/share/aman/indexes"))
    // SQLite opens no path of more than 512 bytes. On Linux the folder is opened by its descriptor, so it
    // works. Elsewhere no process can be the leader, and the command fails without waiting for one.
    const env = { AMAN_INDEX_DIR: deepIn(join(space.dir, "index"), 600) }
    const { code, stderr } = await space.run(["index", "--quiet"], { cwd, env })
    if (process.platform === "linux") expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    else expect([code, stderr]).toEqual([3, expect.stringContaining("AMAN_INDEX_DIR")])
  },
  60_000,
)

test.skipIf(process.platform !== "linux")("reports a folder whose name is not UTF-8", async () => {
  using space = new Workspace()
  const script = `mkdir "$(printf 'bad\\377')" && cd "$(printf 'bad\\377')" && exec "${binary}" status`
  const child = Bun.spawn(["sh", "-c", script], { cwd: space.project, env: space.env, stderr: "pipe" })
  expect(await child.stderr.text()).toContain("not valid UTF-8")
  expect(await child.exited).toBe(1)
})
