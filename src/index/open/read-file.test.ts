import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import type { Project } from "./open-project.ts"
import { readFile } from "./read-file.ts"

let box: TempProject
let project: Project

beforeAll(() => {
  box = new TempProject({
    "src/a.py": "one\ntwo\nthree\n",
    "dos.txt": "one\r\ntwo\r\n",
    "no-end.txt": "one\ntwo",
    "bom.txt": "\uFEFFone\n",
    "noise.bin": new Uint8Array(20),
    "secrets.ts": "export const secret = 1\n",
    ".env": "TOKEN=1\n",
    ".env.example": "TOKEN=\n",
    "deploy/server.pem": "key\n",
    ".ssh/config": "Host\n",
    ".git/config": "[remote]\n",
    "gitter/config": "fine\n",
  })
  writeFileSync(join(box.box, "outside.txt"), "outside\n")
  mkdirSync(join(box.box, "projects/work/app-two"))
  writeFileSync(join(box.box, "projects/work/app-two/a.txt"), "neighbour\n")
  symlinkSync(join(box.box, "outside.txt"), join(box.root, "leads-out.txt"))
  symlinkSync(box.box, join(box.root, "folder-out"))
  symlinkSync("src/a.py", join(box.root, "leads-in.py"))
  symlinkSync(".env", join(box.root, "innocent.txt"))
  symlinkSync(".git", join(box.root, "innocent"))
  project = box.open()
})
afterAll(() => box[Symbol.dispose]())

const read = (path: string, startLine?: number, endLine?: number) =>
  readFile(project, { path, startLine, endLine })
const codeOf = async (path: string, startLine?: number, endLine?: number) =>
  read(path, startLine, endLine).then(
    ({ text }) => text,
    (error: { code: string }) => error.code,
  )

test("returns a whole file with its language and number of lines", async () => {
  expect(await read("src/a.py")).toEqual({
    path: "src/a.py",
    language: "python",
    start_line: 1,
    end_line: 3,
    total_lines: 3,
    text: "one\ntwo\nthree",
  })
})

test("returns a range of lines, both ends included", async () => {
  expect(await read("src/a.py", 2, 2)).toMatchObject({ start_line: 2, end_line: 2, text: "two" })
  expect(await read("src/a.py", 2)).toMatchObject({ start_line: 2, end_line: 3, text: "two\nthree" })
  expect(await read("src/a.py", undefined, 1)).toMatchObject({ end_line: 1, text: "one" })
  expect(await read("src/a.py", 3, 900)).toMatchObject({ start_line: 3, end_line: 3, total_lines: 3 })
})

test("rejects lines past the end and names the existing ones", async () => {
  expect(await codeOf("src/a.py", 4)).toBe("USAGE")
  expect(await codeOf("src/a.py", 3, 2)).toBe("USAGE")
  await expect(read("src/a.py", 9)).rejects.toThrow("src/a.py has 3 lines")
})

test("leaves out line ends and byte order marks", async () => {
  expect(await read("dos.txt")).toMatchObject({ total_lines: 2, text: "one\ntwo" })
  expect(await read("no-end.txt")).toMatchObject({ total_lines: 2, text: "one\ntwo" })
  expect(await read("bom.txt")).toMatchObject({ total_lines: 1, text: "one" })
})

test("returns the path as the project spells it", async () => {
  expect((await read("./src/../src//a.py")).path).toBe("src/a.py")
  expect(await read("leads-in.py")).toMatchObject({ path: "src/a.py", language: "python" })
  expect((await read(join(box.root, "src/a.py"))).path).toBe("src/a.py")
})

describe("outside the project:", () => {
  test.each([
    ["a parent", "../outside.txt"],
    ["a parent, from below", "src/../../../../outside.txt"],
    ["a neighbour whose name begins alike", "../app-two/a.txt"],
    ["an absolute path", "/etc/passwd"],
    ["a NUL", "src/a.py\0.txt"],
    ["a drive", "C:/windows/win.ini"],
    ["a drive's own folder", "c:win.ini"],
    ["a share", "\\\\server\\share\\file"],
    ["a link that leads out", "leads-out.txt"],
    ["a folder that leads out", "folder-out/outside.txt"],
  ])("%s", async (_, path) => expect(await codeOf(path)).toBe("OUTSIDE_ROOT"))
})

describe("may hold secrets, by any name:", () => {
  test.each([
    ".env",
    "deploy/server.pem",
    ".ssh/config",
    ".git/config",
    ".git",
    "innocent.txt",
    "innocent/config",
  ])("%s", async (path) => expect(await codeOf(path)).toBe("OUTSIDE_ROOT"))
})

describe("but read are", () => {
  test.each([".env.example", "secrets.ts", "gitter/config"])("%s", async (path) => {
    expect((await read(path)).total_lines).toBe(1)
  })
})

test("says whether a file is missing, not text, not a file or too large", async () => {
  expect(await codeOf("src/none.py")).toBe("NOT_FOUND")
  expect(await codeOf("src/a.py/b")).toBe("NOT_FOUND")
  expect(await codeOf("")).toBe("NOT_TEXT")
  expect(await codeOf("src")).toBe("NOT_TEXT")
  expect(await codeOf("noise.bin")).toBe("NOT_TEXT")
  const small = box.open({ "index.max_file_size": 5 })
  await expect(readFile(small, { path: "src/a.py" })).rejects.toMatchObject({
    code: "NOT_TEXT",
    hint: expect.stringContaining("aman config set index.max_file_size"),
  })
})
