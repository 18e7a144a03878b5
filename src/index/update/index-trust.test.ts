import { expect, test } from "bun:test"
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import { openProject } from "../open/open-project.ts"
import { openRegistry } from "./index-trust.ts"

const FILES = { "a.py": "def zebra():\n    return 1\n" }

/** An index of the same project made by somebody else: the registry does not know it. */
async function foreignIndex(): Promise<TempProject> {
  const project = new TempProject({ "b.py": "def planted():\n    return 2\n" })
  await project.index()
  project.write("a.py", FILES["a.py"])
  project.remove("b.py")
  openRegistry().remove(join(project.root, ".aman"))
  return project
}

test("does not read an index that came with the project, and builds its own", async () => {
  using project = await foreignIndex()
  expect(project.open().reader()).toBeNull()
  expect(await project.index()).toMatchObject({ changed: 1, removed: 0, files: 1 })
  expect(await project.paths("planted", { mode: "keyword" })).toEqual([])
  expect(await project.paths("zebra")).toEqual(["a.py"])
})

test("does not read an index put in place of ours", async () => {
  using foreign = await foreignIndex()
  using project = new TempProject(FILES)
  await project.index()
  project.close()
  for (const name of ["index.db", "index.db-wal", "index.db-shm"]) {
    rmSync(join(project.root, ".aman", name), { force: true })
  }
  cpSync(join(foreign.root, ".aman"), join(project.root, ".aman"), { recursive: true })
  expect(project.open().reader()).toBeNull()
  expect(await project.index()).toMatchObject({ changed: 1, files: 1 })
})

test("uses our own index again, and never mixes two projects in one folder", async () => {
  using one = new TempProject(FILES)
  using two = new TempProject({ "b.py": "def yak():\n    return 2\n" })
  const shared = { "index.dir": join(one.box, "index") }
  await one.index(shared)
  expect(await one.index(shared)).toMatchObject({ changed: 0 })
  expect(two.open(shared).reader()).toBeNull()
  expect(await two.index(shared)).toMatchObject({ changed: 1, files: 1 })
  expect(one.open(shared).reader()).toBeNull()
})

test("keeps the index of a moved project and builds one for a copy", async () => {
  using project = new TempProject(FILES)
  await project.index()
  project.close()
  const copy = join(project.box, "copy")
  cpSync(project.root, copy, { recursive: true, preserveTimestamps: true })
  using copied = openProject({ root: copy, cwd: copy })
  expect(copied.reader()).toBeNull()
  const moved = join(project.box, "moved")
  renameSync(project.root, moved)
  using there = openProject({ root: moved, cwd: moved })
  expect(there.reader()?.store.files.totals().files).toBe(1)
  const known = openRegistry()
    .all()
    .map((entry) => entry.dir)
  expect(known).toContain(join(moved, ".aman"))
  expect(known).not.toContain(join(project.root, ".aman"))
})

test("does not play back a database log from the project's history", async () => {
  using project = new TempProject(FILES)
  await project.index()
  project.close()
  const git = (...args: string[]) => Bun.spawnSync(["git", "-C", project.root, ...args])
  const log = join(project.root, ".aman/index.db-wal")
  git("init", "-q")
  writeFileSync(log, "a log of nothing")
  expect(await project.index()).toMatchObject({ changed: 0 })
  project.close()
  writeFileSync(log, "a log of nothing")
  git("add", "-f", ".aman/index.db-wal")
  expect(await project.index()).toMatchObject({ changed: 1, files: 1 })
})

test("writes nothing through a link in place of one of our files", async () => {
  using project = new TempProject(FILES)
  const folder = join(project.root, ".aman")
  mkdirSync(folder)
  const victims = [
    ".gitignore",
    "index.db",
    "index.db-wal",
    "lock.db",
    "lock.db-journal",
    "wanted",
    "keyword-1.seg.tmp",
  ]
  for (const name of victims) {
    writeFileSync(join(project.box, name), `precious ${name}`)
    symlinkSync(join(project.box, name), join(folder, name))
  }
  writeFileSync(join(project.box, "vectors-1"), "precious vectors-1")
  linkSync(join(project.box, "vectors-1"), join(folder, "vectors-1"))
  symlinkSync(join(project.box, "made"), join(folder, "vectors-2"))
  writeFileSync(join(folder, "notes.txt"), "of somebody else")
  expect(await project.index()).toMatchObject({ files: 1 })
  await project.search("zebra")
  for (const name of [...victims, "vectors-1"]) {
    expect(await Bun.file(join(project.box, name)).text()).toBe(`precious ${name}`)
  }
  expect(existsSync(join(project.box, "made"))).toBe(false)
  expect(readdirSync(folder)).toContain("notes.txt")
})
