import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commit, GitBox, git as runGit, write } from "../git-repository.ts"
import { Workspace } from "./harness.ts"

const RETRY = `import { wait } from "./wait"

/** Calls until it succeeds. */
export async function retry(call: () => Promise<void>) {
  const limit = 5
  for (let i = 0; i < limit; i++) await call().catch(() => wait(100))
}
`

let shop: Workspace
let id: string
beforeAll(async () => {
  shop = new Workspace({ "package.json": "{}", "src/retry.ts": RETRY })
  const { notices, ...made } = await shop.json([
    "remember",
    "--topic",
    "retry",
    "--source",
    "src/retry.ts:5",
    "--",
    "Five retries: the gateway bans the address at six",
  ])
  expect(notices).toEqual([])
  id = made.id
})
afterAll(() => shop[Symbol.dispose]())

test("is fresh as long as the lines are the same, whatever the file's date", async () => {
  shop.write("src/retry.ts", RETRY)
  expect(await recalled()).toMatchObject({ freshness: "fresh", source: "src/retry.ts:5", source_now: null })
})

test("reports moved lines as moved until refresh records their place; reading writes nothing", async () => {
  shop.write("src/retry.ts", `// one\n// two\n${RETRY}`)
  const changes = async () =>
    (await shop.json(["memory", "history", id])).forms.map(({ change }: { change: string }) => change)
  for (const _ of [1, 2])
    expect(await recalled()).toMatchObject({ freshness: "moved", source: "src/retry.ts:7" })
  await shop.json(["memory", "stale"])
  expect(await changes()).toEqual(["stored"])
  await shop.json(["memory", "refresh", id])
  expect(await recalled()).toMatchObject({ freshness: "fresh", source: "src/retry.ts:7" })
  expect(await changes()).toEqual(["stored", "anchored"])
})

test("shows changed lines with the difference, and lists them as stale until confirmed", async () => {
  shop.write("src/retry.ts", `// one\n// two\n${RETRY.replace("limit = 5", "limit = 3")}`)
  const hit = await recalled()
  expect(hit).toMatchObject({ freshness: "changed", source: "src/retry.ts:7" })
  expect(hit.source_now.diff).toContain("-  const limit = 5")
  expect(hit.source_now.diff).toContain("+  const limit = 3")
  const { entries, counts } = await shop.json(["memory", "stale"])
  expect(counts).toEqual({ changed: 1 })
  expect(entries[0]).toMatchObject({ id, freshness: "changed" })
  const looked = await shop.json(["memory", "refresh", id])
  expect(looked.entries[0].source_then).toContain("limit = 5")
  expect((await recalled()).freshness).toBe("changed")
  for (const verb of [["list"], ["get", id]])
    expect((await shop.json(["memory", ...verb])).entries[0]).toMatchObject({ id, freshness: "changed" })
  const [then] = (await shop.json(["memory", "list", "--known-at", "2999-01-01"])).entries
  expect(then.freshness).toBe("unchecked")
  await shop.json(["memory", "refresh", id, "--accept"])
  expect((await recalled()).freshness).toBe("fresh")
  expect((await shop.json(["memory", "stale"])).entries).toEqual([])
})

test("code that was moved and edited is shown at its present lines, or as gone, never at its former ones", async () => {
  const part = (name: string) =>
    `export function ${name}(value: number) {\n  return scaled(value, "${name}")\n}\n`
  const others = ["charge", "refund", "settle", "payout"].map(part).join("\n")
  const code =
    "export function limit(amount: number) {\n  const most = amount * 4\n  audit(amount, most)\n  return most\n}\n"
  using space = new Workspace({ "package.json": "{}", "a.ts": `${code}\n${others}` })
  const key = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7H8`
  space.write("plain.txt", `one\n${key}\nthree\n`)
  const remember = (place: string) => space.json(["remember", "--source", place, "--", `A note on ${place}`])
  await remember("a.ts:1-5")
  await remember("plain.txt:2")
  space.write("a.ts", `${others}\n${code.replace("amount * 4", "amount * rate").replace("audit(", "trace(")}`)
  space.write("plain.txt", "first\none\nother\nthree\nnew\n")
  const { entries } = await space.json(["memory", "list"])
  const states = entries.map(({ source, freshness }: { source: string; freshness: string }) => [
    source,
    freshness,
  ])
  expect(states.sort()).toEqual([
    ["a.ts:17-21", "changed"],
    ["plain.txt:2", "gone"],
  ])
  const start = JSON.stringify({ session_id: "s", cwd: space.project, source: "startup" })
  const { stdout } = await space.run(["hook", "session-start"], {
    stdin: start,
    env: { AMAN_HOOKS_DEADLINE: "30s" },
  })
  expect(stdout).toContain("about a.ts:17")
  expect(stdout).not.toContain("about a.ts:1)")
})

test("a list of stale entries shows 20 lines of a difference, refresh all of them", async () => {
  const lines = (word: string) => Array.from({ length: 15 }, (_, line) => `export const ${word}${line} = 1\n`)
  shop.write("src/long.ts", lines("before").join(""))
  const text = "These names are part of the protocol"
  const long = await shop.json(["remember", "--topic", "names", "--source", "src/long.ts:1-15", "--", text])
  shop.write("src/long.ts", lines("after").join(""))
  const stale = (await shop.run(["memory", "stale"])).stdout
  expect(stale.match(/^[+-]export/gm)).toHaveLength(20)
  expect(stale).toContain(`… 10 more lines: refresh ${long.id}`)
  expect((await shop.run(["memory", "refresh", long.id])).stdout.match(/^[+-]export/gm)).toHaveLength(30)
  await shop.run(["memory", "delete", long.id])
})

test("list follows moved lines; an answer without a check does not claim that code is missing", async () => {
  const now = readFileSync(join(shop.project, "src/retry.ts"), "utf8")
  shop.write("src/retry.ts", `// zero\n${now}`)
  expect((await shop.json(["memory", "tag", id, "--tag", "gateway"])).entries[0].freshness).toBe("unchecked")
  const [moved] = (await shop.json(["memory", "list"])).entries
  expect(moved).toMatchObject({ freshness: "moved", source: "src/retry.ts:8" })
  expect((await shop.json(["memory", "get", id])).entries[0].freshness).toBe("moved")
  await shop.json(["memory", "delete", id])
  expect((await shop.json(["memory", "get", id])).entries[0].freshness).toBe("unchecked")
  await shop.json(["memory", "restore", id])
  shop.write("src/retry.ts", now)
})

test("reports a deleted file, and its return", async () => {
  rmSync(join(shop.project, "src/retry.ts"))
  expect(await recalled()).toMatchObject({ freshness: "gone" })
  const { stdout } = await shop.run(["recall", "retries gateway"])
  expect(stdout).toContain("that code is not there now")
  shop.write("src/retry.ts", RETRY.replace("limit = 5", "limit = 3"))
  expect((await recalled()).freshness).toMatch(/fresh|moved/)
})

test("names the place where the symbol of moved and edited lines is defined now", async () => {
  using space = new Workspace({
    "src/pay.ts":
      "export function charge(cents: number) {\n  const fee = cents * 0.03\n  return cents + fee\n}\n",
  })
  await space.run(["remember", "--source", "src/pay.ts#charge", "--", "The fee is three percent"])
  space.write("src/pay.ts", "export const currency = 'EUR'\n")
  space.write(
    "src/fees/card.ts",
    "\nexport function charge(cents: number) {\n  log(cents)\n  return cents + cents * 0.04\n}\n",
  )
  await space.run(["index"])
  const { stdout } = await space.run(["recall", "how high is the fee"])
  expect(stdout).toContain(
    "about src/pay.ts:1-4: that code is not there now; now defined in src/fees/card.ts:2",
  )
})

test("two work trees with different places do not overwrite each other's place", async () => {
  using git = new GitBox()
  using space = new Workspace()
  const cwd = git.repository("turns", { "src/retry.ts": RETRY })
  const { id } = await space.json(["remember", "--source", "src/retry.ts:5", "Five retries"], { cwd })
  const other = join(git.box, "turns-other")
  runGit(cwd, "worktree", "add", "-q", "-b", "other", other)
  runGit(other, "mv", "src/retry.ts", "src/again.ts")
  commit(other, "renamed")
  const looked = async (cwd: string) => (await space.json(["memory", "get", id], { cwd })).entries[0]
  for (let turn = 0; turn < 2; turn++) {
    expect((await looked(other)).source).toBe("src/again.ts:5")
    expect((await looked(cwd)).source).toBe("src/retry.ts:5")
  }
  const changes = async () =>
    (await space.json(["memory", "history", id], { cwd })).forms.map(
      ({ change }: { change: string }) => change,
    )
  expect(await changes()).toEqual(["stored"])
  await space.json(["memory", "refresh", id], { cwd: other })
  expect(await changes()).toEqual(["stored", "anchored"])
  await space.json(["memory", "refresh", id], { cwd })
  expect((await looked(cwd)).freshness).toBe("fresh")
})

test.skipIf(process.platform === "win32")(
  "list asks git for lost files one after another and says where it could not",
  async () => {
    using git = new GitBox()
    using space = new Workspace()
    const names = Array.from({ length: 3 }, (_, i) => `step${i}.ts`)
    const cwd = git.repository(
      "lost",
      Object.fromEntries(names.map((name, i) => [name, `export const a = ${i}`])),
    )
    for (const name of names)
      await space.json(["remember", "--source", `${name}:1`, `What ${name} does`], { cwd })
    for (const name of names) rmSync(join(cwd, name))
    const fake = git.folder("fake")
    const many = join(fake, "many")
    // If two git processes ran at once, the second would find the folder of the first and create the file
    // `many`.
    const script = `#!/bin/sh\nPATH=/usr/bin:/bin\nmkdir ${fake}/one || touch ${many}\nsleep 0.1\nrmdir ${fake}/one\nexit 1\n`
    writeFileSync(join(fake, "git"), script, { mode: 0o755 })
    const { entries } = await space.json(["memory", "list"], { cwd, env: { PATH: fake } })
    expect(entries.map(({ freshness }: { freshness: string }) => freshness)).toEqual(names.map(() => "gone"))
    expect(existsSync(many)).toBe(false)

    const none = { cwd, env: { PATH: git.folder("empty") } }
    const notice = "renamed files were searched by content, because git is not installed"
    for (const verb of [["list"], ["get", entries[0].id], ["entries", "general"]]) {
      expect((await space.json(["memory", ...verb], none)).notices).toEqual([notice])
      expect((await space.run(["memory", ...verb], none)).stdout).toContain(notice)
    }
  },
)

test("sources in another folder are not checked and reported as unknown", async () => {
  using other = new Workspace({ "package.json": "{}" })
  const env = { XDG_DATA_HOME: join(shop.home, ".local", "share") }
  const { results } = await other.json(["recall", "--scope", "all", "--", "retries gateway"], { env })
  expect(results[0]).toMatchObject({ id, freshness: "unknown", scope: "other" })
})

test("rejects sources outside of the project", async () => {
  const { notices, id: outside } = await shop.json([
    "remember",
    "--source",
    "../../etc/passwd:1",
    "--",
    "users",
  ])
  expect(notices).toHaveLength(1)
  const [entry] = (await shop.json(["memory", "refresh", outside])).entries
  expect(entry).toMatchObject({ source_then: null, source_now: null })
  expect(entry.freshness).not.toBe("fresh")
})

async function recalled() {
  const { results } = await shop.json(["recall", "--", "retries gateway"])
  expect(results[0].id).toBe(id)
  return results[0]
}

test("a line that a formatter wrapped is unchanged; for an ambiguous symbol the caller is asked which one is meant", async () => {
  const one = "export const send = (order: Order) => post(order.id, { retries: 5, timeout: 30 })\n"
  const wrapped =
    "export const send = (order: Order) =>\n  post(order.id, {\n    retries: 5,\n    timeout: 30,\n  })\n"
  const opens = "class A {\n  open() {\n    return 1\n  }\n}\nclass B {\n  open() {\n    return 2\n  }\n}\n"
  using other = new Workspace({ "package.json": "{}", "send.ts": one, "open.ts": opens })
  await other.json(["remember", "--source", "send.ts:1", "--", "Orders are sent with 5 retries"])
  other.write("send.ts", wrapped)
  const { results } = await other.json(["recall", "retries of orders"])
  expect(results[0]).toMatchObject({ freshness: "fresh", source: "send.ts:1-5", source_now: null })
  const { notices } = await other.json(["remember", "--source", "open.ts#open", "--", "Opening is cheap"])
  expect(notices).toEqual(["open.ts defines open in lines 2, 7: choose one of them, such as open.ts:2#open"])
})

test("says which names of an entry its changed lines still contain", async () => {
  using other = new Workspace({ "package.json": "{}", "limits.ts": "export const limit = 5\n" })
  const { id } = await other.json([
    "remember",
    ...["--source", "limits.ts:1", "--", "Retries have a limit of 5"],
  ])
  const recalled = async () => (await other.json(["recall", "limit of retries"])).results[0].source_now.lost
  other.write("limits.ts", "const limit: number = 5\n")
  expect(await recalled()).toEqual([])
  expect((await other.run(["recall", "limit of retries"])).stdout).toContain(
    "that code has changed since; the names in it still exist",
  )
  other.write("limits.ts", "const limit: number = 7\n")
  expect(await recalled()).toEqual(["5"])
  expect((await other.json(["memory", "stale"])).entries[0]).toMatchObject({
    id,
    source_now: { lost: ["5"] },
  })
  expect((await other.run(["memory", "stale"])).stdout).toContain("changed since; deleted: 5")
})

test("names the commit by the same person that changed a note's lines next, also after it was amended", async () => {
  using git = new GitBox()
  using space = new Workspace()
  const cwd = git.repository("led", { "src/retry.ts": RETRY, "src/wait.ts": "export const wait = 1\n" })
  const edit = (from: string, to: string) =>
    write(cwd, "src/retry.ts", readFileSync(join(cwd, "src/retry.ts"), "utf8").replace(from, to))
  const text = "Five retries were too many for the gateway"
  const { id } = await space.json(["remember", "--source", "src/retry.ts:5", text], { cwd })
  const led = async () => (await space.json(["memory", "get", id], { cwd })).entries[0].led_to
  edit('"./wait"', '"./wait.ts"')
  commit(cwd, "Name the file")
  edit("wait(100)", "wait(200)")
  runGit(cwd, "commit", "-qam", "Wait longer", "--author", "Ann <ann@example>")
  edit("limit = 5", "limit = 6")
  runGit(cwd, "commit", "-qam", "Six retries", "--author", "Ann <ann@example>")
  expect(await led()).toBeUndefined()
  edit("limit = 6", "limit = 4")
  commit(cwd, "Limit retries")
  edit("limit = 4", "limit = 3")
  const later = commit(cwd, "Limit retries again")
  expect(await led()).toMatch(/^[0-9a-f]{10} Limit retries$/)
  runGit(cwd, "reset", "-q", "--soft", `${later}~2`)
  const amended = commit(cwd, "Limit retries to three")
  const said = `led to ${amended.slice(0, 10)} Limit retries to three`
  expect((await space.run(["recall", "retries of the gateway"], { cwd })).stdout).toContain(said)
  const { hints } = await space.json(["context", "--", "retries of the gateway"], { cwd })
  expect(hints.join()).toContain(said)
  const after = await space.json(["remember", "--source", "src/retry.ts:5", "Three retries hold"], { cwd })
  runGit(cwd, "commit", "-q", "--amend", "-m", "Three retries", "--date", "2020-01-01T00:00:00Z")
  expect((await space.json(["memory", "get", after.id], { cwd })).entries[0].led_to).toBeUndefined()
})
