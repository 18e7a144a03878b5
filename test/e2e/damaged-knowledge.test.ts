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
let data: string
let path: string
let sound: Buffer
let before: readonly string[]

beforeAll(async () => {
  space = new Workspace({ "package.json": "{}", "other/package.json": "{}" })
  data = join(space.dir, "data")
  path = join(data, "knowledge.db")
  const entry = (i: number) => ({
    text: `Fact ${i} of the old ledger ${"and its long story ".repeat(i % 40)}`,
    topic: `t${i % 3}`,
    tags: [`tag${i % 4}`],
    ...(i % 5 === 0 ? { key: `key-${i}`, entities: [`Thing ${i % 9}`] } : {}),
  })
  const lines = Array.from({ length: 120 }, (_, i) => JSON.stringify(entry(i)))
  space.write("facts.jsonl", lines.join("\n"))
  const { ids } = await space.json(["remember", "--batch", "facts.jsonl"], { env: env() })
  await space.json(["memory", "delete", ids[3], ids[4]], { env: env() })
  await space.json(["memory", "revise", ids[7], "Fact 7 has changed"], { env: env() })
  await space.json(["memory", "relate", "Thing 0", "uses", "Thing 5"], { env: env() })
  sound = readFileSync(path)
  before = await answers()
})
afterAll(() => space[Symbol.dispose]())

const env = () => ({ AMAN_DATA_DIR: data })
const run = (...args: string[]) => space.run(args, { env: env() })

const QUESTIONS = [
  ["memory", "list", "--json", "--limit", "1000"],
  ["memory", "list", "--json", "--limit", "1000", "--topic", "t1"],
  ["memory", "list", "--json", "--limit", "1000", "--tag", "tag2"],
  ["memory", "get", "--json", "key-10"],
  ["memory", "related", "--json", "Thing 0"],
  ["recall", "--json", "--", "fact 7 of the ledger"],
]

async function answers(): Promise<string[]> {
  const all = await Promise.all(QUESTIONS.map((question) => run(...question)))
  return all.map(textOf)
}

/** The answer without notices, scores and the time it took. */
function textOf({ stdout, stderr }: Ran): string {
  if (stdout === "" || CRASH.test(`${stdout}${stderr}`)) return "crash"
  const { notices: _, took_ms: __, ...answer } = JSON.parse(stdout)
  return JSON.stringify(answer, (name, value) => (name === "score" ? null : value))
}

const CRASH = /"BUG"|\n\s+at |panic|Segmentation/

function restore(): void {
  for (const name of readdirSync(data)) if (name.startsWith("knowledge.db")) rmSync(join(data, name))
  writeFileSync(path, sound)
}

type Outcome = "harmless" | "healed" | "loss named" | "refused" | "crash" | "silent"

/** Damages the store, asks the questions, runs `memory recover`, asks again, and classifies the results. */
async function outcomeOf(damage: Damage): Promise<Outcome> {
  restore()
  inflict(damage, path)
  const asked = await Promise.all(QUESTIONS.map((question) => run(...question)))
  if (asked.some((ran) => textOf(ran) === "crash")) return "crash"
  const isWrong = asked.some((ran, i) => textOf(ran) !== before[i] && !reportsDamage(ran))
  if (isWrong) return "silent"
  const { stdout: output } = await run("memory", "recover", "--json")
  const after = await answers()
  const isSame = after.every((answer, i) => answer === before[i])
  if (!isSame)
    return NAMED_LOSS.test(output) ? "loss named" : output.includes('"error"') ? "refused" : "silent"
  return asked.some(reportsDamage) || !output.includes('"recovered":null') ? "healed" : "harmless"
}

const NAMED_LOSS = /"losses":\["/

function reportsDamage({ stdout, stderr }: Ran): boolean {
  return /damaged|KNOWLEDGE_CORRUPT/.test(`${stdout}${stderr}`)
}

test(
  `${COUNT} damages of a store: answers stay the same, or the loss is reported`,
  async () => {
    const outcomes: Record<Outcome, number> = {
      harmless: 0,
      healed: 0,
      "loss named": 0,
      refused: 0,
      crash: 0,
      silent: 0,
    }
    const silent: string[] = []
    for (const damage of randomDamages(COUNT, statSync(path).size, random)) {
      const outcome = await outcomeOf(damage)
      outcomes[outcome]++
      if (["silent", "refused", "crash"].includes(outcome)) silent.push(`${outcome}: ${named(damage)}`)
    }
    noteFigures("damaged knowledge.db", { damages: COUNT, ...outcomes })
    expect(silent).toEqual([])
  },
  60_000 + COUNT * 20_000,
)
