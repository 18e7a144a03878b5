import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { binary } from "./harness.ts"
import { Remotes, until } from "./remotes.ts"

const RETRY = {
  "src/retry.go":
    "package net\n\n// Backoff waits longer after each failure.\nfunc Backoff(try int) int {\n\treturn try * try\n}\n",
}
describe("several processes", () => {
  test("a process killed at any point leaves nothing that blocks the next run", async () => {
    using space = new Remotes()
    space.bare("net", RETRY)
    const env = { ...space.sshEnv, AMAN_REPOS_URLS: space.sshUrl("net") }
    writeFileSync(join(space.dir, "hold"), "")
    const child = Bun.spawn([binary, "repos", "sync"], {
      cwd: space.project,
      env: { ...space.env, ...env },
      stdout: "ignore",
      stderr: "ignore",
    })
    await until(() => space.sshLog.length > 0, "the clone to begin")
    expect((await space.json(["repos", "status"], { env })).syncing).toBe(true)
    const patient = { ...env, AMAN_REPOS_MAX_TIME: "200ms" }
    const follower = await space.run(["repos", "sync", "--json"], { env: patient })
    expect([follower.code, JSON.parse(follower.stdout).stale]).toEqual([3, true])
    child.kill("SIGKILL")
    await child.exited
    const clone = join(space.data, "repos", readdirSync(join(space.data, "repos"))[0]!)
    for (const lock of ["index.lock", "shallow.lock"]) writeFileSync(join(clone, ".git", lock), "")
    writeFileSync(join(clone, "half.txt"), "written by halves")
    rmSync(join(space.dir, "hold"))
    expect((await space.json(["repos", "sync"], { env })).repositories[0]).toMatchObject({
      outcome: "cloned",
      files: 1,
    })
    expect(existsSync(join(clone, "half.txt"))).toBe(false)
  })

  test("a second process waits for the first and then finds everything done", async () => {
    using space = new Remotes()
    space.bare("net", RETRY)
    const env = { ...space.sshEnv, AMAN_REPOS_URLS: space.sshUrl("net") }
    writeFileSync(join(space.dir, "hold"), "")
    const first = space.json(["repos", "sync"], { env })
    await until(() => space.sshLog.length > 0, "the clone to begin")
    const second = space.json(["repos", "sync"], { env })
    await Bun.sleep(200)
    rmSync(join(space.dir, "hold"))
    expect((await first).repositories[0].outcome).toBe("cloned")
    const [{ outcome, files }] = (await second).repositories
    // "unchanged" if the machine was too busy to start it before the first was done.
    expect(["by another", "unchanged"]).toContain(outcome)
    expect(files).toBe(1)
    expect(space.sshLog.filter((line) => line.startsWith("+"))).toHaveLength(1)
  })

  test("rebuilds a damaged manifest from the clones", async () => {
    using space = new Remotes()
    await space.json(["repos", "add", space.bare("net", RETRY)])
    writeFileSync(join(space.data, "state/manifest.json"), '{"version":1,"rep')
    const { notices, repositories } = await space.json(["repos", "status"])
    expect(repositories[0].state).toBe("pending")
    expect(notices.join()).toContain("damaged")
    expect((await space.json(["search", "--repository", "net", "Backoff"])).results).toHaveLength(1)
    expect((await space.json(["repos", "sync"])).notices.join()).toContain("rebuilt")
    expect((await space.json(["repos", "status"])).repositories[0].state).toBe("ready")
    expect(readdirSync(join(space.data, "state")).sort()).toEqual(["lock.db", "manifest.json"])
  })
})
