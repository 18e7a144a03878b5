import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TempProject } from "../../../test/temp-project.ts"
import { indexProject } from "./index-project.ts"

const REFUND = "Refunds.\n\nMoney goes back to the customer.\n"
let project: TempProject

beforeEach(() => {
  project = new TempProject({
    "billing/refund.txt": REFUND,
    "billing/invoice.txt": "An invoice lists what was bought.\n",
    "web/login.txt": "Too many attempts lock the account.\n",
    "noise.dat": new Uint8Array(40),
  })
})
afterEach(() => project[Symbol.dispose]())

/** Name, bytes and time of everything that a run could have written. */
function indexFiles(): string[] {
  const folder = join(project.root, ".aman")
  return readdirSync(folder)
    .filter((name) => !/-(wal|shm)$/.test(name))
    .sort()
    .map((name) => {
      const path = join(folder, name)
      return `${name} ${Bun.hash(readFileSync(path))} ${statSync(path).mtimeMs}`
    })
}

function ids(): Record<string, number> {
  const { store } = project.open().reader()!
  return Object.fromEntries(store.files.all().map(({ path, id }) => [path, id]))
}

const derived = (kind: string) =>
  join(project.root, ".aman", readdirSync(join(project.root, ".aman")).find((name) => name.startsWith(kind))!)

test("reports the index's content and the run's changes", async () => {
  expect(await project.index()).toMatchObject({
    root: project.root,
    files: 3,
    chunks: 3,
    languages: { text: 3 },
    skipped: { binary: 1 },
    embedding: { provider: "static", model: "aman512", dimensions: 512 },
    changed: 3,
    removed: 0,
    notices: [],
  })
})

test("changes and writes nothing in a second run", async () => {
  await project.index()
  const before = indexFiles()
  expect(before.length).toBeGreaterThan(3)
  const known = ids()
  for (let run = 0; run < 2; run++) expect(await project.index()).toMatchObject({ changed: 0, removed: 0 })
  expect(indexFiles()).toEqual(before)
  expect(ids()).toEqual(known)
})

test("hides the index from git, whatever the project's rules say", async () => {
  await project.index()
  expect(readFileSync(join(project.root, ".aman/.gitignore"), "utf8")).toBe("*\n")
})

describe("updates exactly what changed:", () => {
  let before: Record<string, number>
  beforeEach(async () => {
    await project.index()
    before = ids()
  })

  test("an edit", async () => {
    project.write("web/login.txt", "Passwords are compared in constant time.\n")
    expect(await project.index()).toMatchObject({ changed: 1, removed: 0 })
    const { "web/login.txt": edited, ...others } = ids()
    expect(edited).toBeGreaterThan(Math.max(...Object.values(before)))
    expect(others).toEqual({
      "billing/refund.txt": before["billing/refund.txt"]!,
      "billing/invoice.txt": before["billing/invoice.txt"]!,
    })
    expect(await project.paths("constant", { mode: "keyword" })).toEqual(["web/login.txt"])
    expect(await project.paths("attempts", { mode: "keyword" })).toEqual([])
  })

  test("a new file", async () => {
    project.write("web/logout.txt", "Sessions end at midnight.\n")
    expect(await project.index()).toMatchObject({ changed: 1, removed: 0 })
    expect(ids()).toMatchObject(before)
    expect(await project.paths("midnight", { mode: "keyword" })).toEqual(["web/logout.txt"])
  })

  test("a deleted file", async () => {
    project.remove("billing/refund.txt")
    expect(await project.index()).toMatchObject({ changed: 0, removed: 1, files: 2 })
    const { "billing/refund.txt": _, ...others } = before
    expect(ids()).toEqual(others)
    expect(await project.paths("customer", { mode: "keyword" })).toEqual([])
  })

  test("a renamed file", async () => {
    project.rename("billing/refund.txt", "billing/returns/policy.txt")
    expect(await project.index()).toMatchObject({ changed: 1, removed: 1, files: 3 })
    expect(await project.paths("customer", { mode: "keyword" })).toEqual(["billing/returns/policy.txt"])
    expect(Object.keys(ids()).sort()).toEqual([
      "billing/invoice.txt",
      "billing/returns/policy.txt",
      "web/login.txt",
    ])
  })

  test("a renamed folder", async () => {
    project.rename("billing", "money")
    expect(await project.index()).toMatchObject({ changed: 2, removed: 2, files: 3 })
    expect(await project.paths("customer", { mode: "keyword" })).toEqual(["money/refund.txt"])
  })

  test("the same bytes with another time, which are no change", async () => {
    project.touch("web/login.txt")
    expect(await project.index()).toMatchObject({ changed: 0, removed: 0 })
    expect(ids()).toEqual(before)
    const state = indexFiles()
    expect(await project.index()).toMatchObject({ changed: 0, removed: 0 })
    expect(indexFiles()).toEqual(state)
  })

  test("a folder replaced by a file, and back", async () => {
    project.remove("billing")
    project.write("billing", "Only a note now.\n")
    expect(await project.index()).toMatchObject({ changed: 1, removed: 2, files: 2 })
    project.remove("billing")
    project.write("billing/refund.txt", REFUND)
    expect(await project.index()).toMatchObject({ changed: 1, removed: 1, files: 2 })
    expect(await project.paths("customer", { mode: "keyword" })).toEqual(["billing/refund.txt"])
  })
})

describe("a file that was read and left out", () => {
  /** Writes another text of the same size and time, so that only reading the file shows the change. */
  function replaceUnseen(time: number): void {
    const path = join(project.root, "noise.dat")
    writeFileSync(path, "z".repeat(40))
    utimesSync(path, time, time)
  }

  test("is not read again while its size and time are unchanged", async () => {
    const { mtimeMs } = statSync(join(project.root, "noise.dat"))
    await project.index()
    replaceUnseen(mtimeMs / 1000)
    expect(await project.index()).toMatchObject({ changed: 0, skipped: { binary: 1 } })
  })

  test("nor if its time is so recent that a change could be missed", async () => {
    const inTheFuture = 4_000_000_000
    utimesSync(join(project.root, "noise.dat"), inTheFuture, inTheFuture)
    await project.index()
    const before = ids()
    replaceUnseen(inTheFuture)
    expect(await project.index()).toMatchObject({ changed: 0, skipped: { binary: 1 } })
    expect(ids()).toEqual(before)
  })

  test("is read when its size or time changes", async () => {
    await project.index()
    project.write("noise.dat", "legible at last\n")
    expect(await project.index()).toMatchObject({ changed: 1, files: 4, skipped: {} })
    expect(await project.paths("legible", { mode: "keyword" })).toEqual(["noise.dat"])
  })
})

test("indexes files whose names are special to a shell or a database", async () => {
  const names = [
    "a b/c d.txt",
    "-rf.txt",
    "it's.txt",
    'quo"te.txt',
    "naïve/größe.txt",
    "%s;--.txt",
    "日本.txt",
  ]
  for (const name of names) project.write(name, "peculiar words\n")
  await project.index()
  expect((await project.paths("peculiar", { mode: "keyword" })).sort()).toEqual([...names].sort())
  project.remove("it's.txt")
  expect(await project.index()).toMatchObject({ changed: 0, removed: 1 })
})

describe("rebuilds damaged files in the next run:", () => {
  const whole = async () => {
    expect(await project.paths("customer", { mode: "keyword" })).toEqual(["billing/refund.txt"])
    expect((await project.paths("customer money", { mode: "semantic" }))[0]).toBe("billing/refund.txt")
  }
  beforeEach(async () => {
    using first = project.open()
    await indexProject(first)
  })

  test("a database file with other content", async () => {
    for (const suffix of ["-wal", "-shm"])
      rmSync(join(project.root, `.aman/index.db${suffix}`), { force: true })
    writeFileSync(join(project.root, ".aman/index.db"), "no database, but long enough for one. ".repeat(400))
    expect(await project.index()).toMatchObject({ changed: 3, files: 3 })
    await whole()
  })

  test("an empty database", async () => {
    truncateSync(join(project.root, ".aman/index.db"), 0)
    expect(await project.index()).toMatchObject({ changed: 3, files: 3 })
    await whole()
  })

  test("a truncated keyword segment", async () => {
    truncateSync(derived("keyword"), 100)
    expect(await project.index()).toMatchObject({ changed: 3, files: 3 })
    await whole()
  })

  test("a keyword segment altered at the same size", async () => {
    const path = derived("keyword")
    const bytes = readFileSync(path)
    bytes.fill(0x5a, bytes.length >> 1)
    writeFileSync(path, bytes)
    expect(await project.index()).toMatchObject({ changed: 3, files: 3 })
    await whole()
  })

  test("missing keyword and vector files", async () => {
    rmSync(derived("keyword"))
    rmSync(derived("vectors"))
    expect(await project.index()).toMatchObject({ changed: 3, files: 3 })
    await whole()
  })

  test("a lock file that is not a database", async () => {
    writeFileSync(join(project.root, ".aman/lock.db"), "garbage ".repeat(200))
    project.write("billing/refund.txt", `${REFUND}\nWithin three days.\n`)
    expect(await project.index()).toMatchObject({ changed: 1 })
    await whole()
  })

  test("an empty index folder", async () => {
    rmSync(join(project.root, ".aman"), { recursive: true })
    expect(await project.index()).toMatchObject({ changed: 3, files: 3 })
    await whole()
  })
})
