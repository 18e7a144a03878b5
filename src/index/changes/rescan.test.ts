import { afterAll, expect, test } from "bun:test"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { scanProject } from "../../tree/scan/scan-folder.ts"
import type { ScanResult } from "../../tree/scan/scan-snapshot.ts"
import { isRacy, packScan, readPacked } from "../../tree/scan/scan-snapshot.ts"
import { isUnchanged, rescan, statDifferences } from "./detect-changes.ts"

const box = realpathSync(mkdtempSync(join(tmpdir(), "aman-rescan-")))
afterAll(() => rmSync(box, { recursive: true }))
let count = 0

const options = (root: string) => ({ maxFileBytes: 50, indexDir: join(root, ".aman") })
/** Long after every write, so that nothing is racy. */
const LATER = Date.now() + 3_600_000

function project(...files: string[]): string {
  const root = join(box, `p${count++}`)
  mkdirSync(root)
  for (const file of files) put(join(root, file), "one\n")
  return root
}

/** Scans after making all times old, so that any write shows even where the clock ticks slowly. */
function firstScan(root: string): ScanResult {
  for (const path of [".", ...readdirSync(root, { recursive: true, encoding: "utf8" })])
    utimesSync(join(root, path), 1e9, 1e9)
  return scanProject(root, options(root), LATER)
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test("reports nothing when nothing changed", () => {
  const root = project("a.ts", "b/c.ts")
  const last = firstScan(root)
  expect(rescan(root, last, options(root), LATER + 1)).toEqual({
    scan: { ...last, startedAtMs: LATER + 1 },
    changed: [],
    removed: [],
  })
})

test("names changed, new and deleted files", () => {
  const root = project("a.ts", "b/c.ts", "b/d.ts", "gone/e.ts", "kept/f.ts")
  const last = firstScan(root)
  put(join(root, "a.ts"), "another size\n")
  utimesSync(join(root, "b/c.ts"), 1000, 1000)
  put(join(root, "b/new/x.ts"), "new\n")
  rmSync(join(root, "gone"), { recursive: true })
  const { changed, removed } = rescan(root, last, options(root), LATER)
  expect(changed.map((file) => file.path)).toEqual(["a.ts", "b/c.ts", "b/new/x.ts"])
  expect(removed).toEqual(["gone/e.ts"])
})

test("reports a file whose time is within the clock's resolution of the scan", () => {
  const root = project("a.ts", "b.ts")
  utimesSync(join(root, "a.ts"), 1_700_000_000.5, 1_700_000_000.5)
  utimesSync(join(root, "b.ts"), 1_700_000_000, 1_700_000_000)
  const at = (startedAtMs: number) =>
    rescan(root, scanProject(root, options(root), startedAtMs), options(root), LATER)
  expect(at(1_700_000_000_510).changed.map((file) => file.path)).toEqual(["a.ts", "b.ts"])
  expect(at(1_700_000_001_900).changed.map((file) => file.path)).toEqual(["b.ts"])
  expect(at(1_700_000_002_100).changed).toEqual([])
  expect(isRacy(5_000_000.25, 4_000_000)).toBe(true)
})

test("finds a file that shrank below the size limit, and drops one that grew above it", () => {
  const root = project("a.ts")
  put(join(root, "big.ts"), "x".repeat(100))
  const first = firstScan(root)
  put(join(root, "big.ts"), "small")
  put(join(root, "a.ts"), "x".repeat(200))
  const second = rescan(root, first, options(root), LATER)
  expect(second.changed.map((file) => file.path)).toEqual(["big.ts"])
  expect(second.removed).toEqual(["a.ts"])
  expect(second.scan.skipped).toEqual({ "too large": 1 })
})

test("adds files beyond the limit when there is room or the limit is raised", () => {
  const root = project("a.ts", "b.ts", "c.ts")
  firstScan(root)
  const limited = { ...options(root), maxFiles: 2 }
  const last = scanProject(root, limited, LATER)
  expect(last.skipped).toEqual({ "over the limit": 1 })
  const out = ["a.ts", "b.ts", "c.ts"].find((path) => !last.files.some((file) => file.path === path))!
  expect(rescan(root, last, options(root), LATER).changed.map((file) => file.path)).toEqual([out])
  rmSync(join(root, last.files[0]!.path))
  const { changed, removed } = rescan(root, last, limited, LATER)
  expect(changed.map((file) => file.path)).toEqual([out])
  expect(removed).toEqual([last.files[0]!.path])
})

test("applies new rules in folders below that did not change", () => {
  const root = project("a/b/c.log", "a/b/d.ts")
  const first = firstScan(root)
  put(join(root, "a/.gitignore"), "*.log\n")
  const second = rescan(root, first, options(root), LATER)
  expect(second.removed).toEqual(["a/b/c.log"])
  put(join(root, "a/.gitignore"), "nothing of this kind\n")
  expect(rescan(root, second.scan, options(root), LATER).changed.map((file) => file.path)).toEqual([
    "a/.gitignore",
    "a/b/c.log",
  ])
})

test("applies the rules of a repository that appears at the root", () => {
  const root = project("a/out.log", "b.ts")
  const last = firstScan(root)
  Bun.spawnSync(["git", "init", "-q"], { cwd: root })
  writeFileSync(join(root, ".git/info/exclude"), "*.log\n")
  expect(rescan(root, last, options(root), LATER).removed).toEqual(["a/out.log"])
})

test("does not follow a folder that became a link", () => {
  const root = project("a/b.ts", "c.ts")
  const last = firstScan(root)
  renameSync(join(root, "a"), join(box, `moved${count}`))
  symlinkSync(join(box, `moved${count}`), join(root, "a"))
  expect(rescan(root, last, options(root), LATER)).toMatchObject({ changed: [], removed: ["a/b.ts"] })
})

const place = fc
  .array(
    fc.constantFrom("a", "b", "c", "build", "package.json", "x.ts", ".gitignore", ".amanignore", "x.log"),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => parts.join("/"))
const text = fc.constantFrom("one\n", "longer text\n", "*.log\n", "b\n", "!x.log\n", "y".repeat(80))
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("put" as const), path: place, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path: place, text }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("index" as const),
      path: place.map((path) => `${path}/CMakeLists.txt`),
      text,
    }),
  },
)

test("finds the same as a new scan, whatever happened in between", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 3, maxLength: 12 }),
      fc.array(step, { maxLength: 5 }),
      (before, after) => {
        const root = project("first.ts")
        for (const each of before) apply(root, each)
        const packed = readPacked(packScan(firstScan(root)))!
        const last = packed.unpack()
        for (const each of after) apply(root, each)
        const { scan, changed, removed } = rescan(root, last, options(root), LATER)
        const differing = statDifferences(root, packed)
        if (differing !== null) {
          expect(rescan(root, last, options(root), LATER, differing)).toEqual({ scan, changed, removed })
          const isSame = changed.length + removed.length === 0 && scan.folders === last.folders
          expect(isUnchanged(root, packed, differing, options(root))).toBe(isSame)
        }
        const fresh = scanProject(root, options(root), LATER)
        expect(comparable(scan)).toEqual(comparable(fresh))
        expect(patched(last, changed, removed)).toEqual(
          fresh.files.map((file) => `${file.path} ${file.size} ${file.mtimeMs}`),
        )
        rmSync(root, { recursive: true })
      },
    ),
    { numRuns: Number(process.env["AMAN_TEST_RUNS"] ?? 200), seed: 4 },
  )
}, 120_000)

function apply(
  root: string,
  { kind, path, text: content }: { kind: string; path: string; text: string },
): void {
  try {
    if (kind === "remove") rmSync(join(root, path), { recursive: true, force: true })
    else put(join(root, path), content)
  } catch {
    // A file stands where a folder is wanted, or the other way round.
  }
}

/** The scan with its rule files sorted, because their order is that of the walk, which differs. */
function comparable(scan: ScanResult) {
  return { ...scan, rules: scan.rules.map((rule) => rule.path).sort() }
}

function patched(last: ScanResult, changed: ScanResult["files"], removed: readonly string[]): string[] {
  const files = new Map(last.files.map((file) => [file.path, file]))
  for (const file of changed) files.set(file.path, file)
  for (const path of removed) files.delete(path)
  return [...files.values()].map((file) => `${file.path} ${file.size} ${file.mtimeMs}`).sort()
}
