import type { Flag } from "../command.ts"

/** What a shell can offer for the value of a flag. */
export type Values = "folders" | "files" | "nothing" | readonly string[]

const FOLDERS: ReadonlySet<string> = new Set(["DIR"])
const FILES: ReadonlySet<string> = new Set(["FILE", "PATH", "PLACE", "PATH:LINE"])

/** Null: the flag takes none. */
export function valuesOf({ value, choices }: Flag): Values | null {
  if (value === undefined) return null
  if (choices) return choices
  if (FOLDERS.has(value)) return "folders"
  return FILES.has(value) ? "files" : "nothing"
}

/** "-n" and "--limit". */
export function spellings({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`]
}

/** In single quotes, as every POSIX shell reads it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
