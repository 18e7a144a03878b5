import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { noteFigures } from "../figures.ts"
import { randomFrom } from "../random.ts"
import { type Damage, inflict, named, randomDamages } from "./damage-kinds.ts"
import { type Ran, Workspace } from "./harness.ts"

const COUNT = Number(process.env["AMAN_TEST_DAMAGES"] ?? 3)
const random = randomFrom(Number(process.env["AMAN_TEST_SEED"] ?? 1))

let space: Workspace
let dir: string
let sound: ReadonlyMap<string, Buffer>
let before: readonly string[]

beforeAll(async () => {
  space = new Workspace()
  dir = join(space.project, ".aman")
  for (let i = 0; i < 60; i++) {
    const next = (i * 7 + 1) % 60
    space.write(
      `s/m${i}.ts`,
      `import { alpha${next} } from "./m${next}.ts"\n/** Makes number ${i} of the ledger. */\nexport function alpha${i}(x: number): number {\n  return alpha${next}(x) + helper${i}(x)\n}\nfunction helper${i}(x: number) { return x }\n${`// filler words about case ${i}\n`.repeat(20)}`,
    )
  }
  await space.json(["index"])
  sound = new Map(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name))]))
  before = (await answers()).map(textOf)
})
afterAll(() => space[Symbol.dispose]())

const QUESTIONS = [
  ["search", "--json", "alpha7"],
  ["symbol", "--json", "alpha8", "--callers"],
  ["symbol", "--json", "alpha3", "--callees"],
  ["context", "--json", "number 7 of the ledger"],
  ["map", "--json"],
  ["symbol", "--json", "--outline", "s/m9.ts"],
]

/** Asks the questions one after the other, because each may have to rebuild the index. */
async function answers(first = 0): Promise<Ran[]> {
  const all: Ran[] = []
  for (let i = 0; i < QUESTIONS.length; i++)
    all[(i + first) % QUESTIONS.length] = await space.run(QUESTIONS[(i + first) % QUESTIONS.length]!)
  return all
}

/** The answer without the time it took. */
function textOf({ code, stdout, stderr }: Ran): string {
  if (stdout === "" || CRASH.test(`${stdout}${stderr}`)) return "crash"
  const answer = JSON.stringify(JSON.parse(stdout), (name, value) => (name === "took_ms" ? null : value))
  return code > 2 || answer.includes('"error"') ? `error ${answer}` : answer
}

const CRASH = /"BUG"|\n\s+at |panic|Segmentation/

function restore(): void {
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true })
  for (const [name, bytes] of sound) writeFileSync(join(dir, name), bytes)
}

type Outcome = "harmless" | "healed" | "failed" | "silent" | "crash"

/** Damages the index, asks the questions, runs `aman index`, asks again, and classifies the results. */
async function outcomeOf(damage: Damage): Promise<Outcome> {
  restore()
  inflict(damage, join(dir, "index.db"))
  const asked = await answers(Math.floor(random() * QUESTIONS.length))
  const texts = asked.map(textOf)
  if (texts.includes("crash")) return "crash"
  if (texts.some((text) => text.startsWith("error {") && /CORRUPT|damaged/.test(text))) return "failed"
  const isReported = asked.some(({ stderr }) => stderr.includes("damaged"))
  if (texts.some((text, i) => text !== before[i])) return "silent"
  await space.run(["index", "--quiet"])
  const after = (await answers()).map(textOf)
  if (after.some((text, i) => text !== before[i])) return "failed"
  return isReported ? "healed" : "harmless"
}

test(
  `${COUNT} damages of an index: every answer equals that of a sound index`,
  async () => {
    const outcomes: Record<Outcome, number> = { harmless: 0, healed: 0, failed: 0, silent: 0, crash: 0 }
    const wrong: string[] = []
    for (const damage of randomDamages(COUNT, statSync(join(dir, "index.db")).size, random)) {
      const outcome = await outcomeOf(damage)
      outcomes[outcome]++
      if (outcome !== "harmless" && outcome !== "healed") wrong.push(`${outcome}: ${named(damage)}`)
    }
    noteFigures("damaged index.db", { damages: COUNT, ...outcomes })
    expect(wrong).toEqual([])
  },
  60_000 + COUNT * 20_000,
)
