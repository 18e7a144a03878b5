import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { noteFigures } from "../figures.ts"
import { truthOf } from "../index-equality.ts"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

// The shell can set both limits on every Unix. Failures of single system calls are tested by
// scripts/faults.ts, which needs strace.
const IN_KILOBYTES = ["-f 4", "-f 200"]
/** The runtime itself needs up to 14 files; with fewer it ends before aman begins. */
const OPEN_FILES = ["-n 16", "-n 18"]

let space: Workspace
beforeEach(() => {
  space = new Workspace(SHOP)
})
afterEach(() => space[Symbol.dispose]())

describe.skipIf(process.platform === "win32")("with a limit on files", () => {
  test.each([...IN_KILOBYTES, ...OPEN_FILES])(
    "ulimit %s: index answers or names the cause, and continues without the limit",
    async (limit) => {
      const limited = await runLimited(limit, ["index", "--json", "--quiet"])
      expectAnswerOrCause(limited)
      expect(await space.json(["index"])).toMatchObject({ files: Object.keys(SHOP).length })
      const fresh = join(space.dir, "fresh")
      await space.json(["index"], { env: { AMAN_INDEX_DIR: fresh } })
      expect(truthOf(join(space.project, ".aman"))).toEqual(truthOf(fresh))
      expect(readdirSync(join(space.project, ".aman")).filter((name) => name.includes("tmp"))).toEqual([])
    },
  )

  test.each([...IN_KILOBYTES, ...OPEN_FILES])(
    "ulimit %s: a memory, an export, settings and a client's file are written completely or not at all",
    async (limit) => {
      await space.json(["remember", "--", "The ledger closes at midnight"])
      const files = ["notes.md", "../home/.config/aman/config.yaml", "../home/.claude.json"]
      const commands = [
        ["memory", "export", "--json", "notes.md"],
        ["config", "set", "log.level", "error"],
        ["setup", "--yes", "--quiet", "claude-code"],
      ]
      for (const args of commands) expectAnswerOrCause(await runLimited(limit, args))
      const before = files.map(read)
      for (const args of commands) expect((await space.run(args)).code).toBe(0)
      files.forEach((file, at) => {
        expect([null, read(file)]).toContain(before[at]!)
      })
      const remembered = await runLimited(limit, ["remember", "--json", "--", "Refunds take three days"])
      expectAnswerOrCause(remembered)
      const { entries } = await space.json(["memory", "list"])
      expect(entries).toHaveLength(remembered.code === 0 ? 2 : 1)
      noteFigures("limits", { limit, "remember ended with": remembered.code })
    },
  )
})

/** The file's text with times replaced, because an export contains the time when it was made. */
function read(file: string): string | null {
  const path = join(space.project, file)
  return existsSync(path) ? readFileSync(path, "utf8").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME") : null
}

// This test refuses only a few requests; `bun scripts/soak.ts --memory` refuses more, in every command.
test("a refused request for memory leaves an answer, an error with a next step, or nothing done", async () => {
  const script = join(import.meta.dir, "../../scripts/faults.ts")
  const args = ["--count", "0", "--memory", "4", "--only", "remember"]
  const child = Bun.spawn([process.execPath, script, ...args], {
    env: { ...process.env, AMAN_BINARY: binary },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect({ code: await child.exited, stderr }).toEqual({ code: 0, stderr: "" })
  // Only where strace exists and may trace.
  expect(stdout).toMatch(/faults injected, 0 not survived|skipped: strace/u)
})

type Limited = { readonly code: number; readonly output: string }

async function runLimited(limit: string, args: readonly string[]): Promise<Limited> {
  // Output goes through a pipe, to which a limit on file sizes does not apply.
  const command = ["sh", "-c", `ulimit ${limit}; exec "$0" "$@"`, binary, ...args]
  const child = Bun.spawn(command, { cwd: space.project, env: space.env, stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, output: stdout + stderr }
}

function expectAnswerOrCause({ code, output }: Limited): void {
  if (code === 0) return
  expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(/hint|cannot write/) })
  expect(output).not.toMatch(/this is a bug in aman|"hint":null|\n\s+at /)
}
