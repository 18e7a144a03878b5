import type { Definition, Verb } from "../command.ts"
import { COMMANDS } from "../commands.ts"
import { COMMON_FLAGS } from "../flags/common-flags.ts"

/** Loads the definitions of all commands; needed only to print all of them. */
export async function allDefinitions(): Promise<Definition[]> {
  return Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, load }]) => {
      const { usage, details, verbs = [], flags, examples } = await load()
      const split = verbs.map(([form, help]): Verb => {
        const [verb, ...words] = form.split(" ")
        return { name: verb!, words: words.join(" "), help }
      })
      return { name, summary, usage, details, verbs: split, flags: [...flags, ...COMMON_FLAGS], examples }
    }),
  )
}
