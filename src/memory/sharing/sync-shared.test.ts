import { afterEach, beforeEach, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import {
  entriesOf,
  histories,
  live,
  passingKnowledge,
  type Tables,
  tablesOf,
} from "../../../test/knowledge-history.ts"
import type { Knowledge } from "../knowledge.ts"
import { createIds } from "../log/ids.ts"
import { SHARED_FOLDER, stopSharing } from "./shared-folder.ts"
import { countWaiting, startSharing, syncShared } from "./sync-shared.ts"

const START = Date.parse("2026-11-21T20:00:00.000Z")
const NOW = "2026-11-21T23:00:00.000Z"
let box: string
let people: Person[]

/** A person with a clone and a store, in which the project has its own id. */
type Person = {
  readonly name: string
  readonly root: string
  readonly dataDir: string
  readonly knowledge: Knowledge
}

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), "aman-shared-"))
  people = []
})

afterEach(() => {
  for (const { knowledge } of people) knowledge.close()
  rmSync(box, { recursive: true })
})

test("two clones that write on two branches merge without conflict, and both stores have the same entries", () => {
  const origin = join(box, "origin.git")
  git(box, "init", "-q", "--bare", "-b", "main", origin)
  const ann = clone("ann", origin)
  ann.knowledge.remember([
    { text: "The shop is written in Bun.", project: "ann", topic: "stack", entities: ["Bun"] },
  ])
  sync(ann)
  publish(ann, "main")
  const ben = clone("ben", origin)
  expect(sync(ben).received.length).toBeGreaterThan(0)
  for (const [person, branch] of [
    [ann, "ann"],
    [ben, "ben"],
  ] as const) {
    git(person.root, "checkout", "-q", "-b", branch)
    const [first] = entriesOf(person.knowledge)
    person.knowledge.remember([
      {
        text: `${branch} says: deploys go out on ${branch === "ann" ? "Mondays" : "Thursdays"}.`,
        project: branch,
        relations: [{ from: "Bun", to: branch, type: "is liked by" }],
      },
    ])
    person.knowledge.tag([first!.id], { add: [`of-${branch}`] })
    sync(person)
    // A second time on the same branch, so that a file has lines of two syncs.
    person.knowledge.remember([{ text: `More of ${branch}.`, project: branch }])
    sync(person)
    publish(person, branch)
  }
  git(ann.root, "fetch", "-q", "origin")
  git(ann.root, "merge", "-q", "--no-edit", "origin/ben")
  publish(ann, "main")
  git(ben.root, "fetch", "-q", "origin")
  git(ben.root, "merge", "-q", "--no-edit", "origin/main")
  expect(sharedNames(ann).length).toBe(2)
  for (const person of people) expect(sync(person).remarks).toEqual([])
  expect(plain(ann)).toEqual(plain(ben))
  expect(entriesOf(ann.knowledge).length).toBe(5)
  expect(entriesOf(ann.knowledge).find(({ topic }) => topic === "stack")!.tags).toEqual(["of-ann", "of-ben"])
  expect(isClean(ann) && isClean(ben)).toBe(true)
})

test("one store that writes on two branches also merges without conflict", () => {
  const ann = clone("ann", null)
  remember(ann, "Before the branches.")
  sync(ann)
  commit(ann)
  for (const branch of ["one", "two"]) {
    git(ann.root, "checkout", "-q", "-b", branch, "main")
    remember(ann, `On ${branch}.`)
    sync(ann)
    commit(ann)
  }
  git(ann.root, "merge", "-q", "--no-edit", "one")
  const [file] = sharedFiles(ann)
  const ids = file!
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).id)
  expect(new Set(ids).size).toBe(3)
  expect(file).not.toContain("<<<<")
  const ben = cloneOf(ann, "ben")
  sync(ben)
  expect(plain(ben)).toEqual(plain(ann))
})

test("after any actions of two people, both have the same entries once each has synced", () => {
  fc.assert(
    fc.property(histories(["X"]), histories(["X"]), (first, second) => {
      const [ann, ben] = [person("ann"), person("ben")]
      try {
        live(
          ann.knowledge,
          first.map((step) => ({ ...step, project: "ann" })),
        )
        live(
          ben.knowledge,
          second.map((step) => ({ ...step, project: "ben" })),
        )
        // Both sync with one folder, because merging two copies with git is tested elsewhere.
        for (const each of [ann, ben, ann, ben]) sync({ ...each, root: ann.root }, each.dataDir)
        expect(shownTables(ben)).toEqual(shownTables(ann))
        const before = sharedFiles(ann)
        expect(sync(ann)).toMatchObject({ sent: 0, received: [], remarks: [] })
        expect(sharedFiles(ann)).toEqual(before)
      } finally {
        for (const each of people) each.knowledge.close()
        people = []
        rmSync(ann.root, { recursive: true })
      }
    }),
    { numRuns: 12 },
  )
})

test("texts deleted or replaced before sharing are not sent, and a later deletion reaches the others", () => {
  const ann = clone("ann", null)
  ann.knowledge.delete([remember(ann, "the word heronry")])
  const id = remember(ann, "the first form: kingfisher")
  ann.knowledge.revise(id, { text: "the second form" })
  sync(ann)
  expect(sharedFiles(ann).join("")).not.toMatch(/heronry|kingfisher/)
  expect(sharedFiles(ann).join("")).toContain("the second form")
  commit(ann)
  const ben = cloneOf(ann, "ben")
  sync(ben)
  expect(ben.knowledge.list({}).entries.map(({ text }) => text)).toEqual(["the second form"])
  ann.knowledge.revise(id, { text: "written and deleted: bittern" })
  ann.knowledge.delete([id])
  sync(ann)
  expect(sharedFiles(ann).join("")).not.toContain("bittern")
  sync({ ...ben, root: ann.root }, ben.dataDir)
  expect(ben.knowledge.list({}).entries).toEqual([])
})

test("an entry stays superseded for others when its successor is deleted before it is shared", () => {
  const ann = clone("ann", null)
  const old = remember(ann, "deploys go out on Mondays")
  const successor = remember(ann, "deploys go out on Thursdays")
  ann.knowledge.supersede(old, successor)
  ann.knowledge.delete([successor])
  sync(ann)
  commit(ann)
  const ben = cloneOf(ann, "ben")
  expect(sync(ben).remarks).toEqual([])
  expect(shownTables(ben)).toEqual(shownTables(ann))
})

test("nothing is read or written unless the user enabled sharing, even if the project has a shared folder", () => {
  const ann = person("ann")
  remember(ann, "Known to Ann.")
  sync(ann)
  const eve = { ...person("eve"), root: ann.root }
  stopSharing(eve.dataDir, eve.root)
  expect(syncShared(eve.knowledge, eve.root, options(eve))).toBeNull()
  expect(countWaiting(eve.knowledge, eve.root, options(eve))).toBeNull()
  expect(eve.knowledge.events()).toEqual([])
})

test("entries of all or other projects, of conversations, private ones and local paths are not sent", () => {
  const ann = person("ann")
  ann.knowledge.remember([
    { text: "shared text", project: "ann", entities: ["Shared Thing"], metadata: { a: 1 } },
    { text: "global text", project: null },
    { text: "other text", project: "other", entities: ["Other Thing"] },
    {
      text: "spoken text",
      project: "ann",
      kind: "episodic",
      session: "s1",
      role: "person",
      entities: ["Spoken Thing"],
    },
    { text: "tagged text", project: "ann", tags: ["private"], entities: ["Secret Thing"] },
    { text: "local text", project: "ann", source: { ...NOWHERE, path: "/home/ann/notes.md" } },
  ])
  ann.knowledge.remember([{ text: "api_key = 4f9Kq2Lx8Zt6Wb1Rv3Nc", project: "ann" }], { force: true })
  const report = sync(ann)
  const [text] = sharedFiles(ann)
  for (const word of [
    "global",
    "other",
    "Other",
    "spoken",
    "Spoken",
    "tagged",
    "Secret",
    "4f9Kq",
    "/home/ann",
    '"ann"',
  ])
    expect(text).not.toContain(word)
  for (const word of ["shared text", "Shared Thing", "local text"]) expect(text).toContain(word)
  expect(report.remarks.map(({ message }) => message)).toEqual([
    expect.stringContaining("is not shared: it looks like"),
  ])
})

test("a purge removes the bytes from the folder and leaves a mark; others only get a proposal", () => {
  const ann = person("ann")
  const ben = person("ben", ann.root)
  const id = remember(ann, "My password is hunter two.")
  remember(ann, "Something else.")
  sync(ann)
  sync(ben)
  expect(entriesOf(ben.knowledge).length).toBe(2)
  const purgedLine = sharedFiles(ann)[0]!
    .split("\n")
    .find((line) => line.includes("hunter"))
  ann.knowledge.purge([id])
  expect(sync(ann)).toMatchObject({ removedLines: 1, sent: 1 })
  expect(sharedFiles(ann).join("")).not.toContain("hunter")
  expect(sync(ben)).toMatchObject({ purges: [id], received: [], sent: 0 })
  expect(entriesOf(ben.knowledge).length).toBe(2)
  expect(sharedFiles(ann).join("")).not.toContain("hunter")
  expect(syncShared(ben.knowledge, ben.root, { ...options(ben), acceptPurges: true })).toMatchObject({
    purges: [],
  })
  expect(plain(ben)).toEqual(plain(ann))
  // A branch from before the purge brings the line back: it is removed again and not received.
  appendFileSync(join(ann.root, SHARED_FOLDER, sharedNames(ann)[0]!), `${purgedLine}\n`)
  const eve = person("eve", ann.root)
  expect(sync(eve)).toMatchObject({ remarks: [] })
  expect(entriesOf(eve.knowledge).map(({ text }) => text)).toEqual(["Something else."])
  expect(sharedFiles(ann).join("")).not.toContain("hunter")
})

test("opening a project only counts new changes", () => {
  const ann = person("ann")
  const ben = person("ben", ann.root)
  remember(ann, "First.")
  sync(ann)
  for (let i = 0; i < 2; i++)
    expect(countWaiting(ben.knowledge, ben.root, options(ben))).toMatchObject({ held: 1 })
  expect(entriesOf(ben.knowledge)).toEqual([])
})

test("sharing enabled for another project in the same folder applies to that project only", () => {
  const ann = person("ann")
  expect(countWaiting(ann.knowledge, ann.root, { ...options(ann), project: "other" })).toBeNull()
  expect(syncShared(ann.knowledge, ann.root, { ...options(ann), project: "other" })).toBeNull()
})

test("a dry run reports what would be received and sent, and does neither", () => {
  const ann = person("ann")
  const ben = person("ben", ann.root)
  remember(ann, "Of Ann.")
  remember(ben, "Of Ben.")
  expect(syncShared(ann.knowledge, ann.root, { ...options(ann), dryRun: true })).toMatchObject({
    sent: 1,
    received: [],
  })
  expect(existsSync(join(ann.root, SHARED_FOLDER))).toBe(false)
  sync(ann)
  const report = syncShared(ben.knowledge, ben.root, { ...options(ben), dryRun: true })!
  expect([report.sent, report.received.length, entriesOf(ben.knowledge).length]).toEqual([1, 1, 1])
})

const NOWHERE = { startLine: null, endLine: null, symbol: null, hash: null, text: null, commit: null }

function person(name: string, root = mkdtempSync(join(box, `${name}-`))): Person {
  const knowledge = passingKnowledge(START + people.length * 3_600_000)
  const dataDir = join(box, `data-${name}`)
  const one = { name, root, dataDir, knowledge }
  people.push(one)
  startSharing(dataDir, root, { project: name, newId: createIds(() => START) })
  return one
}

function options({ dataDir, name }: Person) {
  return { project: name, now: NOW, dataDir, accept: "all" as const }
}

function sync(one: Person, dataDir = one.dataDir) {
  // The state is stored by folder.
  startSharing(dataDir, one.root, { project: one.name, newId: createIds(() => START) })
  return syncShared(one.knowledge, one.root, { ...options(one), dataDir })!
}

function remember({ knowledge, name }: Person, text: string): string {
  return knowledge.remember([{ text, project: name }])[0]!.id
}

/** All entries, without the store's id of the project. */
function plain({ knowledge, name }: Person): Omit<Tables, "projects" | "marks"> {
  const { entries, entities, relations, events } = tablesOf(knowledge)
  const ids = new Map(entities.map(({ id, name: entity }) => [id, `entity ${entity}`]))
  for (const { id, from, to, relation } of relations)
    ids.set(id, `${ids.get(from)} ${relation} ${ids.get(to)}`)
  let text = JSON.stringify({ entries, entities, relations, events }).replaceAll(
    `"project":"${name}"`,
    '"project":"."',
  )
  for (const [id, word] of ids) text = text.replaceAll(`"${id}"`, JSON.stringify(word))
  const read = JSON.parse(text)
  for (const list of ["entities", "relations"])
    read[list].sort((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1))
  return read
}

/** The tables without deleted entries and previous revisions, which are not shared. */
function shownTables(who: Person) {
  const { entries, entities, relations } = plain(who)
  return { entries: entries.filter(({ deletedAt }) => deletedAt === null), entities, relations }
}

function sharedNames({ root }: Person): string[] {
  if (!existsSync(join(root, SHARED_FOLDER))) return []
  return readdirSync(join(root, SHARED_FOLDER))
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
}

function sharedFiles(one: Person): string[] {
  return sharedNames(one).map((name) => readFileSync(join(one.root, SHARED_FOLDER, name), "utf8"))
}

function clone(name: string, origin: string | null): Person {
  const root = join(box, name)
  if (origin !== null) git(box, "clone", "-q", origin, root)
  else {
    mkdirSync(root)
    git(root, "init", "-q", "-b", "main")
  }
  for (const [key, value] of [
    ["user.name", name],
    ["user.email", `${name}@example.com`],
    ["commit.gpgsign", "false"],
  ])
    git(root, "config", key!, value!)
  return person(name, root)
}

function cloneOf({ root }: Person, name: string): Person {
  return clone(name, root)
}

function commit({ root }: Person): void {
  git(root, "add", "-A")
  git(root, "commit", "-q", "-m", "memory")
}

function publish(one: Person, branch: string): void {
  git(one.root, "add", "-A")
  if (!isClean(one)) git(one.root, "commit", "-q", "-m", "memory")
  git(one.root, "push", "-q", "origin", `HEAD:${branch}`)
}

function isClean({ root }: Person): boolean {
  return git(root, "status", "--porcelain") === ""
}

function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" }
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, encoding: "utf8", env })
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}${stdout}`)
  return stdout.trim()
}
