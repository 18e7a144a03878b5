import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AmanError, messageOf } from "../errors.ts"
import { createLog } from "../log.ts"
import { displayPath } from "../paths.ts"
import { OpenFolder, openFolderOf } from "./open-folder.ts"

let box: string
beforeEach(() => {
  box = realpathSync(mkdtempSync(join(tmpdir(), "aman-held-")))
})
afterEach(() => rmSync(box, { recursive: true, force: true }))

const isPosix = process.platform !== "win32"

test("returns null for a missing folder, or creates it with its parents", () => {
  const path = join(box, "a/b/c")
  expect(OpenFolder.open(path)).toBeNull()
  using folder = OpenFolder.open(path, { make: 0o700 })
  writeFileSync(join(folder.at, "file"), "text")
  expect(readdirSync(path)).toEqual(["file"])
  expect(folder.isInPlace).toBe(true)
  expect(displayPath(join(folder.at, "file"))).toBe(join(path, "file"))
})

test("messages show the path of the folder, not its descriptor", () => {
  const path = join(box, "a folder")
  using folder = OpenFolder.open(path, { make: 0o700 })
  const system = `EPERM: operation not permitted, chmod '${join(folder.at, "knowledge.db")}'`
  const error = new AmanError("IO", system, { hint: `try ${folder.at}` })
  expect(error.message).toBe(`EPERM: operation not permitted, chmod '${join(path, "knowledge.db")}'`)
  expect(error.hint).toBe(`try ${path}`)
  const lines: string[] = []
  createLog("warn", (line) => lines.push(line)).warn("failed", { path: join(folder.at, "file") })
  expect(lines).toEqual([`warn failed path="${join(path, "file")}"\n`])
})

test("messages that are written after the folder was removed and closed show its path, too", () => {
  const path = join(box, "gone")
  const folder = OpenFolder.open(path, { make: 0o700 })
  const inside = join(folder.at, "file")
  rmSync(path, { recursive: true })
  expect(new AmanError("IO", `cannot read ${inside}`).message).toBe(`cannot read ${join(path, "file")}`)
  folder[Symbol.dispose]()
  expect(new AmanError("IO", `cannot read ${inside}`).message).toBe(`cannot read ${join(path, "file")}`)
  expect(messageOf(new Error(`ENOENT: ${inside}`))).toBe(`ENOENT: ${join(path, "file")}`)
  // The system gives the number to the next folder.
  using other = OpenFolder.open(join(box, "other"), { make: 0o700 })
  expect(displayPath(join(other.at, "file"))).toBe(join(box, "other", "file"))
})

describe.skipIf(!isPosix)("a folder that was replaced", () => {
  const swaps: Record<string, (path: string, other: string) => void> = {
    "by a link": (path, other) => symlinkSync(other, path),
    "by a file": (path) => writeFileSync(path, ""),
    "by another folder": (path) => mkdirSync(path),
    "by nothing": () => {},
  }
  test.each(Object.keys(swaps))("%s, it is not in its place, and works again when it is back", (name) => {
    const [path, other, away] = [join(box, "own"), join(box, "other"), join(box, "away")]
    mkdirSync(other)
    using folder = OpenFolder.open(path, { make: 0o700, isStrict: true })
    renameSync(path, away)
    swaps[name]!(path, other)
    expect(folder.isInPlace).toBe(false)
    expect(() => folder.requireInPlace()).toThrow()
    if (process.platform === "linux") writeFileSync(join(folder.at, "late"), "")
    expect(readdirSync(other)).toEqual([])
    rmSync(path, { recursive: true, force: true })
    renameSync(away, path)
    expect(folder.isInPlace).toBe(true)
  })
})

describe.skipIf(!isPosix)("a link", () => {
  test("at or above a strict path is refused, and nothing is created behind it", () => {
    mkdirSync(join(box, "other"))
    symlinkSync(join(box, "other"), join(box, "link"))
    for (const path of [join(box, "link"), join(box, "link/inner"), join(box, "link/inner/more")])
      expect(() => OpenFolder.open(path, { make: 0o700, isStrict: true })).toThrow(/symbolic link/)
    expect(readdirSync(join(box, "other"))).toEqual([])
  })

  test("placed by the user is followed to the target it had when first resolved", () => {
    const link = join(box, "link")
    for (const name of ["first", "second"]) mkdirSync(join(box, name))
    symlinkSync(join(box, "first"), link)
    using folder = OpenFolder.open(link)!
    writeFileSync(join(folder.at, "file"), "")
    expect(existsSync(join(box, "first/file"))).toBe(true)
    rmSync(link)
    symlinkSync(join(box, "second"), link)
    using again = OpenFolder.open(link)!
    expect(displayPath(again.at)).toBe(join(box, "first"))
  })

  test("in place of a user's file opens the folder of its target", () => {
    mkdirSync(join(box, "real"))
    writeFileSync(join(box, "real/store.db"), "")
    symlinkSync(join(box, "real/store.db"), join(box, "store.db"))
    using folder = openFolderOf(join(box, "store.db"))!
    expect(displayPath(folder.at)).toBe(join(box, "real/store.db"))
  })
})

test.skipIf(process.platform !== "linux")(
  "compares device and inode where paths through descriptors do not exist",
  () => {
    const script = `
    Object.defineProperty(process, "platform", { value: "darwin" })
    const { OpenFolder } = await import(${JSON.stringify(join(import.meta.dir, "open-folder.ts"))})
    const fs = await import("node:fs")
    const path = ${JSON.stringify(join(box, "own"))}
    const folder = OpenFolder.open(path, { make: 0o700, isStrict: true })
    const results = [folder.at === path, folder.isInPlace]
    fs.renameSync(path, path + "-away")
    fs.symlinkSync(path + "-away", path)
    results.push(folder.isInPlace)
    try { OpenFolder.open(path, { make: 0o700, isStrict: true }) } catch (error) { results.push(error.code) }
    console.log(JSON.stringify(results))`
    const { stdout } = Bun.spawnSync([process.execPath, "-e", script])
    expect(JSON.parse(stdout.toString())).toEqual([true, true, false, "IO"])
  },
)
