import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { type RunOptions, Workspace } from "./harness.ts"

const FIXTURES = join(import.meta.dir, "../fixtures/exchange")
let space: Workspace

beforeAll(() => {
  space = new Workspace({ "src/pay.ts": "export const retries = 3\n" })
  git(space.project, "init", "-q", "-b", "main")
  git(space.project, "config", "user.email", "team@example.com")
  git(space.project, "config", "user.name", "team")
  commit(space.project)
})

afterAll(() => {
  space[Symbol.dispose]()
})

/** Options for a run with a memory store of its own. */
function store(name: string) {
  return { env: { AMAN_DATA_DIR: join(space.dir, `data-${name}`) } }
}

async function memory(name: string, ...args: string[]) {
  return await found(["memory", ...args], store(name))
}

/** The JSON answer. Exit code 1 is accepted, because it means that nothing was found. */
async function found([command, ...args]: [string, ...string[]], options: RunOptions) {
  const { code, stdout, stderr } = await space.run([command, "--json", ...args], options)
  if (code > 1) throw new Error(`aman ${command} ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

test("an import reproduces the entries of another store, and repeating it changes nothing", async () => {
  const batch = [
    {
      text: "Payments are retried three times",
      topic: "payments",
      kind: "decision",
      source: "src/pay.ts:1",
      recorded_at: "2026-01-02T03:04:05Z",
    },
    {
      text: "Ann keeps the shop «日本語»",
      tags: "people",
      relations: [["Ann", "keeps", "shop"]],
      author: "Ben",
      role: "user",
    },
  ]
  const stdin = `\ufeff${batch.map((line) => JSON.stringify(line)).join("\r\n")}\r\n`
  const { ids } = await space.json(["remember", "--batch", "-"], { ...store("a"), stdin })
  await memory("a", "revise", ids[1], "Ann keeps the shop and the bank")
  await memory("a", "invalidate", ids[0], "--reason", "the bank changed", "--at", "2026-05-01")
  await memory("a", "export", "all.jsonl", "--everything")
  const first = readFileSync(join(space.project, "all.jsonl"), "utf8")
  expect(first).not.toContain(space.dir)
  const { files, notices } = await memory("b", "import", "all.jsonl")
  expect(files).toMatchObject([{ format: "aman", known: 0 }])
  // That store does not know the folder, so the command asks for a link.
  await memory("b", "link", /aman memory link (\w+)/.exec(notices[0])![1]!)
  expect((await memory("b", "import", "all.jsonl")).files).toMatchObject([{ added: 0 }])
  await memory("b", "export", "again.jsonl", "--everything")
  expect(readFileSync(join(space.project, "again.jsonl"), "utf8")).toBe(first)
  const [a, b] = [await memory("a", "history", ids[1]), await memory("b", "history", ids[1])]
  expect(b).toEqual(a)
})

test("exports the entries that list shows; others are named, and exported only on request", async () => {
  const other = join(space.dir, "other")
  mkdirSync(other, { recursive: true })
  writeFileSync(join(other, "package.json"), "{}")
  const at = { ...store("private"), cwd: other }
  await space.json(["remember", "Foreign: the heron of the other project", "--topic", "birds"], at)
  await space.json(["remember", "--entity", "Foreign Ann", "The other project's Ann"], at)
  const here = store("private")
  const remember = async (...words: string[]) => (await space.json(["remember", ...words], here)).id as string
  const kept = await remember("--topic", "birds", "The first form: kingfisher")
  await memory("private", "revise", kept, "The heron is grey")
  const topical = await remember("--topic", "fish", "--entity", "Ben", "The pike is green")
  await remember("--global", "--topic", "birds", "For all projects: swifts sleep in flight")
  const gone = await remember("--topic", "birds", "Deleted: the code word is bittern")
  await memory("private", "delete", gone)
  const purged = await remember("--topic", "birds", "Purged: capercaillie")
  await memory("private", "purge", purged)

  const exported = async (...flags: string[]) => await space.run(["memory", "export", ...flags], here)
  const usual = await exported()
  for (const text of ["The heron is grey", "The pike is green", "swifts"])
    expect(usual.stdout).toContain(text)
  for (const text of ["Foreign", "bittern", "kingfisher", "capercaillie", space.dir, '"other"'])
    expect(usual.stdout).not.toContain(text)
  expect(usual.stderr).toContain("1 entry not exported: it is deleted; to include them: --with-deleted")
  expect(usual.stderr).toContain(
    "2 entries not exported: they are in other projects; to include them: --scope all",
  )
  const topic = await exported("--scope", "project", "--topic", "birds")
  expect(topic.stdout).toContain("The heron is grey")
  for (const text of ["pike", "swifts", "Foreign", "bittern", "Ben"]) expect(topic.stdout).not.toContain(text)
  expect((await exported("--with-deleted")).stdout).toContain("bittern")
  const all = (await exported("--scope", "all")).stdout
  expect([all.includes("Foreign Ann"), all.includes("bittern")]).toEqual([true, false])
  const backup = (await exported("--everything")).stdout
  for (const text of ["Foreign", "bittern", "kingfisher"]) expect(backup).toContain(text)
  expect(backup).not.toContain("capercaillie")
  for (const words of [
    ["export", "x.md"],
    ["reconstruct", "heron"],
    ["list"],
    ["digest"],
    ["timeline"],
    ["history", topical],
  ]) {
    await space.run(["memory", ...words], here)
    const { stdout } = await space.run(["memory", "--json", ...words], here)
    expect(stdout).not.toMatch(/Foreign|bittern|capercaillie/)
  }
  expect(readFileSync(join(space.project, "x.md"), "utf8")).not.toMatch(/Foreign|bittern|kingfisher/)
  await using agent = await connect(space, { env: here.env })
  const answer = JSON.stringify(await agent.call("knowledge", { action: "export" }))
  expect(answer).toContain("The heron is grey")
  expect(answer).not.toMatch(/Foreign|bittern|kingfisher|capercaillie/)
  expect((await agent.call("knowledge", { action: "export", everything: true })).isError).toBe(true)

  writeFileSync(join(space.project, "usual.jsonl"), usual.stdout)
  await memory("private-copy", "import", "usual.jsonl")
  const { entries } = await memory("private-copy", "list", "--scope", "all")
  expect(entries.map(({ text }: { text: string }) => text).sort()).toEqual([
    "For all projects: swifts sleep in flight",
    "The heron is grey",
    "The pike is green",
  ])
  expect((await memory("private", "import", "usual.jsonl")).files).toMatchObject([{ added: 0 }])
})

test("stores nothing of a batch with a bad line and names the line", async () => {
  const { code, stderr } = await space.run(["remember", "--batch", "-"], {
    ...store("bad"),
    stdin: '{"text":"good"}\n{"text":"bad","tgas":["x"]}\n',
  })
  expect(code).not.toBe(0)
  expect(stderr).toContain('line 2: unknown key "tgas"; did you mean "tags"?')
  expect((await memory("bad", "list")).total).toBe(0)
  writeFileSync(join(space.project, "bad.jsonl"), '{"text":"good"}\n{"text":"bad","tgas":["x"]}\n')
  const { files } = await memory("bad", "import", "bad.jsonl", "--skip-bad")
  expect(files).toMatchObject([{ added: 1, warnings: [expect.stringContaining("bad.jsonl:2 was skipped")] }])
})

test("an import that finds nothing of the given format says so", async () => {
  using space = new Workspace({ "other.json": '{"a":1}' })
  for (const format of ["engram", "chat", "claude-session"]) {
    const { files } = await space.json(["memory", "import", "other.json", "--format", format])
    expect(files).toMatchObject([{ added: 0, warnings: ["nothing of this format was found"] }])
  }
})

test("exports Markdown, accepts edits and imports it back", async () => {
  await space.json(["remember", "--batch", "-"], {
    ...store("notes"),
    stdin:
      '{"text":"Deploys go out on Thursdays","topic":"deploys"}\n{"text":"# A heading\\n```\\ncode\\n```","topic":"notes"}',
  })
  await memory("notes", "export", "notes.md")
  const path = join(space.project, "notes.md")
  const text = readFileSync(path, "utf8")
  expect((await memory("notes", "import", "notes.md")).files).toMatchObject([
    { added: 0, revised: 0, deleted: 0 },
  ])
  writeFileSync(
    path,
    text.replace("Thursdays", "Mondays").replace("## notes\n", "## notes\n\nA new thought.\n"),
  )
  expect((await memory("notes", "import", "notes.md")).files).toMatchObject([{ added: 1, revised: 1 }])
  expect((await memory("notes", "import", "notes.md")).files).toMatchObject([{ added: 0, revised: 0 }])
  writeFileSync(path, `${readFileSync(path, "utf8").replace("code", "more code")}`)
  const { code, stderr } = await space.run(["memory", "export", "notes.md"], store("notes"))
  expect([code, stderr]).toEqual([2, expect.stringContaining("has edits that were not imported")])
  await memory("notes", "import", "notes.md")
  await memory("notes", "export", "notes.md")
  await memory("notes", "export", "notes/")
  expect(readdirSync(join(space.project, "notes")).sort()).toEqual(["deploys.md", "notes.md"])
  expect((await memory("notes", "import", "notes")).files).toMatchObject([{ added: 0, revised: 0 }])
  const { results } = await space.json(["recall", "deploys"], store("notes"))
  expect(results[0].text).toBe("Deploys go out on Mondays")
})

test("shows in Markdown that an entry is superseded or ended, which does not count as an edit", async () => {
  const own = store("superseded")
  const { id } = await space.json(["remember", "Five retries"], own)
  const later = await space.json(["remember", "--replaces", id, "Six retries"], own)
  const other = await space.json(["remember", "Nobody knows how long it takes"], own)
  await memory("superseded", "invalidate", other.id, "--reason", "measured --> since")
  await memory("superseded", "export", "superseded.md")
  const text = readFileSync(join(space.project, "superseded.md"), "utf8")
  expect(text).toMatch(new RegExp(`<!-- aman ${id} \\w+\nsuperseded-by: ${later.id}\n-->\nFive retries\n`))
  expect(text).toMatch(/no-longer-holds: "measured --\\u003e since"\nvalid-until: .*\n-->\nNobody knows/)
  expect((await memory("superseded", "import", "superseded.md")).files).toMatchObject([
    { added: 0, revised: 0, deleted: 0 },
  ])
})

test.each([
  ["server-memory.jsonl", "server-memory", 5],
  ["engram.json", "engram", 4],
  ["basic-memory", "basic-memory", 5],
  ["claude-session.jsonl", "claude-session", 4],
  ["chat.json", "chat", 3],
])("recognizes %s as %s; previews it, then imports it once", async (name, format, added) => {
  const path = join(FIXTURES, name)
  const counts = async (...flags: string[]) => (await memory(name, "import", path, ...flags)).files[0]
  expect(await counts("--dry-run")).toMatchObject({ format, added })
  expect((await memory(name, "list")).total).toBe(0)
  expect(await counts()).toMatchObject({ format, added })
  expect(await counts()).toMatchObject({ added: 0, revised: 0, entities: 0, relations: 0 })
  expect((await memory(name, "list", "--limit", "100")).total).toBe(added)
})

test("imports a conversation as one session in order, with dates and names", async () => {
  await memory("talk", "import", join(FIXTURES, "chat.json"))
  const { entries } = await memory("talk", "list", "--session", "chat")
  expect(entries).toMatchObject([
    { role: "person", recorded_at: "2026-05-01T09:00:00.000Z" },
    { role: "agent", text: "It listens on 8080." },
    { author: "Ana", text: "Make it 9090." },
  ])
})

test("shares entries of a team through git, and only what was shared explicitly", async () => {
  const clones = ["ann", "ben"].map((name) => join(space.dir, name))
  const origin = join(space.dir, "origin.git")
  git(space.dir, "init", "-q", "--bare", "-b", "main", origin)
  for (const root of clones) {
    git(space.dir, "clone", "-q", origin, root)
    git(root, "config", "user.email", "team@example.com")
    git(root, "config", "user.name", "team")
  }
  const [ann, ben] = clones as [string, string]
  writeFileSync(join(ann, "a.txt"), "a")
  const at = (root: string) => ({ cwd: root, ...store(`team-${root === ann ? "ann" : "ben"}`) })
  await space.json(["remember", "Releases are cut on Tuesdays"], at(ann))
  await space.json(["remember", "--global", "Ann likes tea"], at(ann))
  expect(await space.json(["memory", "share", "on"], at(ann))).toMatchObject({ is_shared: true, sent: 1 })
  publish(ann)
  git(ben, "pull", "-q", "origin", "main")
  expect((await found(["recall", "releases"], at(ben))).results).toEqual([])
  expect((await space.run(["memory", "sync"], at(ben))).stderr).toContain("are not used on this machine")
  expect(await space.json(["memory", "share", "on", "--dry-run"], at(ben))).toMatchObject({
    is_shared: false,
    held: [{ what: "new", text: "Releases are cut on Tuesdays" }],
  })
  expect((await found(["recall", "releases"], at(ben))).results).toEqual([])
  await space.json(["memory", "share", "on"], at(ben))
  expect((await found(["recall", "releases"], at(ben))).results).toEqual([])
  await space.json(["memory", "sync", "--accept"], at(ben))
  await space.json(["remember", "Hotfixes go out at once"], at(ben))
  expect(await space.json(["memory", "sync"], at(ben))).toMatchObject({ sent: 1, received: [] })
  await space.json(["remember", "Releases have notes"], at(ann))
  await space.json(["memory", "sync"], at(ann))
  commit(ben)
  publish(ann)
  git(ben, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
  git(ben, "push", "-q", "origin", "HEAD:main")
  git(ann, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
  for (const root of clones) {
    await space.json(["memory", "sync", "--accept"], at(root))
    const { results } = await space.json(["recall", "releases hotfixes"], at(root))
    expect(
      results
        .map(({ text }: { text: string }) => text)
        .sort()
        .slice(-3),
    ).toEqual([...["Hotfixes go out at once", "Releases are cut on Tuesdays", "Releases have notes"]])
  }
  const files = readdirSync(join(ann, ".aman-memory"))
  expect(files.filter((file) => file.endsWith(".jsonl")).length).toBe(2)
  const shared = files.map((file) => readFileSync(join(ann, ".aman-memory", file), "utf8")).join("")
  expect(shared).not.toContain("likes tea")
  expect(shared).not.toContain(space.dir)
  // The shared folder is not code, so a search of the code does not find it.
  expect(await found(["search", "hotfixes"], at(ann)).then(({ results }) => results)).toEqual([])
})

test("imports engram's own database", async () => {
  const { Database } = await import("bun:sqlite")
  const path = join(space.dir, "engram.db")
  using db = new Database(path)
  db.run(
    "CREATE TABLE sessions (id TEXT, project TEXT, directory TEXT, started_at TEXT, ended_at TEXT, summary TEXT)",
  )
  db.run(
    "CREATE TABLE observations (id INTEGER, session_id TEXT, type TEXT, title TEXT, content TEXT, created_at TEXT)",
  )
  db.run(
    "INSERT INTO observations VALUES (1, 's', 'bugfix', 'Off by one', 'The pager skipped a row', '2026-02-01 10:00:00')",
  )
  expect((await memory("engram-db", "import", path)).files).toMatchObject([{ format: "engram", added: 1 }])
})

test("imports CLAUDE.md by its sections", async () => {
  mkdirSync(join(space.project, "docs"), { recursive: true })
  copyFileSync(join(FIXTURES, "claude-md.txt"), join(space.project, "docs/CLAUDE.md"))
  const { files } = await memory("claude-md", "import", "docs/CLAUDE.md")
  expect(files).toMatchObject([
    { format: "instructions", added: 5, warnings: [expect.stringContaining("@docs/style.md")] },
  ])
})

function publish(root: string): void {
  commit(root)
  git(root, "push", "-q", "origin", "HEAD:main")
}

function commit(root: string): void {
  git(root, "add", "-A")
  git(root, "commit", "-q", "-m", "work")
}

function git(cwd: string, ...args: string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" }
  const { status, stderr } = spawnSync("git", args, { cwd, encoding: "utf8", env })
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
}

test("imports a folder completely or not at all, and does not wait for a pipe", async () => {
  const inbox = join(space.dir, "inbox")
  mkdirSync(inbox)
  writeFileSync(join(inbox, "a.jsonl"), '{"text":"The first file is right"}\n')
  writeFileSync(join(inbox, "b.md"), "# Notes\n\nThe second is, too\n")
  writeFileSync(join(inbox, "c.jsonl"), '{"text":"The third is not","ref":1}\n')
  const refused = await space.run(["memory", "import", inbox], store("folder"))
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing was stored") })
  expect((await memory("folder", "list")).total).toBe(0)
  writeFileSync(join(inbox, "c.jsonl"), `{"text":"password=${"Zk3vQ9xT1mB7nL"}"}\n`)
  expect((await space.run(["memory", "import", inbox], store("folder"))).code).toBe(3)
  expect((await memory("folder", "list")).total).toBe(0)
  writeFileSync(join(inbox, "c.jsonl"), '{"text":"The third is right"}\n')
  await memory("folder", "import", inbox)
  await memory("folder", "import", inbox)
  expect((await memory("folder", "list")).total).toBe(3)
  if (process.platform === "win32") return
  const pipe = join(space.dir, "pipe")
  Bun.spawnSync(["mkfifo", pipe])
  const waiting = await space.run(["memory", "import", pipe], store("folder"))
  expect(waiting).toMatchObject({ code: 2, stderr: expect.stringContaining("is not a file") })
})

test("reports an edited end of an entry in Markdown, but not an exported one", async () => {
  const [old, next] = (
    await space.json(["remember", "--batch", "-"], {
      ...store("ends"),
      stdin: '{"text":"The bank is called thrice"}\n{"text":"The bank is called five times"}\n',
    })
  ).ids
  const file = join(space.dir, "ends.md")
  await memory("ends", "export", file)
  const text = readFileSync(file, "utf8")
  writeFileSync(
    file,
    text.replace(new RegExp(`(<!-- aman ${old} \\w+) -->`), `$1\nSuperseded_By: ${next}\n-->`),
  )
  const edited = readFileSync(file, "utf8")
  expect(edited).not.toBe(text)
  const { files } = await memory("ends", "import", file)
  const line = edited.split("\n").findIndex((each) => each.startsWith("Superseded_By")) + 1
  expect(files[0].warnings).toEqual([
    `ends.md:${line}: "superseded-by: ${next}" is ignored; instead, run: aman memory invalidate ${old} --successor ID`,
  ])
  await memory("ends", "invalidate", old, "--successor", next, "--reason", "it grew")
  await memory("ends", "export", file, "--format", "markdown")
  expect((await memory("ends", "import", file)).files[0].warnings).toEqual([])
})

test("treats - as stdout for an export", async () => {
  await space.json(["remember", "--", "The bank is closed on Sundays"], store("dash"))
  const { stdout } = await space.run(["memory", "export", "-"], store("dash"))
  expect(stdout).toContain("The bank is closed on Sundays")
  expect(readdirSync(space.project)).not.toContain("-")
})

test("refuses a credential in any field and names its place", async () => {
  const secret = ["gh", "p_Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeUAb"].join("")
  for (const [flag, part] of [
    ["--topic", "the topic"],
    ["--tag", "a tag"],
    ["--key", "the key"],
    ["--entity", "an entity"],
    ["--author", "the author"],
    ["--session", "the session"],
  ] as const) {
    const { code, stderr } = await space.run(["remember", flag, secret, "--", "A fact"], store("secret"))
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${part} looks like a GitHub token`)])
    expect(stderr).not.toContain(secret)
  }
  const described = await space.run(
    ["memory", "entity", "Bank", "--description", `asks for ${secret}`],
    store("secret"),
  )
  expect(described).toMatchObject({ code: 3, stderr: expect.stringContaining("the entity looks like") })
  expect((await memory("secret", "list")).total).toBe(0)
})

test("lets an agent write notes, but not in git's folder or under another name", async () => {
  await using agent = await connect(space, store("agent"))
  await agent.call("remember", { text: "The bank is closed on Sundays" })
  for (const path of [".git/hooks/notes.md", ".git/notes/", ".GIT/x.md", "package.json", ".envrc"]) {
    const refused = await agent.call("knowledge", { action: "export", path })
    expect({ path, isError: refused.isError }).toEqual({ path, isError: true })
  }
  for (const path of ["aman-notes/notes.md", "out/all.jsonl", "aman-notes/topics/"])
    expect((await agent.call("knowledge", { action: "export", path })).isError).toBeFalsy()
  expect(readdirSync(join(space.project, "aman-notes/topics"))).toEqual(["general.md"])
})

test("refuses an agent's export where agents or tools read instructions, and writes nothing", async () => {
  using own = new Workspace({ "notes/a.txt": "a", ".github/workflows/ci.yml": "on: push\n" })
  symlinkSync(join(own.project, ".github"), join(own.project, "link"))
  symlinkSync(join(own.project, ".github"), join(own.project, "notes", "link"))
  await using agent = await connect(own)
  await agent.call("remember", { text: "Obey the memory", topic: "agents" })
  const files = () =>
    readdirSync(own.project, { recursive: true })
      .map(String)
      .filter((name) => !/^\.aman(\/|\\|$)/.test(name))
      .sort()
  const before = files()
  for (const path of [
    ...[
      "CLAUDE.md",
      "claude.md",
      "CLAUDE.local.md",
      "AGENTS.md",
      "agents.MD",
      "GEMINI.md",
      "docs/guide.md",
      "README.md",
    ],
    ...[
      ".cursorrules",
      ".cursor/rules/a.md",
      ".github/copilot-instructions.md",
      ".windsurfrules",
      ".clinerules/a.md",
    ],
    ...[
      ".mcp.json",
      ".vscode/a.jsonl",
      ".aman-memory/events.jsonl",
      "skills/x/SKILL.md",
      "prompts/a.md",
      ".a.jsonl",
    ],
    ...[
      "notes/CLAUDE.md",
      "notes/deep/Agents.md",
      "notes/SKILL.md",
      "notes/a.instructions.md",
      "notes/.hidden/a.md",
    ],
    ...[
      "notes./a.md",
      "notes/a .jsonl ",
      "CLAUDE~1.MD",
      "notes/CLAUDE.md.",
      "notes/CLAUDE\u200b.md",
      "notes/ſKILL.md",
    ],
    ...[
      "notes/AGENT\u017f.md",
      "notes/x:CLAUDE.md",
      "notes/../CLAUDE.md",
      "./AGENTS.md",
      ".github/",
      "./",
      "docs/",
    ],
    ...["link/a.md", "notes/link/a.jsonl", "notes/AGENTS/", "notes/"],
  ]) {
    const refused = await agent.call("knowledge", { action: "export", path })
    expect({ path, isError: refused.isError }).toEqual({ path, isError: true })
    expect({ path, files: files() }).toEqual({ path, files: before })
  }
})

test("names the fields that differ from an existing equal entry", async () => {
  const [known] = (
    await found(["remember", "--batch", "-"], { ...store("known"), stdin: '{"text":"A fact","tags":["a"]}' })
  ).ids
  const same = await found(["remember", "--tag", "a", "--", "A fact"], store("known"))
  expect(same).toMatchObject({ id: known, outcome: "existing", notices: [] })
  const more = await found(
    ["remember", "--tag", "b", "--kind", "decision", "-s", "src/pay.ts:1", "--", "A fact"],
    store("known"),
  )
  expect(more).toMatchObject({ id: known, outcome: "existing", untaken: ["kind", "tags", "source"] })
  expect(more.notices).toEqual([expect.stringContaining("to change its kind, tags, source, revise it")])
})

test("exports many files again at once unless one of them was edited", async () => {
  const stdin = Array.from({ length: 12 }, (_, i) => `{"text":"Fact ${i}","topic":"t${i}"}\n`).join("")
  await found(["remember", "--batch", "-"], { ...store("many"), stdin })
  const folder = `${join(space.dir, "many")}/`
  await memory("many", "export", folder)
  await memory("many", "export", folder)
  const edited = join(folder, "t7.md")
  writeFileSync(edited, readFileSync(edited, "utf8").replace("Fact 7", "Fact seven"))
  const { code, stderr } = await space.run(["memory", "export", folder], store("many"))
  expect([code, stderr]).toEqual([2, expect.stringContaining("t7.md has edits that were not imported")])
  const broken = join(folder, "t8.md")
  const whole = readFileSync(broken, "utf8")
  writeFileSync(broken, whole.replace("<!-- /aman -->", ""))
  writeFileSync(edited, readFileSync(edited, "utf8").replace("Fact seven", "Fact 7"))
  expect((await space.run(["memory", "export", folder], store("many"))).stderr).toContain("is missing")
  writeFileSync(broken, whole)
  writeFileSync(edited, readFileSync(edited, "utf8").replace("Fact 7", "Fact seven"))
  const { stdout } = await space.run(["memory", "import", folder], store("many"))
  expect(stdout).toBe("t0.md, t1.md, t10.md, t11.md, t2.md and 7 more (markdown): 1 revised\n")
})

test("exports a folder again whose entries moved to another file, unless someone edited one", async () => {
  const stdin = '{"text":"Fact one","topic":"alpha"}\n{"text":"Fact two","topic":"alpha"}\n'
  const { ids } = await found(["remember", "--batch", "-"], { ...store("moved"), stdin })
  const folder = `${join(space.dir, "moved")}/`
  await memory("moved", "export", folder)
  for (const id of ids) await memory("moved", "revise", id, "--topic", "beta")
  await memory("moved", "export", folder)
  await found(["remember", "--topic", "alpha", "--", "Fact three"], store("moved"))
  const beta = join(folder, "beta.md")
  const before = readFileSync(beta, "utf8")
  writeFileSync(beta, before.replace("Fact two", "Fact too"))
  const { code, stderr } = await space.run(["memory", "export", folder], store("moved"))
  expect([code, stderr]).toEqual([2, expect.stringContaining("beta.md has edits that were not imported")])
  writeFileSync(beta, before)
  await memory("moved", "export", folder)
  expect(readFileSync(join(folder, "alpha.md"), "utf8")).toContain("Fact three")
})

test("an import into the folder of another project says whose entries these are and how to use them here", async () => {
  using from = new Workspace({ "package.json": "{}" })
  using to = new Workspace({ "package.json": "{}" })
  await from.json(["remember", "The gate opens at six"])
  const { stdout } = await from.run(["memory", "export"])
  to.write("notes.jsonl", stdout)
  const [file] = (await to.json(["memory", "import", "notes.jsonl"])).files
  const [, id] = /aman memory link (\S+)$/.exec(file.warnings[0])!
  await to.json(["memory", "link", id!])
  expect((await to.json(["recall", "gate"])).results[0].text).toBe("The gate opens at six")
})

test("a file of a folder refers by key to an entry of another one", async () => {
  const inbox = join(space.dir, "keys")
  mkdirSync(inbox)
  await space.json(["remember", "--global", "--key", "olds", "--", "Five retries"], store("keys-from"))
  await memory("keys-from", "export", join(inbox, "a.jsonl"))
  writeFileSync(join(inbox, "b.jsonl"), '{"text":"Six retries","replaces":["olds"]}\n')
  const { files } = await memory("keys-to", "import", inbox)
  expect(files.map(({ format }: { format: string }) => format)).toEqual(["aman", "batch"])
  const { results } = await space.json(["recall", "--outdated", "retries"], store("keys-to"))
  expect(results).toMatchObject([
    { text: "Six retries" },
    { text: "Five retries", superseded_by: results[0].id },
  ])
})

test("messages and entries as JSON Lines with an author and a role are told apart without --format", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const said = { author: "Ana", role: "user", content: "The deploy failed at the gate" }
  const kept = { author: "Ana", role: "person", text: "The gate checks the quota", topic: "deploys" }
  for (const [file, line, format] of [
    ["said.jsonl", said, "chat"],
    ["kept.jsonl", kept, "batch"],
  ] as const) {
    space.write(file, [line, { ...line, author: "Ben" }].map((each) => `${JSON.stringify(each)}\n`).join(""))
    const { stdout, code } = await space.run(["memory", "import", file])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${file} (${format})`)])
  }
  expect((await space.json(["recall", "gate quota"])).results[0]).toMatchObject({
    topic: "deploys",
    author: "Ana",
  })
})

test("a clone says that it comes with shared memories that are not used here", async () => {
  using clone = new Workspace({
    ".aman-memory/22222222222222222222.jsonl": "",
    "src/pay.ts": "export const retries = 3\n",
  })
  const notice = ".aman-memory/ has memories of this project, which are not used on this machine"
  const recalled = await clone.run(["recall", "how many retries"])
  expect(recalled.code).toBe(1)
  expect(recalled.stderr).toContain(`${notice}; run: aman memory share on`)
  expect((await clone.run(["memory", "share"])).stdout).toContain(notice)
  expect((await clone.run(["memory", "sync"])).stderr).toContain(notice)
  await clone.run(["memory", "share", "on"])
  expect((await clone.run(["recall", "how many retries"])).stderr).not.toContain(notice)
})
