import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { binary, Workspace } from "./harness.ts"

// Machines that run tests do other things too: the best of several tries is what the binary can do,
// and the bounds are the promised ones.
const TRIES = 12
const VERSION_MS = 15
const INITIALIZE_MS = 100

test(`aman version answers within ${VERSION_MS} ms`, () => {
  using space = new Workspace()
  const times = Array.from({ length: TRIES }, () => {
    const start = performance.now()
    Bun.spawnSync([binary, "version"], { env: space.env, cwd: space.project })
    return performance.now() - start
  })
  expect(Math.min(...times)).toBeLessThan(VERSION_MS)
})

test(`initialize is answered within ${INITIALIZE_MS} ms in 50,000 files without an index`, async () => {
  using space = new Workspace()
  for (let folder = 0; folder < 500; folder++) {
    mkdirSync(join(space.project, `f${folder}`))
    for (let file = 0; file < 100; file++)
      writeFileSync(join(space.project, `f${folder}/m${file}.py`), `x = ${file}\n`)
  }
  const times: number[] = []
  for (let attempt = 0; attempt < TRIES / 3; attempt++) times.push(await timeInitialize(space))
  expect(Math.min(...times)).toBeLessThan(INITIALIZE_MS)
})

async function timeInitialize(space: Workspace): Promise<number> {
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  }
  const start = performance.now()
  const child = Bun.spawn([binary, "serve"], {
    cwd: space.project,
    env: space.env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
  child.stdin.flush()
  const { value } = await child.stdout.getReader().read()
  const time = performance.now() - start
  expect(JSON.parse(new TextDecoder().decode(value)).result.serverInfo.name).toBe("aman")
  child.stdin.end()
  await child.exited
  return time
}
