import { describe, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { freePort, hasPostgres } from "../postgres.ts"
import { binary } from "./harness.ts"
import { TeamSpace } from "./team-space.ts"

const DOCUMENT = readFileSync(join(import.meta.dir, "../../docs/team.md"), "utf8")
const QUICK_START = /^## Quick start on one machine$([\s\S]+?)^## /m.exec(DOCUMENT)![1]!
const [EXPORT, ...COMMANDS] = [...QUICK_START.matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line!)

describe.skipIf(!hasPostgres || process.platform === "win32")("the quick start of docs/team.md", () => {
  test("finds the repository's code after its five commands", async () => {
    await using team = await TeamSpace.start()
    const repository = team.box.repository("name", {
      "net/retry.py": "def retry_with_back_off(request):\n    return request.again()\n",
    })
    const port = `${await freePort()}`
    expect([EXPORT!.split("=")[0], COMMANDS.length]).toEqual(["export AMAN_TEAM_DATABASE", 5])
    const lines = [EXPORT!.replace(/postgres:.+/, team.postgres.url), ...COMMANDS].map((line) =>
      line
        .replace(/(?:https:\/\/)?github\.com\/owner\/name/, repository)
        .replace("team up", `team up --port ${port}`)
        .replace(":7480", `:${port}`),
    )

    const bin = join(team.space.dir, "bin")
    mkdirSync(bin)
    symlinkSync(binary, join(bin, "aman"))
    const { PATH, ...env } = team.space.env
    // Its own session, so that it can be ended with the processes that it started in the background.
    const shell = spawn("sh", ["-e"], {
      ...{ cwd: team.space.project, detached: true, stdio: ["pipe", "pipe", "inherit"] },
      env: { ...env, PATH: `${bin}:${PATH}` },
    })
    let printed = ""
    shell.stdout!.on("data", (part: Buffer) => {
      printed += part
    })
    try {
      // All at once, as a page is pasted: the login waits for the server, the search for the index.
      shell.stdin!.end(`${lines.join("\n")}\necho "up is $(pgrep -P $$ -f 'team up')"\n`)
      // Not "close": the processes in the background keep the pipe open.
      const [code] = await once(shell, "exit")
      expect(code).toBe(0)
      while (!/up is \d+/.test(printed)) await Bun.sleep(20)
      expect(printed).toContain("(branch main)")
      expect(printed).toContain("net/retry.py")
      // A process that is killed takes the other one with it, which is said.
      const children = await Bun.$`pgrep -P ${/up is (\d+)/.exec(printed)![1]!}`.text()
      process.kill(Number(children.split("\n")[0]), "SIGKILL")
      while (!/the (?:worker|server) ended \(SIGKILL\)/.test(printed)) await Bun.sleep(20)
      const isOpen = () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          () => true,
          () => false,
        )
      while (await isOpen()) await Bun.sleep(20)
    } finally {
      try {
        process.kill(-shell.pid!, "SIGTERM")
      } catch {
        // All have ended.
      }
    }
  }, 120_000)
})
