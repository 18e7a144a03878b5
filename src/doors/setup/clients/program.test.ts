import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commandWords, isOurHook, quoteForCommand } from "./hook-entry.ts"
import { isCalledAman, programFor } from "./program.ts"

describe("how this program is started", () => {
  let box = ""
  const at = (...parts: string[]) => join(box, ...parts)
  beforeAll(() => {
    box = realpathSync(mkdtempSync(join(tmpdir(), "aman-program-")))
    for (const folder of ["cellar/0.2", "bin", "other", "node_modules/.bin"])
      mkdirSync(at(folder), { recursive: true })
    for (const file of ["cellar/0.2/aman", "other/aman"]) {
      writeFileSync(at(file), "#!/bin/sh\n")
      chmodSync(at(file), 0o755)
    }
    for (const link of ["bin/aman", "node_modules/.bin/aman"]) symlinkSync(at("cellar/0.2/aman"), at(link))
  })
  afterAll(() => rmSync(box, { recursive: true }))

  const programOn = (path: string, isWindowed = false) => {
    const env = { PATH: path }
    return programFor({ executable: at("cellar/0.2/aman"), env, platform: "linux" }, isWindowed)
  }

  test("uses the name if the PATH leads to this program, else its path", () => {
    expect(programOn(at("bin")).command).toBe("aman")
    expect(programOn("/nowhere")).toMatchObject({ command: at("cellar/0.2/aman"), isAbsolute: true })
    expect(programOn(`${at("other")}:${at("bin")}`).command).toBe(at("cellar/0.2/aman"))
    expect(programOn(`.:relative/bin:${at("bin")}`).command).toBe("aman")
    expect(programOn(at("node_modules/.bin")).command).toBe(at("cellar/0.2/aman"))
  })

  test("skips a folder of the PATH that cannot be entered", () => {
    symlinkSync(at("loop"), at("loop"))
    expect(programOn(`${at("loop")}:${at("bin")}`).command).toBe("aman")
  })

  test("gives a desktop program the path found on the PATH, which stays valid after an update", () => {
    expect(programOn(at("bin"), true).command).toBe(at("bin/aman"))
  })

  test("recognizes names and links of this program, and no other program", () => {
    const program = programOn(at("bin"))
    for (const same of ["aman", at("bin/aman"), at("cellar/0.2/aman")])
      expect(program.isSame(same)).toBe(true)
    for (const other of [at("other/aman"), "/gone/aman", "aman-x"]) expect(program.isSame(other)).toBe(false)
    expect(programOn(at("other")).isSame("aman")).toBe(false)
  })
})

test("recognizes the names of our releases", () => {
  const ours = ["aman", "/usr/bin/aman", "C:\\tools\\aman.exe", "./aman-linux-x64", "AMAN.EXE"]
  expect(ours.filter((name) => !isCalledAman(name))).toEqual([])
  expect(["amanita", "/opt/aman/other", "xaman", ""].filter(isCalledAman)).toEqual([])
})

test("recognizes our hook in every form, and no other", () => {
  const ours = [
    { command: "aman hook stop --agent codex" },
    { command: "'/opt/my tools/aman' hook stop --agent codex" },
    { command: '"C:\\Program Files\\aman.exe" hook stop --agent codex' },
    { command: "C:\\aman.exe", args: ["hook", "stop", "--agent", "claude-code"] },
  ]
  expect(ours.filter((handler) => !isOurHook(handler))).toEqual([])
  const others = [
    { command: "aman search x" },
    { command: "other hook stop --agent codex" },
    { type: "prompt" },
    null,
  ]
  expect(others.filter(isOurHook)).toEqual([])
})

test("reads quoted words back unchanged", () => {
  for (const word of ["/opt/my tools/aman", "aman", "/home/o'brien/bin/aman"]) {
    expect(commandWords({ command: `${quoteForCommand(word, "linux")} hook` })).toEqual([word, "hook"])
  }
  expect(quoteForCommand("C:\\Program Files\\aman.exe", "win32")).toBe('"C:\\Program Files\\aman.exe"')
})
