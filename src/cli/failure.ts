import { AmanError, type ErrorCode, messageOf } from "../base/errors.ts"
import { displayPaths } from "../base/paths.ts"
import { systemError } from "../base/system-error.ts"
import { EXIT } from "./command.ts"
import { BrokenPipe, type CommandOutput } from "./output.ts"
import { printableLine } from "./render/printable.ts"

type FailureOptions = { readonly json: boolean; readonly verbose: boolean }

/** Prints the error and returns the exit code. */
export async function reportFailure(
  error: unknown,
  options: FailureOptions,
  output: CommandOutput,
): Promise<number> {
  if (error instanceof BrokenPipe) return EXIT.ok
  const { code, message, hint } = describe(error)
  const remark = () => output.remark(failureText(message, hint, output))
  // If stdout cannot be written, the error goes to stderr.
  if (options.json) await output.json({ error: { code, message, hint } }).catch(remark)
  else remark()
  if (options.verbose && error instanceof Error && error.stack) output.remark(`${withCauses(error)}\n`)
  if (code === "USAGE") return EXIT.usage
  return error instanceof AmanError && error.isUnknownName ? EXIT.nothingFound : EXIT.failure
}

function describe(error: unknown): { code: ErrorCode | "BUG"; message: string; hint: string | null } {
  if (error instanceof AmanError)
    return { code: error.code, message: error.message, hint: error.hint ?? null }
  const translated = systemError(error)
  if (translated !== null) return describe(translated)
  const message = messageOf(error) || String(error)
  return { code: "BUG", message, hint: "this is a bug in aman; --verbose shows where it happened" }
}

function failureText(message: string, hint: string | null, { remarkColors: c }: CommandOutput): string {
  // Line breaks of lists, which are followed by two blanks, are kept. Other line breaks, for example in a file's name,
  // are removed.
  const listed = message.split("\n  ").map(printableLine).join("\n  ")
  const lines = [`${c.red("aman:")} ${listed}`]
  if (hint) lines.push(`${c.cyan("hint:")} ${printableLine(hint)}`)
  return `${lines.join("\n")}\n`
}

function withCauses(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${withCauses(error.cause)}` : ""
  return `${displayPaths(error.stack ?? "")}${cause}`
}
