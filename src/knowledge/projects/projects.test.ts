import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { Knowledge } from "../knowledge.ts"
import { identifyProject, projectAt } from "./identify.ts"
import { linkProject, listProjects } from "./link.ts"

const box = new GitBox()
afterAll(() => box[Symbol.dispose]())

const FILES = { "a.ts": "export const a = 1\n" }
const NOW = 1_700_000_000_000
let count = 0
let at: string
let knowledge: Knowledge
beforeEach(() => {
  knowledge = new Knowledge({ path: ":memory:", now: () => NOW })
  // Each test has folders of its own.
  at = `test-${++count}`
})

const repository = (name: string, files: Readonly<Record<string, string>> = FILES) =>
  box.repository(join(at, name), { ...files, "of.txt": `${at} ${name}\n` })
const clone = (from: string, name: string, ...options: string[]) =>
  box.clone(from, join(at, name), ...options)
const folder = (name: string) => box.folder(join(at, name))
const move = (from: string, name: string) => {
  const to = join(box.box, at, name)
  mkdirSync(join(to, ".."), { recursive: true })
  renameSync(from, to)
  return to
}
const origin = (top: string, url: string) => git(top, "remote", "add", "origin", url)

/** The id of a folder's project, and the folders of those that it could be as well. */
async function identify(root: string, make = true) {
  const { project, candidates } = await identifyProject(knowledge, root, {
    now: NOW,
    make,
  })
  return {
    id: project?.id ?? null,
    name: project?.name ?? null,
    candidates: candidates.map(({ name }) => name).sort(),
  }
}

const SURE = { candidates: [] }

describe("one project", () => {
  test("is made where none is known, and known from then on by its path, without git", async () => {
    const root = repository("one")
    expect(await identify(root, false)).toEqual({ id: null, name: null, candidates: [] })
    const made = await identify(root)
    expect(made).toMatchObject({ name: "one", ...SURE })
    expect(made.id).toMatch(/^[0-9a-z]{20}$/)
    const path = process.env["PATH"]
    process.env["PATH"] = folder("no-programs")
    try {
      expect(await identify(root)).toEqual(made)
    } finally {
      process.env["PATH"] = path
    }
    expect(projectAt(knowledge.projects, root)?.id).toBe(made.id!)
  })
  test("is found where its folder was moved to, and the old place is free", async () => {
    const root = repository("before")
    const { id } = await identify(root)
    const moved = move(root, "sub/after")
    expect(await identify(moved, false)).toMatchObject({ id, ...SURE })
    expect((await identify(repository("before", { "b.ts": "other\n" }))).id).not.toBe(id)
    expect((await identify(moved)).id).toBe(id)
  })
  test("in two clones of one remote, however that is written", async () => {
    const root = repository("here")
    origin(root, "https://github.com/owner/name.git")
    const other = clone(root, "there")
    git(other, "remote", "set-url", "origin", "git@GitHub.com:owner/name")
    const { id } = await identify(root)
    expect(await identify(other)).toMatchObject({ id, ...SURE })
  })
  test("in a clone of the folder itself, whichever was known first", async () => {
    const root = repository("source")
    const copy = clone(root, "copy")
    const { id } = await identify(copy)
    expect(await identify(root)).toMatchObject({ id, ...SURE })
    expect(await identify(clone(root, "third"))).toMatchObject({ id, ...SURE })
  })
  test("in all its work trees, also where it has no remote", async () => {
    const root = repository("main")
    git(root, "worktree", "add", "-q", join(root, "../linked"), "-b", "topic")
    git(root, "worktree", "add", "-q", join(root, "../second"), "-b", "second")
    const { id } = await identify(join(root, "../linked"))
    expect(await identify(root)).toMatchObject({ id, ...SURE })
    expect(await identify(join(root, "../second"))).toMatchObject({ id, ...SURE })
  })
  test("a folder that becomes a repository, gets commits, and is moved then", async () => {
    const root = folder("plain")
    write(root, "a.ts", "a\n")
    const { id } = await identify(root)
    git(root, "init", "-q", "-b", "main")
    expect((await identify(root)).id).toBe(id)
    commit(root, `first of ${at}`)
    expect((await identify(root)).id).toBe(id)
    expect((await identify(move(root, "elsewhere"))).id).toBe(id)
  })
  test("a shallow clone that gets its history later, beside a whole one", async () => {
    const root = repository("whole")
    commit(root, "second")
    const shallow = clone(`file://${root}`, "shallow", "--depth=1")
    git(shallow, "remote", "set-url", "origin", "https://example.org/a.git")
    const { id } = await identify(shallow)
    // Where its history seems to begin is no first commit.
    expect(listProjects(knowledge)[0]).toMatchObject({ rootCommits: [], remotes: ["example.org/a"] })
    git(shallow, "fetch", "-q", "--unshallow", `file://${root}`)
    expect((await identify(shallow)).id).toBe(id)
    expect(listProjects(knowledge)[0]!.rootCommits).toEqual([
      git(root, "rev-list", "--max-parents=0", "HEAD"),
    ])
    origin(root, "https://example.org/a.git")
    expect(await identify(root)).toMatchObject({ id, ...SURE })
  })
  test("a remote that is given later, or moves to another host", async () => {
    const root = repository("hosted")
    const { id } = await identify(root)
    origin(root, "https://example.org/old.git")
    expect((await identify(root)).id).toBe(id)
    git(root, "remote", "set-url", "origin", "https://example.org/new.git")
    expect((await identify(root)).id).toBe(id)
    expect(listProjects(knowledge)[0]!.remotes).toEqual(["example.org/new", "example.org/old"])
  })
})

describe("another project", () => {
  test("of equal name", async () => {
    const [one, other] = [folder("x/app"), folder("y/app")]
    expect((await identify(one)).id).not.toBe((await identify(other)).id)
    const [first, second] = [repository("x/repo"), repository("y/repo")]
    expect((await identify(first)).id).not.toBe((await identify(second)).id)
  })
  test("a submodule, a repository in a repository, a part of one that was named by itself", async () => {
    const inner = repository("inner")
    const outer = repository("outer")
    git(outer, "submodule", "add", "-q", inner, "module")
    write(outer, "part/b.ts", "b\n")
    const ids = [
      outer,
      join(outer, "module"),
      join(outer, "part"),
      box.repository(join(at, "outer/nested"), { "of.txt": at }),
    ]
    const found = await Promise.all(ids.map(async (root) => (await identify(root)).id))
    expect(new Set(found).size).toBe(4)
  })
  test("put in the place of one that is known", async () => {
    const root = repository("place")
    origin(root, "https://example.org/first.git")
    const { id } = await identify(root)
    rmSync(root, { recursive: true })
    origin(repository("place", { "b.ts": "b\n" }), "https://example.org/second.git")
    const other = await identify(root)
    expect(other.id).not.toBe(id)
    expect((await identify(root)).id).toBe(other.id)
  })
})

describe("nothing is guessed, and what it could be is shown", () => {
  test("a fork beside its original, and its own clones", async () => {
    const root = repository("original")
    origin(root, "https://example.org/original.git")
    const fork = clone(root, "fork")
    git(fork, "remote", "set-url", "origin", "https://example.org/fork.git")
    const { id } = await identify(root)
    const forked = await identify(fork)
    expect(forked.candidates).toEqual(["original"])
    expect(forked.id).not.toBe(id)
    const again = clone(fork, "again")
    git(again, "remote", "set-url", "origin", "https://example.org/fork.git")
    expect(await identify(again)).toMatchObject({ id: forked.id, ...SURE })
  })
  test("a copy of a repository without remote, and a template's children", async () => {
    const root = repository("template")
    const first = join(root, "../child-1")
    const second = join(root, "../child-2")
    for (const child of [first, second]) cpSync(root, child, { recursive: true })
    origin(first, "https://example.org/1.git")
    origin(second, "https://example.org/2.git")
    const ids = [await identify(root), await identify(first), await identify(second)]
    expect(ids.map(({ candidates }) => candidates)).toEqual([[], ["template"], ["child-1", "template"]])
    expect(new Set(ids.map(({ id }) => id)).size).toBe(3)
  })
  test("two that are gone, of which it could be either", async () => {
    const one = repository("one")
    const two = join(one, "../two")
    cpSync(one, two, { recursive: true })
    origin(two, "https://example.org/two.git")
    await identify(one)
    await identify(two)
    const found = move(one, "found")
    rmSync(two, { recursive: true })
    expect((await identify(found)).candidates).toEqual(["one", "two"])
  })
  test("a folder without git that was moved", async () => {
    const root = folder("x/notes")
    const { id } = await identify(root)
    const moved = await identify(move(root, "y/notes"))
    expect(moved).toMatchObject({ candidates: ["notes"] })
    expect(moved.id).not.toBe(id)
  })
})

describe("a link repairs", () => {
  test("what was remembered under the other id goes with it", async () => {
    const root = folder("x/notes")
    const { id } = await identify(root)
    const moved = move(root, "y/notes")
    const { id: own } = await identify(moved)
    const [kept, deleted] = knowledge.remember([
      { text: "the gateway retries twice", project: own!, entities: ["Gateway"] },
      { text: "the cache has no limit", project: own! },
    ])
    knowledge.delete([deleted!.id])
    expect(linkProject(knowledge, { root: moved, from: own, to: id! })).toMatchObject({
      entries: 2,
      entities: 1,
    })
    expect(knowledge.get([kept!.id, deleted!.id]).map(({ project }) => project)).toEqual([id, id])
    expect(await identify(moved)).toMatchObject({ id, ...SURE })
    expect(listProjects(knowledge)).toHaveLength(1)
    expect(knowledge.rebuild().differing).toEqual([])
  })
  test("a fork that somebody says is the original", async () => {
    const root = repository("original")
    origin(root, "https://example.org/original.git")
    const fork = clone(root, "fork")
    git(fork, "remote", "set-url", "origin", "https://example.org/fork.git")
    const { id } = await identify(root)
    const { id: own } = await identify(fork)
    linkProject(knowledge, { root: fork, from: own, to: id! })
    for (const folder of [root, fork]) expect(await identify(folder)).toMatchObject({ id, ...SURE })
  })
  test("of a folder that was no project yet, to one of another history", async () => {
    const [root, other] = [repository("old"), repository("new")]
    origin(root, "https://example.org/old.git")
    origin(other, "https://example.org/new.git")
    const { id } = await identify(root)
    linkProject(knowledge, { root: other, from: null, to: id! })
    for (const folder of [root, other, clone(root, "clone")])
      expect(await identify(folder)).toMatchObject({ id, ...SURE })
  })
  test("of one folder of several leaves what was remembered to the others", async () => {
    const [root, other] = [repository("one"), repository("other")]
    origin(root, "https://example.org/one.git")
    const second = clone(root, "second")
    git(second, "remote", "set-url", "origin", "https://example.org/one.git")
    const [{ id }, { id: to }] = [await identify(root), await identify(other)]
    expect((await identify(second)).id).toBe(id)
    const [kept] = knowledge.remember([{ text: "the gateway retries twice", project: id! }])
    expect(linkProject(knowledge, { root: second, from: id, to: to! })).toMatchObject({ entries: 0 })
    expect(knowledge.get([kept!.id])[0]?.project).toBe(id!)
    expect((await identify(root)).id).toBe(id)
    expect((await identify(second)).id).toBe(to)
  })
  test("to nothing that is known is refused", () => {
    expect(() => linkProject(knowledge, { root: "/x", from: null, to: "0".repeat(20) })).toThrow("no project")
  })
})
