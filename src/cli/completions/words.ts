import type { Flag } from "../command.ts"

/** Completions that a shell can offer for a flag's value. */
export type Values = "folders" | "files" | "nothing" | readonly string[]

const FOLDERS: ReadonlySet<string> = new Set(["DIR"])
const FILES: ReadonlySet<string> = new Set(["FILE", "PATH", "PLACE", "PATH:LINE"])

/** Completions for a flag's value; null if it takes none. */
export function flagValues({ value, choices }: Flag): Values | null {
  if (value === undefined) return null
  if (choices) return choices
  if (FOLDERS.has(value)) return "folders"
  return FILES.has(value) ? "files" : "nothing"
}

/** The ways to write a flag: "-n" and "--limit". */
export function spellings({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`]
}

/** Quotes for a POSIX shell, in single quotes. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
