import { expect, test } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"

const script = join(import.meta.dir, "..", "..", "scripts", "smoke.ts")

test("the smoke test accepts the binary", async () => {
  const { code, lines } = await smoke(binary)
  expect(lines.filter((line) => line.startsWith("ok "))).toHaveLength(7)
  expect(code).toBe(0)
})

test("rejects a binary that runs a folder's code, and one with wrong answers", async () => {
  using space = new Workspace()
  const pretender = (name: string, text: string) => {
    const path = join(space.dir, name)
    writeFileSync(path, `#!/bin/sh\n${text}\n`)
    chmodSync(path, 0o755)
    return path
  }
  const obedient = await smoke(pretender("obedient", `[ -e evil.ts ] && touch MARK\nexec "${binary}" "$@"`))
  expect(obedient.lines).toContain("WRONG hostile folder: the folder's own code ran")
  expect(obedient.code).toBe(1)
  const mute = await smoke(pretender("mute", "echo '{}'"))
  expect(mute.lines.filter((line) => line.startsWith("WRONG"))).toHaveLength(7)
  expect(mute.code).toBe(1)
})

async function smoke(path: string) {
  const child = Bun.spawn([process.execPath, script, path], { stdout: "pipe", stderr: "pipe" })
  const lines = (await child.stdout.text()).split("\n")
  return { code: await child.exited, lines }
}
