import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { powershellMistakes } from "../powershell.ts"
import { binary, Workspace } from "./harness.ts"
import { ReleaseServer } from "./release-server.ts"

const script = join(import.meta.dir, "..", "..", "scripts", "install.ps1")
const archive = "aman_windows_amd64.zip"

test("PowerShell parses install.ps1, and rejects it with a brace missing", async () => {
  const text = readFileSync(script, "utf8")
  expect(await powershellMistakes(text)).toEqual([])
  for (const brace of ["{", "}"]) expect(await powershellMistakes(text.replace(brace, ""))).not.toEqual([])
})

describe.skipIf(process.platform !== "win32")("install.ps1, on Windows,", () => {
  test("installs the program and replaces an older version", async () => {
    using space = new Workspace()
    using server = await release(space)
    const folder = join(space.dir, "my programs")
    mkdirSync(folder)
    writeFileSync(join(folder, "aman.exe"), "old")
    const { code, stdout } = await install(space, server, folder)
    expect(stdout).toContain(`is installed: ${join(folder, "aman.exe")}`)
    expect(code).toBe(0)
    expect(Bun.spawnSync([join(folder, "aman.exe"), "version"]).exitCode).toBe(0)
  })

  test("installs nothing with a wrong or missing checksum", async () => {
    for (const [spoil, message] of [
      [(line: string) => line.replace(/^./, (digit) => (digit === "0" ? "1" : "0")), "is wrong"],
      [(line: string) => line.replace(archive, "other.zip"), "do not name"],
    ] as const) {
      using space = new Workspace()
      using server = await release(space)
      server.sum(spoil)
      const folder = join(space.dir, "programs")
      const { code, stderr } = await install(space, server, folder)
      expect(code).not.toBe(0)
      expect(stderr).toContain(message)
      expect(existsSync(folder)).toBe(false)
    }
  })
})

async function release(space: Workspace): Promise<ReleaseServer> {
  const server = new ReleaseServer()
  const file = join(space.dir, archive)
  // The tar of Windows writes a zip archive if the file is named so.
  const parts = ["tar", "-a", "-cf", file, "-C", join(binary, ".."), "aman.exe"]
  expect(Bun.spawnSync(parts).exitCode).toBe(0)
  server.files.set(archive, readFileSync(file))
  server.sum()
  return server
}

async function install(space: Workspace, server: ReleaseServer, folder: string) {
  const child = Bun.spawn(["powershell", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", script], {
    env: { ...process.env, TEMP: space.dir, AMAN_BASE_URL: server.url, AMAN_INSTALL_DIR: folder },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, stdout, stderr: stderr.replaceAll(/\s+/g, " ") }
}
