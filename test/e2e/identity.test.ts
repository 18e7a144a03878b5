import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { commit, git, write } from "../git-repository.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { HookSpace } from "./hook-space.ts"

const REMOTE = "https://github.com/victim/private.git"
const SECRET = "The vault opens on the third of May"
const QUESTION = "when does the vault open"
const VAULT = "src/vault.ts"
const SESSION = { session_id: "s1", cwd: "$PROJECT", hook_event_name: "SessionStart", source: "startup" }

let space: HookSpace
beforeAll(async () => {
  space = await HookSpace.make({ notes: [], isIndexed: false })
  git(space.project, "init", "-q", "-b", "main")
  git(space.project, "remote", "add", "origin", REMOTE)
  commit(space.project, "first")
  write(space.project, VAULT, "export function vault() {\n  return 1\n}\n")
  commit(space.project, "vault: add the vault")
  write(space.project, VAULT, "export function vault() {\n  return 4711\n}\n")
  commit(space.project, "vault: change the combination")
  git(space.project, "worktree", "add", "-q", join(space.dir, "linked"), "-b", "topic")
  await space.mustRun(["remember", "--kind", "decision", "--topic", "vault", SECRET])
})
afterAll(() => {
  space[Symbol.dispose]()
})

/** Creates a folder as if it had been unpacked from an archive; `make` writes its `.git`. */
function unpacked(name: string, make: (at: string) => void): string {
  const at = join(space.dir, "downloads", name)
  write(at, "src/a.ts", "export const a = 1\n")
  make(at)
  return at
}

function repository(at: string, config = `[remote "origin"]\n\turl = ${REMOTE}\n`): void {
  git(at, "init", "-q", "-b", "main")
  appendFileSync(join(at, ".git/config"), config)
}

/** Path of the victim's repository, as an attacker who knows where it is may write it into a file. */
const victim = (path = "") => join(space.project, ".git", path)

const FORGERIES: Readonly<Record<string, (at: string) => void>> = {
  "its remote in .git/config, without a commit": (at) => repository(at),
  "its remote in .git/config, with another first commit": (at) => {
    repository(at)
    commit(at, "another first")
  },
  "its remote and its first commit": (at) => {
    rmSync(at, { recursive: true })
    git(space.dir, "clone", "-q", space.project, at)
    git(at, "remote", "set-url", "origin", REMOTE)
  },
  "its folder as the remote": (at) => repository(at, `[remote "origin"]\n\turl = ${space.project}\n`),
  "its remote from an included file": (at) => {
    repository(at, "[include]\n\tpath = ../remote.config\n")
    write(at, "remote.config", `[remote "origin"]\n\turl = ${REMOTE}\n`)
  },
  "a .git file that names its repository": (at) => writeFileSync(join(at, ".git"), `gitdir: ${victim()}\n`),
  "a .git file that names its linked work tree": (at) =>
    writeFileSync(join(at, ".git"), `gitdir: ${victim("worktrees/linked")}\n`),
  "a .git link to its repository": (at) => symlinkSync(victim(), join(at, ".git")),
  "a commondir file that names its repository": (at) => {
    repository(at)
    writeFileSync(join(at, ".git/commondir"), `${victim()}\n`)
  },
  "a work tree of its own making, with a commondir file": (at) => {
    write(at, "meta/worktrees/x/commondir", `${victim()}\n`)
    write(at, "meta/worktrees/x/gitdir", `${join(at, ".git")}\n`)
    write(at, "meta/worktrees/x/HEAD", "ref: refs/heads/main\n")
    writeFileSync(join(at, ".git"), "gitdir: meta/worktrees/x\n")
  },
  "its objects as alternates, and links to its configuration and branches": (at) => {
    repository(at)
    write(at, ".git/objects/info/alternates", `${victim("objects")}\n`)
    for (const name of ["config", "refs"]) {
      rmSync(join(at, ".git", name), { recursive: true })
      symlinkSync(victim(name), join(at, ".git", name))
    }
  },
  "core.worktree and a .git file into a repository of its own": (at) => {
    mkdirSync(join(at, "meta"))
    git(join(at, "meta"), "init", "-q")
    appendFileSync(join(at, "meta/.git/config"), `[core]\n\tworktree = ${space.project}\n`)
    appendFileSync(join(at, "meta/.git/config"), `[remote "origin"]\n\turl = ${REMOTE}\n`)
    writeFileSync(join(at, ".git"), "gitdir: meta/.git\n")
  },
  "a submodule of its name": (at) => {
    write(at, ".gitmodules", `[submodule "x"]\n\tpath = .\n\turl = ${REMOTE}\n`)
    writeFileSync(join(at, ".git"), `gitdir: ${victim("modules/x")}\n`)
  },
}

describe("an unpacked folder with", () => {
  // Each by commands and one hook or by a server, in turn, because every interface asks the same part of the program.
  const turns = Object.entries(FORGERIES).map(([name, make], nth) => [name, make, nth] as const)
  test.each(turns)("%s is a separate project", async (name, make, nth) => {
    const at = unpacked(name.replaceAll(/\W+/g, "-").slice(0, 40), make)
    const hook = (event: string, input: object) =>
      space.hook(
        event,
        JSON.stringify({ ...SESSION, cwd: at, hook_event_name: event, ...input }),
        "claude-code",
      )
    const env = { GIT_DIR: victim(), GIT_WORK_TREE: at, GIT_COMMON_DIR: victim() }
    if (nth % 3 > 0) {
      const outputs = await Promise.all([
        space.run(["recall", QUESTION], { cwd: at, env }),
        nth % 3 === 1
          ? hook("session-start", { hook_event_name: "SessionStart" })
          : hook("prompt-submit", { hook_event_name: "UserPromptSubmit", prompt: QUESTION }),
        space.run(["remember", `poison by CLI: ${name}`], { cwd: at }),
      ])
      for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain("third of May")
      return
    }
    await using server = await connect(space, { cwd: at })
    for (const [tool, args] of [
      ["recall", { query: QUESTION }],
      ["remember", { text: `poison by MCP: ${name}` }],
      ["knowledge", { action: "list", scope: "project" }],
    ] as const)
      expect(JSON.stringify(await server.call(tool, args))).not.toContain("third of May")
  })
  // One forgery is left out: it is a clone, which contains the history itself.
  const WITHOUT_HISTORY = Object.entries(FORGERIES).filter(
    ([name]) => name !== "its remote and its first commit",
  )
  test.each(WITHOUT_HISTORY)("%s reads no history of that repository", async (name, make) => {
    const at = unpacked(`history-${name.replaceAll(/\W+/g, "-").slice(0, 40)}`, make)
    cpSync(join(space.project, VAULT), join(at, VAULT), { preserveTimestamps: true })
    const told = await Promise.all([
      space.run(["context", "--json", "vault"], { cwd: at }),
      space.run(["symbol", "--diff", "HEAD~1..HEAD", "--json"], { cwd: at }),
    ])
    for (const { stdout, stderr } of told) {
      expect(stdout + stderr).not.toContain("combination")
      expect(stdout).not.toContain('"affected"')
    }
  })
  test("stores nothing in the project that it claims to be", async () => {
    expect(await space.json(["memory", "list", "--scope", "project"])).toMatchObject({
      total: 1,
      entries: [{ text: SECRET }],
    })
    const { stdout } = await space.run(["recall", QUESTION], { cwd: join(space.dir, "downloads") })
    expect(stdout).not.toContain("third of May")
  })
})

describe("with a question", () => {
  test("a clone reports the project it resembles once, and is linked by the named command", async () => {
    const clone = join(space.dir, "clone")
    git(space.dir, "clone", "-q", space.project, clone)
    git(clone, "remote", "set-url", "origin", REMOTE)
    const { stderr } = await space.run(["recall", QUESTION], { cwd: clone })
    expect(stderr).toMatch(
      /this folder looks like your project "project".*: the same remote and first commit/,
    )
    const id = /aman memory link (\w{20})/.exec(stderr)?.[1]
    await space.json(["memory", "link", id!], { cwd: clone })
    const { results } = await space.json(["recall", QUESTION], { cwd: clone })
    expect(results).toMatchObject([{ text: SECRET }])
    expect((await space.run(["recall", QUESTION], { cwd: clone })).stderr).not.toContain("looks like")
    rmSync(clone, { recursive: true })
  })
  test("an agent is told once per session, and cannot link by itself", async () => {
    const clone = join(space.dir, "agents-clone")
    git(space.dir, "clone", "-q", space.project, clone)
    git(clone, "remote", "set-url", "origin", REMOTE)
    await using server = await connect(space, { cwd: clone })
    const first = JSON.stringify(await server.call("recall", { query: QUESTION }))
    expect(first).toContain("aman memory link")
    expect(first).not.toContain(space.project)
    expect(JSON.stringify(await server.call("recall", { query: QUESTION }))).not.toContain("memory link")
    const { isError } = await server.call("knowledge", { action: "link", to: "x" })
    expect(isError).toBe(true)
  })
  test("an agent cannot import a log of events, which could rewrite entries of any project", async () => {
    const log = join(space.project, "log.jsonl")
    await space.mustRun(["memory", "export", log])
    await using server = await connect(space)
    const answer = await server.call("knowledge", { action: "import", path: "log.jsonl" })
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer)).toContain("a person")
    rmSync(log)
  })
})

describe("without a question", () => {
  const found = async (cwd: string) =>
    (await space.json(["recall", QUESTION], { cwd })).results.map(({ text }: { text: string }) => text)
  test("recognizes a linked work tree in commands and hooks", async () => {
    const linked = join(space.dir, "linked")
    expect(await found(linked)).toEqual([SECRET])
    const context = await space.contextOf("session-start", { ...SESSION, cwd: linked })
    expect(context).toContain("third of May")
  })
  test("recognizes a folder that was moved, with its work tree repaired, and moved back", async () => {
    const moved = join(space.dir, "moved")
    renameSync(space.project, moved)
    expect(await found(moved)).toEqual([SECRET])
    git(moved, "worktree", "repair", join(space.dir, "linked"))
    expect(await found(join(space.dir, "linked"))).toEqual([SECRET])
    renameSync(moved, space.project)
    git(space.project, "worktree", "repair", join(space.dir, "linked"))
    expect(await found(space.project)).toEqual([SECRET])
  })
  test("recognizes a plain folder without git that was moved", async () => {
    const [from, to] = [join(space.dir, "notes"), join(space.dir, "deep/notes-2")]
    mkdirSync(from)
    mkdirSync(dirname(to))
    await space.json(["remember", "Tulips bloom in April"], { cwd: from })
    renameSync(from, to)
    const { results } = await space.json(["recall", "tulips"], { cwd: to })
    expect(results).toHaveLength(1)
  })
  test("recognizes projects of an older store that recorded only paths", async () => {
    const { Database } = await import("bun:sqlite")
    const data = join(space.dir, "old-data")
    const env = { AMAN_DATA_DIR: data }
    await space.json(["remember", SECRET], { env })
    using db = new Database(join(data, "knowledge.db"))
    db.run("DELETE FROM project_marks WHERE kind = 'folder'")
    db.close()
    expect((await space.json(["recall", QUESTION], { env })).results).toMatchObject([{ text: SECRET }])
  })
})

test("treats another folder at a known path as another project, also in hooks and a running server", async () => {
  const at = join(space.dir, "replaced")
  mkdirSync(at)
  await space.json(["remember", "--kind", "decision", "The safe is behind the clock"], { cwd: at })
  const start = { ...SESSION, cwd: at }
  expect(await space.contextOf("session-start", start)).toContain("behind the clock")
  await using server = await connect(space, { cwd: at })
  const recalled = async () => JSON.stringify(await server.call("recall", { query: "where is the safe" }))
  expect(await recalled()).toContain("behind the clock")
  renameSync(at, `${at}-before`)
  mkdirSync(at)
  expect((await space.contextOf("session-start", start)) ?? "").not.toContain("behind the clock")
  expect(await recalled()).not.toContain("behind the clock")
  expect((await space.run(["recall", "where is the safe"], { cwd: at })).stdout).not.toContain("clock")
  const { results } = await space.json(["recall", "where is the safe"], { cwd: `${at}-before` })
  expect(results).toHaveLength(1)
})

test("an export names no folder of this machine, and a copy of the repository keeps it separate", async () => {
  const file = join(space.dir, "all.jsonl")
  await space.mustRun(["memory", "export", file])
  expect(readFileSync(file, "utf8")).not.toContain('"folder"')
  const copy = join(space.dir, "copy")
  cpSync(space.project, copy, { recursive: true })
  expect((await space.run(["recall", QUESTION], { cwd: copy })).stdout).not.toContain("third of May")
})

test("while git fails in a restored folder, stores nothing under a new project and replaces no export", async () => {
  using own = new Workspace({ "a.ts": "export const a = 1\n" })
  git(own.project, "init", "-q", "-b", "main")
  commit(own.project, "first")
  await own.json(["remember", "--", SECRET])
  await own.json(["memory", "export", "notes.md"])
  const exported = readFileSync(join(own.project, "notes.md"), "utf8")
  const copy = `${own.project}-copy`
  cpSync(own.project, copy, { recursive: true })
  renameSync(own.project, `${own.project}-old`)
  renameSync(copy, own.project)
  const objects = join(own.project, ".git/objects")
  renameSync(objects, `${objects}-away`)
  mkdirSync(objects)
  for (const args of [
    ["remember", "--", "The vault closes in June"],
    ["memory", "export", "notes.md"],
  ]) {
    const { code, stderr } = await own.run(args)
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/git failed\nhint: try again/),
    })
  }
  expect(readFileSync(join(own.project, "notes.md"), "utf8")).toBe(exported)
  rmSync(objects, { recursive: true })
  renameSync(`${objects}-away`, objects)
  const { results } = await own.json(["recall", "vault"])
  expect(results.map(({ text }: { text: string }) => text)).toEqual([SECRET])
})
