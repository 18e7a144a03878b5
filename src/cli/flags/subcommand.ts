import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import type { Input, UsageExample } from "../command.ts"

/** Returns the chosen subcommand and its words, after checking their number. */
export function subcommand<Name extends string>(
  { words }: Input,
  /** Number of words that each subcommand takes. */
  parts: Readonly<Record<Name, number | "any">>,
  /** Default if no subcommand is given. */
  usual: NoInfer<Name>,
  examples: readonly UsageExample[],
): { readonly name: Name; readonly words: readonly string[] } {
  const names = Object.keys(parts) as Name[]
  const [typed, ...rest] = words.length === 0 ? [usual] : words
  const name = names.find((each) => each === typed)
  if (name === undefined) {
    const meant = nearest(typed!, names)
    throw new AmanError("USAGE", `unknown word ${JSON.stringify(typed)}`, {
      hint: meant ? `did you mean ${meant}?` : `one of ${names.join(", ")}`,
    })
  }
  const wanted = parts[name]
  if (wanted !== "any" && rest.length !== wanted) {
    const example = examples.find(({ line }) => line.split(" ")[2] === name)?.line
    throw new AmanError("USAGE", `${name} takes ${wordCount(wanted)}, but got ${rest.length}`, {
      hint: example === undefined ? "see --help" : `for example: ${example}`,
    })
  }
  return { name, words: rest }
}

function wordCount(count: number): string {
  if (count === 0) return "no words"
  return count === 1 ? "one word" : `${count} words`
}

/** Throws if a command without arguments got a word, which probably was meant as a folder. */
export function refuseArguments({ words }: Input, name: string): void {
  if (words.length === 0) return
  throw new AmanError("USAGE", `${name} takes no arguments, but got ${JSON.stringify(words[0])}`, {
    hint: `if this is the project's folder: aman ${name} --root ${words[0]}`,
  })
}
