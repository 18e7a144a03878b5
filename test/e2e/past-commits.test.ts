import { Database } from "bun:sqlite"
import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, existsSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { commit, git, write } from "../git-repository.ts"
import { Workspace } from "./harness.ts"
import { runsPrograms } from "./hostile-project.ts"

setDefaultTimeout(60_000)

const CAPTCHA = "src/challenge.ts"
const FILES: Readonly<Record<string, string>> = {
  [CAPTCHA]:
    "// also abroad\nexport function verifyChallenge(token: string) {\n  return token.length > 8\n}\n",
  "src/page.ts":
    "// also abroad\nexport function renderPage(title: string) {\n  return `<h1>${title}</h1>`\n}\n",
  "src/signup.ts": "// also abroad\nexport function signUp(name: string) {\n  return `<p>${name}</p>`\n}\n",
  "src/mail.ts": "// abroad, all abroad\nexport function sendMail(to: string) {\n  return to\n}\n",
}
/** The one word of it that is in the code is in every file; the past commits of CAPTCHA are about its other words. */
const TASK = "Fix: robots from abroad register again"
const FEATURE = "task:similar_commits"

const space = new Workspace()
const { project } = space
afterAll(() => space[Symbol.dispose]())
git(project, "init", "-q", "--template=", "-b", "main")
for (const [path, text] of Object.entries(FILES)) write(project, path, text)
commit(project, "first")
for (const subject of [
  "Keep robots out",
  "Stop robots that register from abroad",
  "Robots registered twice",
]) {
  appendFileSync(join(project, CAPTCHA), `// ${subject.length}\n`)
  commit(project, subject)
}
write(project, "src/mail.ts", `${FILES["src/mail.ts"]}// by post\n`)
commit(project, "Send the letter by post")

type Share = { readonly name: string; readonly value: number }
type Result = { readonly path: string; readonly explanation: { readonly features: readonly Share[] } }

/** The files found for a query, best first, each with its share in past commits; 0 if it has none. */
async function ranked(root: string, query = TASK): Promise<[path: string, share: number][]> {
  const { results } = await space.json(["search", "--root", root, "--explain", query])
  return results.map(({ path, explanation }: Result) => {
    return [path, explanation.features.find(({ name }) => name === FEATURE)?.value ?? 0]
  })
}

test("a task finds the file that similar past commits changed, although its code has other words", async () => {
  const [first] = await ranked(project)
  expect(first![0]).toBe(CAPTCHA)
  expect(first![1]).toBeGreaterThan(0.9)
})

test("without git's history another file comes first", async () => {
  const copy = join(space.dir, "copy")
  for (const path of Object.keys(FILES)) write(copy, path, await Bun.file(join(project, path)).text())
  const files = await ranked(copy)
  expect(files[0]![0]).not.toBe(CAPTCHA)
  expect(files.map(([, share]) => share)).toEqual(files.map(() => 0))
})

test("a shallow clone with one commit has no history", async () => {
  const clone = join(space.dir, "shallow")
  git(space.dir, "clone", "-q", "--depth=1", `file://${project}`, clone)
  expect((await ranked(clone)).every(([, share]) => share === 0)).toBe(true)
  const { stdout } = await space.run(["doctor", "--root", clone])
  expect(stdout).not.toContain("history")
})

test.each(["who verifies a challenge", "verifyChallenge"])(
  "%p is not ranked by past commits",
  async (query) => {
    const files = await ranked(project, query)
    expect(files.length).toBeGreaterThan(0)
    expect(files.every(([, share]) => share === 0)).toBe(true)
  },
)

test("an index run reads the commits that are new, and forgets those of another branch", async () => {
  const task = "Fix: pigeons cannot carry the parcel on the page"
  const shareOf = async (path: string) => (await ranked(project, task)).find((file) => file[0] === path)?.[1]
  expect(await shareOf("src/mail.ts")).toBe(0)
  git(project, "checkout", "-q", "-b", "birds")
  git(project, "mv", "src/mail.ts", "src/other.ts")
  commit(project, "Pigeons carry each parcel")
  git(project, "mv", "src/other.ts", "src/mail.ts")
  commit(project, "Pigeons carry each parcel again")
  // No file differs from the index.
  expect(await space.json(["index"])).toMatchObject({ changed: 0 })
  expect(await shareOf("src/mail.ts")).toBeGreaterThan(0.5)
  git(project, "checkout", "-q", "main")
  await space.json(["index"])
  expect(await shareOf("src/mail.ts")).toBe(0)
})

test("a folder of a repository sees its own files only, and a killed run continues with the same history", async () => {
  const clone = join(space.dir, "clone")
  git(space.dir, "clone", "-q", project, clone)
  const folder = join(clone, "src")
  write(folder, "package.json", "{}")
  const wanted: [string, number] = ["challenge.ts", (await ranked(project))[0]![1]]
  expect((await ranked(folder))[0]).toEqual(wanted)
  leaveAsKilled(folder)
  expect((await ranked(folder))[0]).toEqual(wanted)
})

test.skipIf(process.platform === "win32")(
  "a hostile history takes little space and runs nothing",
  async () => {
    using hostile = new Workspace(FILES)
    const root = hostile.project
    git(root, "init", "-q", "--template=", "-b", "main")
    commit(root, "first")
    for (let at = 0; at < 200; at++) write(root, `many/robots-${at}.ts`, `export const robot${at} = ${at}\n`)
    commit(root, "robots register from abroad on the sign up page")
    write(root, "src/page.ts", `${FILES["src/page.ts"]}// 2\n`)
    // A subject of a megabyte, and one that looks like the mark between commits.
    git(root, "commit", "-qam", "x", "-m", "body")
    const words = Array.from({ length: 20_000 }, (_, at) => `word${at}`)
    write(root, "src/signup.ts", `${FILES["src/signup.ts"]}// 3\n`)
    write(hostile.dir, "message", `${words.join(" ")}\n`)
    git(root, "commit", "-qa", "-F", join(hostile.dir, "message"))
    write(root, "src/mail.ts", `${FILES["src/mail.ts"]}// 4\n`)
    commit(root, "//")
    runsPrograms(hostile)
    rmSync(join(hostile.dir, "MARK"), { force: true })
    await hostile.json(["index"])
    expect(existsSync(join(hostile.dir, "MARK"))).toBe(false)
    const { commits, failure } = historyOf(root)
    expect(failure).toBeNull()
    expect(commits.length).toBeLessThan(1_000)
    const { results } = await hostile.json(["search", "--explain", TASK])
    const many = results.filter(({ path }: Result) => path.startsWith("many/"))
    expect(
      many.flatMap(({ explanation }: Result) => explanation.features.map(({ name }) => name)),
    ).not.toContain(FEATURE)
  },
)

test("only the newest commits are read if the messages of all are too long", async () => {
  using long = new Workspace(FILES)
  const root = long.project
  git(root, "init", "-q", "--template=", "-b", "main")
  const commits = ["x".repeat(9_000_000), ...Array.from({ length: 250 }, (_, at) => `Robots ${at}`)].map(
    (
      subject,
      at,
    ) => `commit refs/heads/main\ncommitter t <t@example> ${at} +0000\ndata ${subject.length}\n${subject}
M 100644 inline ${CAPTCHA}\ndata ${String(at).length}\n${at}`,
  )
  const { exitCode } = Bun.spawnSync(["git", "fast-import", "--quiet"], {
    cwd: root,
    stdin: Buffer.from(`${commits.join("\n")}\n`),
  })
  expect(exitCode).toBe(0)
  await long.json(["index"])
  const { commits: packed, failure } = historyOf(root)
  expect(failure).toBeNull()
  expect(new Uint32Array(packed.buffer)[0]).toBe(200)
})

test("a history that git cannot read, or that may not be read, is named with the next step", async () => {
  using broken = new Workspace(FILES)
  const root = broken.project
  git(root, "init", "-q", "--template=", "-b", "main")
  commit(root, "first")
  write(root, ".git/refs/heads/main", `${"1".repeat(40)}\n`)
  expect(await broken.json(["index"])).toMatchObject({ files: 4 })
  const untold = "the history is not read, and tasks are ranked without it: "
  const { stdout } = await broken.run(["doctor"])
  expect(stdout).toContain(`${untold}git cannot read the repository`)
  const elsewhere = join(broken.dir, "elsewhere")
  git(broken.dir, "clone", "-q", "--no-local", project, elsewhere)
  const unread: readonly (readonly [string, string, () => void])[] = [
    ["borrowed", "borrows objects", () => borrow(elsewhere, root)],
    ["linked", "links in .git", () => symlinkSync(join(elsewhere, ".git"), join(root, ".git"))],
    ["elsewhere", "does not name", () => write(root, ".git", `gitdir: ${elsewhere}/.git\n`)],
    ["reftable", "in a reftable", () => reftable(root)],
  ]
  for (const [kind, why, make] of unread) {
    rmSync(join(root, ".git"), { recursive: true })
    make()
    expect((await broken.json(["index"])).notices, kind).toEqual([
      expect.stringMatching(new RegExp(`^${untold}.*${why}`)),
    ])
    expect((await broken.json(["status"])).notices, kind).toEqual([
      expect.stringMatching(new RegExp(`^${untold}.*${why}`)),
    ])
    for (const args of [
      ["log", "src/mail.ts"],
      ["symbol", "--diff"],
    ]) {
      const { code, stderr } = await broken.run(args)
      expect([code, stderr], kind).toEqual([2, expect.stringContaining(why)])
    }
  }
  rmSync(join(root, ".git"), { recursive: true })
  git(root, "init", "-q", "--template=", "-b", "main")
  commit(root, "first")
  expect((await broken.json(["index"])).notices).toEqual([])
})

test("in a partial clone, log says that objects are missing and how to get them", async () => {
  using whole = new Workspace({ "a.ts": "export const a = 1\n" })
  git(whole.project, "init", "-q", "--template=", "-b", "main")
  commit(whole.project, "first")
  whole.write("a.ts", "export const a = 2\n")
  commit(whole.project, "second")
  git(whole.project, "config", "uploadpack.allowFilter", "true")
  using space = new Workspace({})
  git(space.project, "clone", "-q", "--filter=blob:none", `file://${whole.project}`, ".")
  const { stderr } = await space.run(["log", "a.ts:1"])
  expect(stderr).toContain("this partial clone lacks objects (git fetch --refetch --no-filter)")
})

/** Makes `.git` a repository whose objects are those of the one in `from`. */
function borrow(from: string, root: string): void {
  git(root, "clone", "-q", "--bare", "--shared", from, ".git")
  git(root, "config", "core.bare", "false")
}

/** Makes `.git` what git makes for `--ref-format=reftable`, which not every git can. */
function reftable(root: string): void {
  git(root, "init", "-q", "--template=")
  write(root, ".git/HEAD", "ref: refs/heads/.invalid\n")
}

/** Puts an index into the state in which a run leaves it that was killed before it had read the history. */
function leaveAsKilled(root: string): void {
  using db = new Database(join(root, ".aman", "index.db"))
  db.run("DELETE FROM history")
  db.run("DELETE FROM snapshot")
  db.run(`UPDATE meta SET value = json_set(value, '$.state', 'indexing') WHERE key = 'state'`)
}

function historyOf(root: string): { readonly commits: Uint8Array; readonly failure: string | null } {
  using db = new Database(join(root, ".aman", "index.db"), { readonly: true })
  return db.query("SELECT commits, failure FROM history").get() as ReturnType<typeof historyOf>
}
