import { AmanError, type ErrorCode } from "../base/errors.ts"
import { EXIT } from "./command.ts"
import { type Output, ReaderGone } from "./output.ts"
import { printableLine } from "./printable.ts"

type Asked = { readonly json: boolean; readonly verbose: boolean }

/** Tells the user what went wrong and returns the exit code. */
export async function reportFailure(error: unknown, asked: Asked, output: Output): Promise<number> {
  if (error instanceof ReaderGone) return EXIT.ok
  const { code, message, hint } = describe(error)
  const remark = () => output.remark(failureText(message, hint, output))
  // Where the answer could not be written, no more can what is wrong.
  if (asked.json) await output.json({ error: { code, message, hint } }).catch(remark)
  else remark()
  if (asked.verbose && error instanceof Error && error.stack) output.remark(`${withCauses(error)}\n`)
  return code === "USAGE" ? EXIT.usage : EXIT.failure
}

function describe(error: unknown): { code: ErrorCode | "BUG"; message: string; hint: string | null } {
  if (error instanceof AmanError)
    return { code: error.code, message: error.message, hint: error.hint ?? null }
  const message = error instanceof Error ? error.message || error.name : String(error)
  // A full disk, a file without permission: the system's word, not a mistake of ours.
  if (error instanceof Error && "syscall" in error) return { code: "IO", message, hint: null }
  return { code: "BUG", message, hint: "this should not happen; --verbose shows where it did" }
}

function failureText(message: string, hint: string | null, { remarkColors: c }: Output): string {
  // What is listed stands on lines of its own; other breaks, as of a file's name, do not get through, unless two blanks
  // follow.
  const listed = message.split("\n  ").map(printableLine).join("\n  ")
  const lines = [`${c.red("aman:")} ${listed}`]
  if (hint) lines.push(`${c.cyan("hint:")} ${printableLine(hint)}`)
  return `${lines.join("\n")}\n`
}

function withCauses(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${withCauses(error.cause)}` : ""
  return `${error.stack}${cause}`
}
