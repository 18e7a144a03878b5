import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Answer, type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

/** A word in every text, topic, tag, key and name of the other project, and nowhere else. */
const MARK = "zanzibar"
const MINUTE = 60_000

let space: Workspace
let other: string
let agent: Connection
/** Ids in the other project. */
let foreign: { readonly entry: string; readonly deleted: string; readonly entity: string }
let before: string
let subjects: Set<string> | null = null

beforeAll(async () => {
  space = new Workspace({ "a.py": "x = 1\n" })
  other = join(space.dir, "other")
  mkdirSync(other)
  const there = { cwd: other }
  const remember = async (...args: string[]) => (await space.json(["remember", ...args], there)).id as string
  const entry = await remember(
    "--topic",
    MARK,
    "--key",
    MARK,
    "--tag",
    MARK,
    `The ${MARK} gate opens at nine`,
  )
  const deleted = await remember("--tag", "private", `A deleted ${MARK} sentence`)
  await space.run(["memory", "delete", deleted], there)
  await space.run(["memory", "relate", `${MARK} person`, "owns", `${MARK} gate`], there)
  const { entities } = await space.json(["memory", "entities"], there)
  foreign = { entry, deleted, entity: entities[0].id }
  await space.run(["remember", "--topic", "own", "Our own note: no gate opens at nine"])
  await space.run(["remember", "--topic", "own", "--tag", "private", "A secret of this project"])
  await space.run(["remember", "--global", "--topic", "own", "A preference for all projects"])
  before = await stored()
  agent = await connect(space)
}, MINUTE)
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

/** The other project's events, as a person exports them. */
async function stored(): Promise<string> {
  const { stdout } = await space.run(["memory", "export", "--everything"], { cwd: other })
  const lines = stdout.split("\n").filter((line) => line.includes('"subject"'))
  const subjectOf = (line: string) => JSON.parse(line).subject as string
  subjects ??= new Set(lines.filter((line) => line.includes(MARK)).map(subjectOf))
  return lines.filter((line) => subjects!.has(subjectOf(line))).join("\n")
}

function textOf({ content }: Answer): string {
  return content.map(({ text }) => text).join("\n")
}

async function actions(): Promise<readonly string[]> {
  const { tools } = await agent.client.listTools()
  const { inputSchema } = tools.find(({ name }) => name === "knowledge")!
  return (inputSchema as unknown as { properties: { action: { enum: string[] } } }).properties.action.enum
}

/** Calls of an action in which every argument that can name something has this value; `words` are searched for. */
function callsOf(action: string, name: string, words = "gate"): readonly object[] {
  const texts = { text: "A new text", reason: "none", type: "owns", tags: ["new"], since: "2000-01-01" }
  const names = { query: words, topic: name, match: words, entity: name, name, from: name, to: name }
  const paths = { path: `notes/${name.replaceAll(" ", "-")}.md`, format: "markdown", accept: true }
  return [
    { action, ...texts, ...names, ...paths, into: name, id: name, ids: [name] },
    { action, ...texts, ...names, ...paths, into: "new", ids: [name, name], deleted: true, scope: "both" },
    { action, ...texts, ...paths, topic: name, around: name, successor: name, ids: [name], session: name },
  ]
}

/** The answer without the ids and times that differ between two equal calls. */
function comparable(answer: Answer, name: string): string {
  const text = JSON.stringify([answer.content, answer.structuredContent, answer.isError]).replaceAll(
    name,
    "NAME",
  )
  return text.replace(/\b[0-9a-z]{20}\b/g, "ID").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|"took_ms":[\d.]+/g, "TIME")
}

test(
  "no tool, action, resource, prompt or completion shows a text, name or path of another project",
  async () => {
    const { client, call } = agent
    const answers: string[] = []
    for (const action of await actions())
      for (const each of callsOf(action, `${MARK} gate`, MARK))
        answers.push(`${action}: ${comparable(await call("knowledge", each), `${MARK} gate`)}`)
    for (const args of [{ query: `${MARK} gate` }, { query: "" }, { query: "when does the gate open" }])
      answers.push(textOf(await call("recall", args)))
    for (const args of [{ global: true }, {}, { entries: [{ text: "The gate opens at ten" }] }])
      answers.push(JSON.stringify(await call("remember", { text: "The gate opens at eleven", ...args })))
    for (const tool of ["status", "projects", "repositories"])
      answers.push(JSON.stringify(await call("manage", { tool })))
    answers.push(JSON.stringify(await call("log", { what: "a.py" })))
    answers.push(JSON.stringify(await call("context", { task: "when does the gate open at nine" })))
    const topic = await client.readResource({ uri: `aman://topic/${MARK}` }).catch(({ message }) => message)
    answers.push(JSON.stringify(topic))
    for (const uri of ["aman://memory/{id}", "aman://topic/{topic}"])
      for (const value of ["", MARK, foreign.entry]) {
        const name = uri.includes("topic") ? "topic" : "id"
        const completed = await client.complete({
          ref: { type: "ref/resource", uri },
          argument: { name, value },
        })
        answers.push(JSON.stringify(completed))
      }
    const asked = { name: "what-do-we-know", arguments: { topic: "gate" } }
    answers.push(JSON.stringify(await client.getPrompt(asked)))
    for (const answer of answers) {
      const shown = answer.replaceAll(`"${MARK} gate"`, "").replaceAll(`topic/${MARK}`, "")
      expect(shown).not.toMatch(new RegExp(`${MARK} person|A deleted|${MARK} gate opens|${foreign.entry}`))
      expect(shown).not.toContain(other)
    }
    expect(await stored()).toBe(before)
  },
  MINUTE,
)

test(
  "an id of another project is answered like one that does not exist, by every action and resource",
  async () => {
    for (const known of Object.values(foreign)) {
      // Well-formed, but the id of nothing.
      const unknown = [...known].reverse().join("")
      for (const action of await actions()) {
        const alike = callsOf(action, unknown)
        for (const [at, call] of callsOf(action, known).entries()) {
          const answer = comparable(await agent.call("knowledge", call), known)
          expect([action, at, answer]).toEqual([
            action,
            at,
            comparable(await agent.call("knowledge", alike[at]!), unknown),
          ])
        }
      }
      const { call, client } = agent
      for (const args of [{ replaces: known }, { replaces: [known], key: "k" }])
        expect(textOf(await call("remember", { text: `Replaces ${known}`, ...args }))).toContain(
          `no entry ${known}`,
        )
      await expect(client.readResource({ uri: `aman://memory/${known}` })).rejects.toThrow(
        `no entry ${known}`,
      )
    }
    expect(await stored()).toBe(before)
  },
  2 * MINUTE,
)

test("an agent can neither read every project, nor purge, nor remove the index of another one", async () => {
  const { call } = agent
  await space.json(["index"], { cwd: other })
  const refused = [
    await call("recall", { query: "gate", scope: "all" }),
    await call("knowledge", { action: "list", scope: "all" }),
    await call("manage", { action: "export", arguments: { path: "notes/all.jsonl", scope: "all" } }),
    await call("manage", { action: "purge", id: foreign.entry }),
    await call("manage", { tool: "projects", action: "remove", arguments: { root: other } }),
  ]
  for (const answer of refused) expect([textOf(answer), answer.isError]).toEqual([expect.any(String), true])
  expect(existsSync(join(space.project, "notes/all.jsonl"))).toBe(false)
  expect(existsSync(join(other, ".aman/index.db"))).toBe(true)
  expect(await stored()).toBe(before)
})

test("an agent's import of Markdown changes no entry of another project", async () => {
  await space.run(["memory", "export", "theirs.md"], { cwd: other })
  const edited = readFileSync(join(other, "theirs.md"), "utf8").replace("opens at nine", "is always open")
  expect(edited).toContain("is always open")
  space.write("notes/theirs.md", edited)
  await agent.call("knowledge", { action: "import", path: "notes/theirs.md", force: true })
  expect(await stored()).toBe(before)
})

test("an agent exports neither private notes of its project nor those for all projects", async () => {
  for (const path of ["notes/out.jsonl", "notes/out.md"]) {
    const text = textOf(await agent.call("knowledge", { action: "export", path, topic: "own" }))
    expect(text).toContain("wrote")
    const written = readFileSync(join(space.project, path), "utf8")
    expect(written).toContain("no gate opens at nine")
    expect(written).not.toMatch(/secret of this project|for all projects|zanzibar/)
  }
})
