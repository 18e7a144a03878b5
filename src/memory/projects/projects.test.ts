import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { Knowledge } from "../knowledge.ts"
import { identifyProject, knownProjects, linkProject, projectAt } from "./projects.ts"

const box = new GitBox()
afterAll(() => box[Symbol.dispose]())

const FILES = { "a.ts": "export const a = 1\n" }
const NOW = 1_700_000_000_000
let count = 0
let at: string
let knowledge: Knowledge
beforeEach(() => {
  knowledge = new Knowledge({ path: ":memory:", now: () => NOW })
  // Each test has its own folders.
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

/** The id of a folder's project, and the folders of its candidates. */
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

/** Restores a folder as a backup does: the same files with another inode number. */
function restore(root: string): void {
  renameSync(root, `${root}-old`)
  cpSync(`${root}-old`, root, { recursive: true })
  rmSync(`${root}-old`, { recursive: true })
}

test("while git fails a restored folder gets no project; afterwards it is its previous project again", async () => {
  const root = repository("one")
  const { id } = await identify(root)
  restore(root)
  const objects = join(root, ".git", "objects")
  renameSync(objects, `${objects}-away`)
  mkdirSync(objects)
  expect(await identifyProject(knowledge, root, { now: NOW, make: true })).toMatchObject({
    project: null,
    candidates: [{ id }],
    failure: "failed",
  })
  rmSync(objects, { recursive: true })
  renameSync(`${objects}-away`, objects)
  expect((await identify(root)).id).toBe(id)
})

describe("a folder keeps its project", () => {
  test("a new project is created, and later identified by its path without git", async () => {
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
  test("after its folder was moved, and the old path is free", async () => {
    const root = repository("before")
    const { id } = await identify(root)
    const moved = move(root, "sub/after")
    expect(await identify(moved, false)).toMatchObject({ id, ...SURE })
    expect((await identify(repository("before", { "b.ts": "other\n" }))).id).not.toBe(id)
    expect((await identify(moved)).id).toBe(id)
  })
  test("in all its work trees, also without a remote", async () => {
    const root = repository("main")
    git(root, "worktree", "add", "-q", join(root, "../linked"), "-b", "topic")
    git(root, "worktree", "add", "-q", join(root, "../second"), "-b", "second")
    const { id } = await identify(join(root, "../linked"))
    expect(await identify(root)).toMatchObject({ id, ...SURE })
    expect(await identify(join(root, "../second"))).toMatchObject({ id, ...SURE })
  })
  test("when it becomes a repository, gets commits, and is then moved", async () => {
    const root = folder("plain")
    write(root, "a.ts", "a\n")
    const { id } = await identify(root)
    git(root, "init", "-q", "-b", "main")
    expect((await identify(root)).id).toBe(id)
    commit(root, `first of ${at}`)
    expect((await identify(root)).id).toBe(id)
    expect((await identify(move(root, "elsewhere"))).id).toBe(id)
  })
  test("when a shallow clone gets its history later, beside a full clone", async () => {
    const root = repository("whole")
    commit(root, "second")
    const shallow = clone(`file://${root}`, "shallow", "--depth=1")
    git(shallow, "remote", "set-url", "origin", "https://example.org/a.git")
    const { id } = await identify(shallow)
    // The oldest commit of a shallow clone is not the first commit of the project.
    expect(knownProjects(knowledge.projects)[0]).toMatchObject({
      rootCommits: [],
      remotes: ["example.org/a"],
    })
    git(shallow, "fetch", "-q", "--unshallow", `file://${root}`)
    expect((await identify(shallow)).id).toBe(id)
    expect(knownProjects(knowledge.projects)[0]!.rootCommits).toEqual([
      git(root, "rev-list", "--max-parents=0", "HEAD"),
    ])
    origin(root, "https://example.org/a.git")
    expect(await identify(root)).toMatchObject({ candidates: ["shallow"] })
  })
  test("when a remote is added later or moves to another host", async () => {
    const root = repository("hosted")
    const { id } = await identify(root)
    origin(root, "https://example.org/old.git")
    expect((await identify(root)).id).toBe(id)
    git(root, "remote", "set-url", "origin", "https://example.org/new.git")
    expect((await identify(root)).id).toBe(id)
    expect(knownProjects(knowledge.projects)[0]!.remotes).toEqual(["example.org/new", "example.org/old"])
  })
})

describe("a folder is another project", () => {
  test("when only the name is equal", async () => {
    const [one, other] = [folder("x/app"), folder("y/app")]
    expect((await identify(one)).id).not.toBe((await identify(other)).id)
    const [first, second] = [repository("x/repo"), repository("y/repo")]
    expect((await identify(first)).id).not.toBe((await identify(second)).id)
  })
  test("when it is a submodule, a nested repository, or a subfolder opened separately", async () => {
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
  test("when it replaced the folder of a known project", async () => {
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

describe("an ambiguous folder is a new project with candidates", () => {
  test("a second clone, however its remote is written, with the common marks", async () => {
    const root = repository("here")
    origin(root, "https://github.com/owner/name.git")
    const other = clone(root, "there")
    git(other, "remote", "set-url", "origin", "git@GitHub.com:owner/name")
    const { id } = await identify(root)
    const found = await identifyProject(knowledge, other, { now: NOW, make: true })
    expect(found.candidates).toMatchObject([{ id, alike: "the same remote and first commit" }])
    expect(found.project!.id).not.toBe(id!)
  })
  test("a clone of the folder itself, whichever was identified first", async () => {
    const root = repository("source")
    const copy = clone(root, "copy")
    const { id } = await identify(copy)
    const found = await identify(root)
    expect(found).toMatchObject({ candidates: ["copy"] })
    expect(found.id).not.toBe(id)
  })
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
    const { candidates } = await identifyProject(knowledge, again, { now: NOW, make: false })
    expect(candidates.map(({ name, alike }) => [name, alike])).toEqual([
      ["fork", "the same remote and first commit"],
      ["original", "the same first commit"],
    ])
  })
  test("a copy of a repository without remote, and repositories made from a template", async () => {
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
  test("a copy of a folder whose original is gone", async () => {
    const one = repository("one")
    await identify(one)
    const copy = join(one, "../copied")
    cpSync(one, copy, { recursive: true })
    rmSync(one, { recursive: true })
    expect((await identify(copy)).candidates).toEqual(["one"])
  })
  test("a folder without git that was copied", async () => {
    const root = folder("x/notes")
    const { id } = await identify(root)
    rmSync(root, { recursive: true })
    const copied = await identify(folder("y/notes"))
    expect(copied).toMatchObject({ candidates: ["notes"] })
    expect(copied.id).not.toBe(id)
  })
  test("a folder without git that replaced a known one", async () => {
    const root = folder("place")
    const { id } = await identify(root)
    rmSync(root, { recursive: true })
    // A folder created in between takes the free inode number, so that the new folder gets another one.
    folder("between")
    folder("place")
    expect(projectAt(knowledge.projects, root)).toBeNull()
    const { project, candidates } = await identifyProject(knowledge, root, { now: NOW, make: true })
    expect(project!.id).not.toBe(id!)
    expect(candidates).toMatchObject([{ id, alike: "the same path, where another folder was before" }])
  })
  test("a repository with the same remote and another first commit that replaced a known one", async () => {
    const root = repository("forged")
    origin(root, "https://example.org/private.git")
    const { id } = await identify(root)
    renameSync(root, `${root}-before`)
    origin(repository("forged", { "b.ts": "b\n" }), "https://example.org/private.git")
    expect((await identify(root)).id).not.toBe(id)
    expect((await identify(`${root}-before`)).id).toBe(id)
  })
})

describe("identification by marks that a folder cannot forge", () => {
  test("a repository that was cloned again into its place stays the project", async () => {
    const root = repository("again")
    origin(root, "https://example.org/again.git")
    const kept = clone(root, "kept")
    const { id } = await identify(root)
    rmSync(root, { recursive: true })
    clone(kept, "again")
    git(root, "remote", "set-url", "origin", "https://example.org/again.git")
    expect(await identify(root)).toMatchObject({ id, ...SURE })
    expect(projectAt(knowledge.projects, root)?.id).toBe(id!)
  })
  test("two folders that changed places keep their projects", async () => {
    const [a, b] = [folder("swap/a"), folder("swap/b")]
    const [one, other] = [await identify(a), await identify(b)]
    renameSync(a, `${a}-passing`)
    renameSync(b, a)
    renameSync(`${a}-passing`, b)
    expect([(await identify(a)).id, (await identify(b)).id]).toEqual([other.id, one.id])
    expect([(await identify(a)).id, (await identify(b)).id]).toEqual([other.id, one.id])
  })
})

describe("linking a folder to a project", () => {
  test("moves the entries of the previous project", async () => {
    const { id } = await identify(folder("x/notes"))
    const moved = folder("y/notes")
    const { id: own } = await identify(moved)
    const [kept, deleted] = knowledge.remember([
      { text: "the gateway retries twice", project: own!, entities: ["Gateway"] },
      { text: "the cache has no limit", project: own! },
    ])
    knowledge.delete([deleted!.id])
    expect(await linkProject(knowledge, { root: moved, from: own, to: id! })).toMatchObject({
      entries: 2,
      entities: 1,
    })
    expect(knowledge.get([kept!.id, deleted!.id]).map(({ project }) => project)).toEqual([id, id])
    expect(await identify(moved)).toMatchObject({ id, ...SURE })
    expect(knownProjects(knowledge.projects)).toHaveLength(1)
    expect(knowledge.rebuild().differing).toEqual([])
  })
  test("joins a fork with the original", async () => {
    const root = repository("original")
    origin(root, "https://example.org/original.git")
    const fork = clone(root, "fork")
    git(fork, "remote", "set-url", "origin", "https://example.org/fork.git")
    const { id } = await identify(root)
    const { id: own } = await identify(fork)
    await linkProject(knowledge, { root: fork, from: own, to: id! })
    for (const folder of [root, fork]) expect(await identify(folder)).toMatchObject({ id, ...SURE })
  })
  test("works for a folder without a project and with another history", async () => {
    const [root, other] = [repository("old"), repository("new")]
    origin(root, "https://example.org/old.git")
    origin(other, "https://example.org/new.git")
    const { id } = await identify(root)
    await linkProject(knowledge, { root: other, from: null, to: id! })
    for (const folder of [root, other]) expect(await identify(folder)).toMatchObject({ id, ...SURE })
  })
  test("stays for a folder with another history and no remote", async () => {
    const [root, other] = [repository("old"), repository("new")]
    const { id } = await identify(root)
    await linkProject(knowledge, { root: other, from: null, to: id! })
    for (let i = 0; i < 2; i++) expect(await identify(other)).toMatchObject({ id, ...SURE })
  })
  test("of one of several folders leaves the entries to the others", async () => {
    const [root, other] = [repository("one"), repository("other")]
    origin(root, "https://example.org/one.git")
    const second = clone(root, "second")
    git(second, "remote", "set-url", "origin", "https://example.org/one.git")
    const [{ id }, { id: to }] = [await identify(root), await identify(other)]
    await linkProject(knowledge, { root: second, from: null, to: id! })
    expect((await identify(second)).id).toBe(id)
    const [kept] = knowledge.remember([{ text: "the gateway retries twice", project: id! }])
    expect(await linkProject(knowledge, { root: second, from: id, to: to! })).toMatchObject({ entries: 0 })
    expect(knowledge.get([kept!.id])[0]?.project).toBe(id!)
    expect((await identify(root)).id).toBe(id)
    expect((await identify(second)).id).toBe(to)
  })
  test("to an unknown project is refused", async () => {
    const linking = linkProject(knowledge, { root: "/x", from: null, to: "0".repeat(20) })
    expect(await linking.catch((error) => error.message)).toContain("no project")
  })
})
