import { afterAll, beforeAll, expect, test } from "bun:test"
import { flagsOf, fromFlags, parseFlags } from "../../src/doors/cli/flags.ts"
import { CONTEXT, LOG, MAP, READ, SEARCH, STATUS, SYMBOL } from "../../src/doors/verbs/code.ts"
import { type Fields, fromQuery, schemaOf, text, valuesOf } from "../../src/doors/verbs/fields.ts"
import { CALL, RECALL, REMEMBER } from "../../src/doors/verbs/memory.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

/** Command, MCP tool and fields of each verb; null where a verb has no such door. */
const VERBS: readonly (readonly [command: string | null, tool: string | null, fields: Fields])[] = [
  ["search", "search", SEARCH],
  ["context", "context", CONTEXT],
  ["symbol", "symbol", SYMBOL],
  ["read", "read", READ],
  ["log", "log", LOG],
  ["map", null, MAP],
  [null, "status", STATUS],
  ["remember", "remember", REMEMBER],
  ["recall", "recall", RECALL],
  ["memory", "knowledge", CALL],
]

let space: Workspace
let program: Connection
beforeAll(async () => {
  space = new Workspace({ "a.ts": "export const a = 1\n" })
  program = await connect(space)
})
afterAll(async () => {
  await program[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

test.each(VERBS)(
  "aman %s and the tool %s take exactly the fields of their verb",
  async (command, tool, fields) => {
    if (command !== null) {
      const { stdout } = await space.run([command, "--help"])
      for (const { name, short } of flagsOf(fields))
        expect(stdout).toMatch(new RegExp(`^ {2}${short ? `-${short}, ` : " {4}"}--${name}\\b`, "m"))
    }
    if (tool === null) return
    const { tools } = await program.client.listTools()
    expect(tools.find(({ name }) => name === tool)!.inputSchema).toEqual(schemaOf(fields, false) as never)
  },
)

test("each field has a door", () => {
  for (const [, , fields] of VERBS)
    for (const [name, { flag, text: meaning }] of Object.entries(fields))
      expect({ name, isOffered: flag !== undefined || meaning !== undefined }).toEqual({
        name,
        isOffered: true,
      })
})

test.each(VERBS)("a new field of aman %s (%s) appears at every door by itself", (_, __, fields) => {
  const grown = {
    ...fields,
    flavour: text(9, { text: "A taste", flag: "-y, --flavour TASTE", usual: "sweet" }),
  }
  const flags = flagsOf(grown)
  expect(flags.at(-1)).toEqual({ name: "flavour", short: "y", value: "TASTE", help: "A taste" })
  expect(schemaOf(grown).properties?.["flavour"]).toEqual({
    ...{ default: "sweet", description: "A taste", type: "string", maxLength: 9 },
  })
  expect(fromFlags(grown, parseFlags(["-y", "salt"], flags).flags).flavour).toBe("salt")
  expect(valuesOf(grown, {}).flavour).toBe("sweet")
  const optional = Object.fromEntries(Object.entries(grown).filter(([, { isRequired }]) => !isRequired))
  expect(fromQuery(optional, new URLSearchParams({ flavour: "salt" }))["flavour"]).toBe("salt")
  expect(() => fromQuery(optional, new URLSearchParams({ flavour: "much too long" }))).toThrow("at most 9")
})
