import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import { scanProject } from "../../tree/scan/scan-folder.ts"
import { type PackedScan, packScan, readPacked } from "../../tree/scan/scan-snapshot.ts"
import { statDifferences } from "./detect-changes.ts"

const isLinux = process.platform === "linux"
const LATER = Date.now() + 3_600_000
const FILES = { "a.ts": "a\n", "b/ü.ts": "b\n", "b/c d.ts": "c\n", "e.ts": "e\n" }
let project: TempProject
let packed: PackedScan

beforeEach(() => {
  project = new TempProject(FILES)
  packed = scanned(LATER)
})
afterEach(() => project[Symbol.dispose]())

function scanned(startedAtMs: number): PackedScan {
  const { root } = project
  for (const path of ["b", "."]) utimesSync(join(root, path), 1e9, 1e9 + 0.123_456_7)
  return readPacked(packScan(scanProject(root, { maxFileBytes: 50, indexDir: "/none" }, startedAtMs)))!
}

/** Paths of files and folders that differ. */
function differing(): string[] | null {
  const { files, folders } = packed.unpack()
  const found = statDifferences(project.root, packed)
  return (
    found && [...found.files.map((i) => files[i]!.path), ...found.folders.map((i) => `${folders[i]!.path}/`)]
  )
}

test.if(isLinux)("names nothing when nothing changed", () => {
  expect(differing()).toEqual([])
})

test.if(isLinux)("compares times to a quarter of a microsecond", () => {
  utimesSync(join(project.root, "a.ts"), 1e9, 1_700_000_000.123_456)
  packed = scanned(LATER)
  expect(differing()).toEqual([])
  utimesSync(join(project.root, "a.ts"), 1e9, 1_700_000_000.123_457)
  expect(differing()).toEqual(["a.ts"])
})

test.if(isLinux)(
  "names entries with another size or time, and those deleted or replaced by a link or folder",
  () => {
    const { root } = project
    project.touch("a.ts")
    rmSync(join(root, "b/ü.ts"))
    symlinkSync("../a.ts", join(root, "b/ü.ts"))
    rmSync(join(root, "e.ts"))
    mkdirSync(join(root, "e.ts"))
    expect(differing()).toEqual(["a.ts", "b/ü.ts", "e.ts", "/", "b/"])
  },
)

test.if(isLinux)("names everything when the root is gone", () => {
  renameSync(project.root, `${project.root}.moved`)
  expect(differing()).toBeNull()
  writeFileSync(project.root, "")
  expect(differing()).toEqual(["a.ts", "b/c d.ts", "b/ü.ts", "e.ts", "/", "b/"])
})

test.if(isLinux)("names entries whose time is close to the last scan", () => {
  const started = 1_700_000_000_500
  utimesSync(join(project.root, "a.ts"), 1e9, started / 1000)
  packed = scanned(started)
  expect(differing()).toEqual(["a.ts"])
})
