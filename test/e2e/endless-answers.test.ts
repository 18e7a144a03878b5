import { afterAll, beforeAll, expect, test } from "bun:test"
import { GitBox } from "../git-repository.ts"
import { endlessServer } from "./endless-server.ts"
import { binary, Workspace } from "./harness.ts"

const MAX_MB = 450

let box: GitBox
let space: Workspace
let checkout: string
beforeAll(async () => {
  box = new GitBox()
  space = new Workspace()
  const retry = "export function limitRetries(times: number) {}\n"
  const name = box.repository("shop", { "src/retry.ts": retry, "src/other.ts": retry })
  checkout = box.clone(name, "checkout")
  await space.run(["index"], { cwd: checkout })
})
afterAll(() => {
  space[Symbol.dispose]()
  box[Symbol.dispose]()
})

/** Runs the binary; `peakMb` is the most memory that it had resident. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = Bun.spawn([binary, ...args], {
    cwd: checkout,
    env: { ...space.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  return { said: stdout + stderr, peakMb: child.resourceUsage()!.maxRSS / 1024 ** 2 }
}

test.each([
  "search --team shop limitRetries",
  "context --team shop limitRetries",
  "symbol --team shop limitRetries",
  "read --team shop src/retry.ts",
  "team status",
])("%s: a team's server that answers without end is refused with its bound", async (command) => {
  const login = { AMAN_TEAM_URL: endlessServer().href.replace(/\/$/, ""), AMAN_TEAM_TOKEN: "x" }
  const { said, peakMb } = await run(command.split(" "), login)
  expect(said).toContain("sent an answer of more than 33554432 bytes")
  expect(peakMb).toBeLessThan(MAX_MB)
})

test("errors of a team's server are bounded, too", async () => {
  const login = { AMAN_TEAM_URL: endlessServer(400).href.replace(/\/$/, ""), AMAN_TEAM_TOKEN: "x" }
  const { said, peakMb } = await run(["search", "--team", "shop", "limitRetries"], login)
  expect(said).toContain("sent an answer of more than 65536 bytes")
  expect(peakMb).toBeLessThan(MAX_MB)
})

test("an embedder and a re-ranker that answer without end are left alone", async () => {
  const { href } = endlessServer()
  const rerank = { AMAN_RERANK_HOST: href }
  const { said, peakMb } = await run(["search", "limitRetries"], rerank)
  expect(said).toContain("sent an answer of more than 64 MiB")
  expect(said).toContain("src/retry.ts")
  expect(peakMb).toBeLessThan(MAX_MB)
})
