import { afterAll, expect, test } from "bun:test"
import { fstatSync, linkSync, mkdirSync, openSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../test/temp-project.ts"
import { innerPath, isGitFolderName, isStillThere } from "./inner-path.ts"

const box = new TempProject({ "own/lock.db": "x\n" })
afterAll(() => box[Symbol.dispose]())

test("refuses files in our own folders, also under another name", () => {
  linkSync(join(box.root, "own/lock.db"), join(box.root, "other.txt"))
  expect(innerPath(box.root, "own/lock.db", [join(box.root, "own")])).toBe("private")
  expect(innerPath(box.root, "other.txt", [join(box.root, "own")])).toBe("private")
  expect(innerPath(box.root, "other.txt", [])).toMatchObject({ path: "other.txt" })
  // The project itself is inside one of the given folders.
  expect(innerPath(box.root, "other.txt", [box.box])).toMatchObject({ path: "other.txt" })
})

test("detects a file that replaced the requested one", () => {
  box.write("c/d.txt", "inside\n")
  mkdirSync(join(box.box, "evil"))
  writeFileSync(join(box.box, "evil/d.txt"), "outside\n")
  const inside = fstatSync(openSync(join(box.root, "c/d.txt"), "r"))
  expect(isStillThere(box.root, "c/d.txt", inside)).toBe(true)
  renameSync(join(box.root, "c"), join(box.root, "moved"))
  symlinkSync(join(box.box, "evil"), join(box.root, "c"))
  const opened = fstatSync(openSync(join(box.root, "c/d.txt"), "r"))
  expect(isStillThere(box.root, "c/d.txt", opened)).toBe(false)
})

test.each([
  ".git",
  ".GIT",
  ".Git ",
  ".git...",
  ".git::$INDEX_ALLOCATION",
  "git~1",
  ".g\u200cit",
  ".git\ufeff",
])("%j may be git's folder", (name) => expect(isGitFolderName(name)).toBe(true))

test.each(["git", ".github", ".gitignore", ".gitattributes", ".git-blame", "x.git", "git~10", ".gi"])(
  "%j is not git's folder",
  (name) => expect(isGitFolderName(name)).toBe(false),
)
