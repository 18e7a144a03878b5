import { AmanError } from "../../base/errors.ts"
import type { FlagValues } from "../command.ts"

/** A whole number within bounds; undefined if the flag is absent. */
export function numberFlag(flags: FlagValues, name: string, min: number, max: number): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= min && number <= max)) {
    throw new AmanError(
      "USAGE",
      `--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`,
    )
  }
  return number
}

/** The value of a flag that allows only certain words; undefined if the flag is absent. */
export function choiceFlag<T extends string>(
  flags: FlagValues,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  const choice = choices.find((each) => each === text)
  if (choice === undefined) {
    throw new AmanError(
      "USAGE",
      `--${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`,
    )
  }
  return choice
}

/** Values of a flag that may be repeated or contain several, separated by commas. */
export function listFlag(flags: FlagValues, name: string): string[] {
  return flags
    .all(name)
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "")
}
