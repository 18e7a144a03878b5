import { afterAll, beforeAll, expect, test } from "bun:test"
import { rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { encode } from "../encode.ts"
import { commit, git } from "../git-repository.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const RETRY = `export function sendWithRetry(limit: number) {
  for (let attempt = 0; attempt < limit; attempt++) {
    console.log(attempt)
  }
}
`
const OTHER = "\nexport function other() {\n  return 1\n}\n"

let space: Workspace
beforeAll(async () => {
  space = new Workspace({ "lib/retry.ts": RETRY + OTHER })
  git(space.project, "init", "-q", "-b", "main")
  space.write(".gitignore", ".aman/\n")
  commit(space.project, "Add retries")
  space.write("src/retry.ts", RETRY + OTHER)
  rmSync(join(space.project, "lib/retry.ts"))
  commit(space.project, "Move the sources (#7)")
  space.write("src/retry.ts", RETRY.replace("attempt = 0", "attempt = 1") + OTHER)
  commit(space.project, "Merge pull request #12 from shop/retries\n\nCount from one.\n\nSigned-off-by: T")
  space.write("src/retry.ts", RETRY.replace("attempt = 0", "attempt = 1") + OTHER.replace("1", "2"))
  commit(space.project, "Something else")
  const note = ["--topic", "retries", "--kind", "decision", "--source", "src/retry.ts:1"]
  await space.json(["remember", ...note, "--", "sendWithRetry counts from one since partners do."])
})
afterAll(() => space[Symbol.dispose]())

const subjects = (place: { commits: { subject: string }[] }) => place.commits.map(({ subject }) => subject)
const MERGED = "Merge pull request #12 from shop/retries"

test("tells the commits of a definition, through a rename, and the decision about it", async () => {
  const answer = await space.json(["log", "sendWithRetry"])
  const [place] = answer.places
  expect(place).toMatchObject({
    path: "src/retry.ts",
    name: "sendWithRetry",
    start_line: 1,
    is_edited: false,
  })
  expect(subjects(place)).toEqual([MERGED, "Add retries"])
  expect(place.commits[0]).toMatchObject({ pull_requests: ["#12"], body: expect.stringContaining("Count") })
  expect(answer.memories).toMatchObject([{ kind: "decision", freshness: "fresh" }])
  const { stdout } = await space.run(["log", "src/retry.ts#sendWithRetry"])
  expect(stdout).toContain(MERGED)
  expect(stdout).toContain("Count from one.")
  expect(stdout).not.toContain("Signed-off-by")
  expect(stdout).toContain("counts from one since partners do")
})

test("tells the commits of a file, of lines, of a deleted file; paths are relative to the folder", async () => {
  const [file] = (await space.json(["log", "src/retry.ts"])).places
  expect(subjects(file)).toEqual(["Something else", MERGED, "Move the sources (#7)", "Add retries"])
  expect(file.commits[2].pull_requests).toEqual(["#7"])
  const [lines] = (await space.json(["log", "src/retry.ts:8", "-n", "1"])).places
  expect(subjects(lines)).toEqual(["Something else"])
  const [gone] = (await space.json(["log", "lib/retry.ts"])).places
  expect(subjects(gone)).toEqual(["Move the sources (#7)", "Add retries"])
  const inside = await space.run(["log", "retry.ts", "--json"], { cwd: join(space.project, "src") })
  expect(JSON.parse(inside.stdout).places[0].path).toBe("src/retry.ts")
})

test("finds the lines of an edited file in the last commit, and says what is not committed", async () => {
  const edited = RETRY.replace("attempt = 0", "attempt = 1") + OTHER.replace("1", "2")
  space.write(
    "src/retry.ts",
    `// one\n// two\n// three\n${edited}\nexport function fresh() {\n  return 3\n}\n`,
  )
  const [moved] = (await space.json(["log", "sendWithRetry"])).places
  expect(moved).toMatchObject({ start_line: 4, is_edited: false })
  expect(subjects(moved)).toEqual([MERGED, "Add retries"])
  const { code, stderr } = await space.run(["log", "fresh"])
  expect({ code, stderr }).toEqual({ code: 1, stderr: "note: fresh is in no commit yet\n" })
  space.write("src/retry.ts", edited)
})

test("exits with 1 for an unknown symbol or path, and with 2 without a repository", async () => {
  for (const what of ["sendWithoutRetry", "src/none.ts", "src/retry.ts#none"])
    expect({ what, code: (await space.run(["log", what])).code }).toEqual({ what, code: 1 })
  expect((await space.run(["log", "../x.ts"])).code).toBeGreaterThan(0)
  using bare = new Workspace({ "a.ts": "export const a = 1\n" })
  expect(await bare.run(["log", "a.ts"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no history"),
  })
})

test("an agent asks through manage", async () => {
  await using agent = await connect(space, { isPlain: true })
  const asked = { tool: "log", arguments: { path: "src/retry.ts#sendWithRetry" } }
  const { content } = await agent.call("manage", asked)
  expect(content[0]!.text).toContain("#12")
  expect(content[0]!.text).toContain("counts from one")
})

test("a file is edited only if its text differs from the commit, not its time", async () => {
  using project = new Workspace({ "src/a.ts": RETRY })
  git(project.project, "init", "-q", "-b", "main")
  commit(project.project, "Add retries")
  const path = join(project.project, "src/a.ts")
  utimesSync(path, new Date(2_000), new Date(2_000))
  expect((await project.json(["log", "src/a.ts"])).places[0].is_edited).toBe(false)
  writeFileSync(path, RETRY.replace("attempt = 0", "attempt = 2"))
  expect((await project.json(["log", "src/a.ts"])).places[0].is_edited).toBe(true)
})

test("a file in an older encoding is edited if one of its letters differs from the commit", async () => {
  using project = new Workspace({ "a.py": "" })
  const path = join(project.project, "a.py")
  writeFileSync(path, encode("# 在庫の数\ndef count():\n    pass\n", "shift_jis"))
  git(project.project, "init", "-q", "-b", "main")
  commit(project.project, "Count")
  writeFileSync(path, encode("# 在庫の表\ndef count():\n    pass\n", "shift_jis"))
  expect((await project.json(["log", "a.py"])).places[0].is_edited).toBe(true)
})
