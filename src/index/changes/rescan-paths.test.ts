import { afterAll, expect, test } from "bun:test"
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { scanProject } from "../../tree/scan/scan-folder.ts"
import type { ScanResult } from "../../tree/scan/scan-snapshot.ts"
import { rescanPaths } from "./detect-changes.ts"

const box = realpathSync(mkdtempSync(join(tmpdir(), "aman-near-")))
afterAll(() => rmSync(box, { recursive: true }))
let count = 0

/** Long after every write, so that no time is close to the start of a scan. */
const LATER = Date.now() + 3_600_000

class Tree {
  readonly root = join(box, `p${count++}`)
  readonly options = { maxFileBytes: 50, indexDir: join(this.root, ".aman") }

  constructor(...files: readonly string[]) {
    mkdirSync(this.root)
    for (const file of files) this.put(file, "one\n")
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true, force: true })
  }

  /** Scans after making all times old, so that any write shows. */
  scan(): ScanResult {
    for (const path of [".", ...readdirSync(this.root, { recursive: true, encoding: "utf8" })])
      utimesSync(join(this.root, path), 1e9, 1e9)
    return scanProject(this.root, this.options, LATER)
  }

  rescan(last: ScanResult, ...paths: readonly string[]) {
    const found = rescanPaths(this.root, last, this.options, new Set(paths), LATER + 1)
    return found && { changed: found.changed.map(({ path }) => path), removed: found.removed }
  }
}

const NOTHING = { changed: [], removed: [] }

// The combinations of two events on one path, for which other watchers have rules; here the files on disk
// decide.
test("reports a created and written file as new", () => {
  const tree = new Tree("a.ts")
  const last = tree.scan()
  tree.put("b.ts", "")
  tree.put("b.ts", "more\n")
  expect(tree.rescan(last, "b.ts")).toEqual({ changed: ["b.ts"], removed: [] })
})

test("reports nothing for a file that was created and removed", () => {
  const tree = new Tree("a.ts")
  const last = tree.scan()
  tree.put("b.ts", "")
  tree.remove("b.ts")
  expect(tree.rescan(last, "b.ts")).toEqual(NOTHING)
})

test("reports a written and removed file as deleted", () => {
  const tree = new Tree("a.ts", "b.ts")
  const last = tree.scan()
  tree.put("b.ts", "more\n")
  tree.remove("b.ts")
  expect(tree.rescan(last, "b.ts")).toEqual({ changed: [], removed: ["b.ts"] })
})

test("reports a file as changed that was removed and created again, as editors do", () => {
  const tree = new Tree("a.ts", "b.ts")
  const last = tree.scan()
  tree.put("b.ts~", "other\n")
  tree.remove("b.ts")
  renameSync(join(tree.root, "b.ts~"), join(tree.root, "b.ts"))
  expect(tree.rescan(last, "b.ts~", "b.ts")).toEqual({ changed: ["b.ts"], removed: [] })
})

test("checks no other paths", () => {
  const tree = new Tree("a.ts", "b.ts", "c/d.ts")
  const last = tree.scan()
  for (const path of ["a.ts", "b.ts", "c/d.ts"]) tree.put(path, "changed\n")
  expect(tree.rescan(last, "b.ts")).toEqual({ changed: ["b.ts"], removed: [] })
  expect(tree.rescan(last)).toEqual(NOTHING)
})

test("checks a named folder and the files directly in it", () => {
  const tree = new Tree("c/d.ts", "c/e/f.ts")
  const last = tree.scan()
  for (const path of ["c/d.ts", "c/e/f.ts"]) tree.put(path, "changed\n")
  expect(tree.rescan(last, "c")).toEqual({ changed: ["c/d.ts"], removed: [] })
})

test("includes all files of a new folder and drops those of a deleted one", () => {
  const tree = new Tree("a.ts", "old/b.ts", "old/c/d.ts")
  const last = tree.scan()
  renameSync(join(tree.root, "old"), join(tree.root, "new"))
  expect(tree.rescan(last, "old", "new")).toEqual({
    changed: ["new/b.ts", "new/c/d.ts"],
    removed: ["old/b.ts", "old/c/d.ts"],
  })
})

test("reports a file of unchanged size and time again if the clock cannot tell", () => {
  const tree = new Tree("a.ts", "b.ts")
  const last = { ...tree.scan(), startedAtMs: 1e12 }
  expect(tree.rescan(last, "a.ts")).toEqual({ changed: ["a.ts"], removed: [] })
})

test("drops a file that grows too large, and reports it again when it shrinks", () => {
  const tree = new Tree("a.ts")
  const last = tree.scan()
  appendFileSync(join(tree.root, "a.ts"), "x".repeat(100))
  expect(tree.rescan(last, "a.ts")).toEqual({ changed: [], removed: ["a.ts"] })
  const without = tree.scan()
  tree.put("a.ts", "short\n")
  expect(tree.rescan(without, "a.ts")).toEqual({ changed: ["a.ts"], removed: [] })
})

test("returns null when a rule file appeared or changed", () => {
  const tree = new Tree("a.ts", "b/c.ts", "b/.gitignore")
  const last = tree.scan()
  for (const path of [".gitignore", "b/.gitignore", ".amanignore", "b/.git"])
    expect(tree.rescan(last, "a.ts", path)).toBeNull()
  const { root, options } = tree
  expect(rescanPaths(root, last, { ...options, exclude: ["b"] }, new Set(["a.ts"]))).toBeNull()
})

test("finds the same as a new scan after any edits, given their paths", () => {
  const name = fc.constantFrom("a.ts", "b.md", "c.png", "d", "e")
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"))
  const edit = fc.record({ path, size: fc.constantFrom(-1, 5, 40, 90), to: fc.option(path) })
  const outline = ({ files, folders, tooLarge, skipped }: ScanResult) => ({
    files,
    tooLarge: tooLarge.map((file) => file.path),
    folders: folders.map((folder) => folder.path),
    skipped,
  })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), fc.nat(12), (edits, first) => {
      const tree = new Tree("a.ts", "d/a.ts", "d/e/b.md", "e/c.png")
      const apply = ({ path, size, to }: (typeof edits)[number]) => {
        try {
          if (size < 0) tree.remove(path)
          else if (to === null) tree.put(path, "x".repeat(size))
          else renameSync(join(tree.root, path), join(tree.root, to))
        } catch {
          // A file where a folder should be, or nothing to rename.
        }
      }
      for (const each of edits.slice(0, first)) apply(each)
      const last = tree.scan()
      const touched = new Set<string>()
      for (const each of edits.slice(first)) {
        apply(each)
        // The path and all its parent folders, as the system reports them, because the edit may have created
        // the parents.
        for (const named of [each.path, each.to ?? each.path])
          for (let at = named; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) touched.add(at)
      }
      const found = rescanPaths(tree.root, last, tree.options, touched, LATER + 1)!
      expect(outline(found.scan)).toEqual(outline(scanProject(tree.root, tree.options, LATER)))
    }),
    {
      numRuns: 150,
      examples: [
        [
          [
            { path: "c.png", size: 5, to: null },
            { path: "c.png", size: -1, to: null },
          ],
          1,
        ],
      ],
    },
  )
})
