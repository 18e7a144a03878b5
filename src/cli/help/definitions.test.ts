import { expect, test } from "bun:test"
import { parseFlags } from "../flags/flags.ts"
import { allDefinitions } from "./definitions.ts"

const COMMANDS = await allDefinitions()

test.each(COMMANDS.flatMap(({ name, examples }) => examples.map(({ line }) => [name, line] as const)))(
  "an example of %s has only flags that its command knows: %s",
  (_, line) => {
    // `$(aman …)` and `… | aman … > FILE`: only the call itself.
    const call = /(?<![\w/-])aman ((?:"[^"]*"|'[^']*'|[^|<>)])+)/.exec(line)![1]!
    const words = [...call.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) =>
      word.replaceAll(/^["']|["']$/g, ""),
    )
    // `claude mcp add … aman -- aman serve`: the last one.
    const [name, ...rest] = words.slice(words.lastIndexOf("aman") + 1)
    const meant = COMMANDS.find((each) => each.name === name)
    expect(() => parseFlags(rest, meant!.flags)).not.toThrow()
  },
)
