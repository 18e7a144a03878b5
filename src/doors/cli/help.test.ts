import { expect, test } from "bun:test"
import { teamCommand } from "../../../packages/team/team-command.ts"
import { addTeamCommand } from "./commands.ts"
import { parseFlags } from "./flags.ts"
import { allDefinitions } from "./help.ts"

addTeamCommand(async () => teamCommand)
const COMMANDS = await allDefinitions()

test.each(COMMANDS.flatMap(({ name, examples }) => examples.map(({ line }) => [name, line] as const)))(
  "an example of %s has only flags that its command knows: %s",
  (_, line) => {
    // Takes the call of aman alone out of `$(aman …)` and `… | aman … > FILE`.
    const call = /(?<![\w/-])aman ((?:"[^"]*"|'[^']*'|[^|<>)])+)/.exec(line)![1]!
    const words = [...call.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) =>
      word.replaceAll(/^["']|["']$/g, ""),
    )
    // In `claude mcp add … aman -- aman serve`, the second "aman" begins the call.
    const [name, ...rest] = words.slice(words.lastIndexOf("aman") + 1)
    const meant = COMMANDS.find((each) => each.name === name)
    expect(() => parseFlags(rest, meant!.flags)).not.toThrow()
  },
)

test("the verbs that a flag names are verbs of its command, each named once", () => {
  const named = COMMANDS.flatMap(({ name, verbs, flags }) =>
    flags.flatMap((flag) => {
      const own = Object.keys(flag.verbs ?? {}).flatMap((names) => names.split(" "))
      const known = new Set(verbs.map((verb) => verb.name))
      const wrong = own.filter((verb, at) => !known.has(verb) || own.indexOf(verb) !== at)
      return wrong.map((verb) => `${name} --${flag.name}: ${verb}`)
    }),
  )
  expect(named).toEqual([])
})
