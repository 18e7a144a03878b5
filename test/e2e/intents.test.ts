import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js"
import { stem } from "../../src/text/terms/stem.ts"
import { INTENTS, SHARED } from "../intents.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

// Max length of a description, because clients cut longer ones.
const MAX_BYTES = 2048
const MIN_INTENTS = 2
/**
 * Min share of questions for which the right tool comes first; for all others it is among the first three.
 */
const MIN_FIRST = 0.7

let space: Workspace
let connection: Connection
/** All tools except `manage`, which only calls tools that are not listed by default. */
let tools: readonly Tool[]
/** The tools that agents see by default. */
let usual: readonly Tool[]
beforeAll(async () => {
  space = new Workspace()
  connection = await connect(space)
  tools = (await connection.client.listTools()).tools.filter(({ name }) => name !== "manage")
  await using plain = await connect(space, { isPlain: true })
  usual = (await plain.client.listTools()).tools
})
afterAll(async () => {
  await connection[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

const ajv = new AjvJsonSchemaValidator()
const isTaken = (tool: Tool, args: object) => ajv.getValidator(tool.inputSchema as never)(args).valid

describe("each question leads to one tool", () => {
  test("every tool has questions that lead to it", () => {
    for (const { name } of tools) {
      const own = INTENTS.filter(({ tool }) => tool === name)
      expect({ name, isAsked: own.length >= MIN_INTENTS }).toEqual({ name, isAsked: true })
    }
    const known = new Set(tools.map(({ name }) => name))
    expect(INTENTS.filter(({ tool }) => !known.has(tool))).toEqual([])
  })

  test.each(INTENTS.map((intent) => [intent.ask, intent] as const))("%s", (_, { tool, args }) => {
    const taking = tools.filter((each) => isTaken(each, args)).map(({ name }) => name)
    const shared = SHARED[Object.keys(args).sort().join(",")]
    expect(taking.sort()).toEqual([...(shared ?? [tool])].sort())
    expect(taking).toContain(tool)
  })

  test("no question uses an argument that the tool does not know", () => {
    for (const tool of tools) expect(isTaken(tool, { not_an_argument: 1 })).toBe(false)
  })

  test("descriptions match the questions by their words, as agents search for tools", () => {
    for (const offered of [tools, usual]) {
      const index = new Descriptions(offered)
      const isOffered = (name: string) => offered.some((tool) => tool.name === name)
      const ranks = INTENTS.map(({ ask, tool }) => {
        return { ask, rank: index.rank(ask).indexOf(isOffered(tool) ? tool : "manage") }
      })
      expect(ranks.filter(({ rank }) => rank > 2)).toEqual([])
      const others = ranks.filter(({ rank }) => rank > 0)
      if (others.length > INTENTS.length * (1 - MIN_FIRST)) expect(others).toEqual([])
    }
  })

  test("each description says when to use the tool, is short enough and explains its arguments", () => {
    for (const { name, description = "", inputSchema, title } of tools) {
      expect(title).toBeString()
      expect(Buffer.byteLength(description)).toBeLessThan(MAX_BYTES)
      const when = /\b(use|call|ask|prefer|takes?|choose|before|whenever|lists?|gives)\b/i.test(description)
      expect({ name, when }).toEqual({ name, when: true })
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
        expect({ name, argument, schema }).toMatchObject({ schema: { description: expect.any(String) } })
    }
  })
})

/** BM25 over names, titles, descriptions and arguments (k1 1.2, b 0.75). */
class Descriptions {
  readonly #tools: readonly { readonly name: string; readonly words: readonly string[] }[]

  constructor(tools: readonly Tool[]) {
    this.#tools = tools.map(({ name, title = "", description = "", inputSchema }) => {
      const own = wordsOf(`${name} ${title} ${name} ${title} ${description}`)
      const schema = wordsOf(JSON.stringify(inputSchema))
      return { name, words: [...own, ...own, ...schema] }
    })
  }

  rank(ask: string): string[] {
    const scored = this.#tools.map(({ name, words }) => ({ name, score: this.#score(wordsOf(ask), words) }))
    return scored.sort((a, b) => b.score - a.score).map(({ name }) => name)
  }

  #score(query: readonly string[], words: readonly string[]): number {
    const mean = this.#tools.reduce((sum, each) => sum + each.words.length, 0) / this.#tools.length
    let score = 0
    for (const word of new Set(query)) {
      const count = words.filter((each) => each === word).length
      const holders = this.#tools.filter((each) => each.words.includes(word)).length
      const rarity = Math.log(1 + (this.#tools.length - holders + 0.5) / (holders + 0.5))
      score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * words.length) / mean))
    }
    return score
  }
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).map(stem)
}
