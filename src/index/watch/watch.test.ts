import { afterEach, describe, expect, test } from "bun:test"
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Debounce, FolderWatch, GatheredHints } from "./watch.ts"

function after(...events: readonly number[]): number | null {
  const debounce = new Debounce(500)
  for (const at of events) debounce.note(at)
  return debounce.dueMs
}

test("is not due before any event or after a scan", () => {
  const debounce = new Debounce(500)
  expect(debounce.dueMs).toBeNull()
  debounce.note(1000)
  debounce.clear()
  expect(debounce.dueMs).toBeNull()
})

test("waits 50 ms for a single event, also if it comes as two", () => {
  expect(after(1000)).toBe(1050)
  expect(after(1000, 1002)).toBe(1052)
})

test("waits longer for a longer burst, at most 500 ms", () => {
  expect(after(1000, 1040, 1080, 1120)).toBe(1240)
  expect(after(1000, 1300)).toBe(1600)
  expect(after(1000, 1300, 1700, 2100, 2500)).toBe(3000)
})

test("is due every ten seconds during endless events", () => {
  const events = Array.from({ length: 1000 }, (_, i) => i * 100)
  expect(after(...events)).toBe(10_000)
})

test("is due immediately with a debounce of 0", () => {
  const debounce = new Debounce(0)
  debounce.note(1000)
  expect(debounce.dueMs).toBe(1000)
})

const open: Disposable[] = []
afterEach(() => {
  for (const each of open.splice(0)) each[Symbol.dispose]()
})

class Box implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "aman-watch-")))
  readonly heard: string[] = []
  readonly blind: string[] = []
  readonly watch: FolderWatch
  lost = 0

  constructor(isRecursive: boolean) {
    open.push(this)
    const heard = {
      onPath: (path: string) => void this.heard.push(path),
      onLost: () => void this.lost++,
      onWatchFailure: (reason: string) => void this.blind.push(reason),
    }
    this.watch = new FolderWatch(this.root, heard, isRecursive)
  }

  at(path: string): string {
    return join(this.root, path)
  }

  folder(...paths: readonly string[]): void {
    for (const path of paths) mkdirSync(this.at(path), { recursive: true })
  }

  /** Waits until an event for the path was received; without one, the test's time limit ends the wait. */
  async hears(path: string): Promise<void> {
    while (!this.heard.includes(path)) await Bun.sleep(5)
    this.heard.length = 0
  }

  [Symbol.dispose](): void {
    this.watch.close()
    rmSync(this.root, { recursive: true, force: true })
  }
}

const ways = [
  ["folder by folder", false],
  ["as a tree", true],
] as const

describe.each(ways)("%s", (_, isRecursive) => {
  test("reports written, created, renamed and removed files", async () => {
    const box = new Box(isRecursive)
    box.folder("a/b")
    writeFileSync(box.at("a/b/one"), "1")
    expect(await box.watch.follow(["", "a", "a/b"], [])).toEqual(["", "a", "a/b"])
    appendFileSync(box.at("a/b/one"), "2")
    await box.hears("a/b/one")
    writeFileSync(box.at("two"), "2")
    await box.hears("two")
    renameSync(box.at("two"), box.at("a/three"))
    await box.hears("a/three")
    rmSync(box.at("a/b/one"))
    await box.hears("a/b/one")
  })

  test("does not report events in folders that are not watched", async () => {
    const box = new Box(isRecursive)
    box.folder("a", "left-out")
    await box.watch.follow(["", "a"], [])
    writeFileSync(box.at("left-out/file"), "1")
    writeFileSync(box.at("a/file"), "1")
    while (!box.heard.includes("a/file")) await Bun.sleep(5)
    expect(box.heard).not.toContain("left-out/file")
  })

  test("returns a folder that is watched later as new", async () => {
    const box = new Box(isRecursive)
    await box.watch.follow([""], [])
    box.folder("new")
    await box.hears("new")
    expect(await box.watch.follow(["", "new"], [])).toContain("new")
    writeFileSync(box.at("new/file"), "1")
    await box.hears("new/file")
  })

  test("watches the right folders after one was moved and replaced", async () => {
    const box = new Box(isRecursive)
    box.folder("a/x", "b/x")
    await box.watch.follow(["", "a", "a/x", "b", "b/x"], [])
    renameSync(box.at("a"), box.at("c"))
    renameSync(box.at("b"), box.at("a"))
    await box.hears("a")
    await box.watch.follow(["", "a", "a/x", "c", "c/x"], [])
    box.heard.length = 0
    writeFileSync(box.at("a/x/file"), "1")
    await box.hears("a/x/file")
    writeFileSync(box.at("c/x/file"), "1")
    await box.hears("c/x/file")
  })

  test("reports a changed rule file outside the folders, but not its neighbours", async () => {
    const box = new Box(isRecursive)
    box.folder("inside", ".git/info")
    await box.watch.follow(["", "inside"], [box.at(".git/info/exclude")])
    box.lost = 0
    writeFileSync(box.at(".git/info/other"), "1")
    writeFileSync(box.at("inside/file"), "1")
    await box.hears("inside/file")
    expect(box.lost).toBe(0)
    writeFileSync(box.at(".git/info/exclude"), "*.txt\n")
    while (box.lost === 0) await Bun.sleep(5)
  })

  test("ignores folders that vanish before they can be watched", async () => {
    const box = new Box(isRecursive)
    await box.watch.follow(["", "never/was"], [])
    writeFileSync(box.at("file"), "1")
    await box.hears("file")
    expect(box.blind).toEqual([])
  })

  test("reports nothing after close", async () => {
    const box = new Box(isRecursive)
    await box.watch.follow([""], [])
    box.watch.close()
    const other = new Box(isRecursive)
    await other.watch.follow([""], [])
    writeFileSync(box.at("file"), "1")
    writeFileSync(other.at("file"), "1")
    await other.hears("file")
    expect(box.heard).toEqual([])
  })
})

test("returns a path once that was named twice, and only at the first take", () => {
  const hints = new GatheredHints()
  for (const path of ["a", "b", "a"]) hints.add(path)
  expect(hints.size).toBe(2)
  expect(hints.take()).toEqual(new Set(["a", "b"]))
  expect(hints.take()).toEqual(new Set())
})

test('returns "everything" above the limit of paths, until taken', () => {
  const hints = new GatheredHints()
  for (let i = 0; i < 10_000; i++) hints.add(`folder/file${i}`)
  hints.add("one more")
  expect(hints.size).toBeNull()
  expect(hints.take()).toBe("everything")
  expect(hints.size).toBe(0)
})
