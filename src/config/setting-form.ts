/** The form of a value and its limits; `schema.ts` builds the check from it. */
export type Form =
  | { readonly form: "whole"; readonly min: number; readonly max: number }
  /** Bytes: a number, or "512MB". */
  | { readonly form: "size"; readonly min: number; readonly max: number }
  /** Milliseconds, written as "500ms", "30s" or "2min". */
  | { readonly form: "time"; readonly min: number; readonly max: number }
  /** Between 0 and 1. */
  | { readonly form: "share" }
  | { readonly form: "switch" }
  | { readonly form: "choice"; readonly choices: readonly string[] }
  | { readonly form: "text" }
  /** Address of a server. */
  | { readonly form: "address" }
  /**
   * `isAbsolute`: required for values in a file, where a relative path would depend on the working directory.
   */
  | { readonly form: "folder"; readonly isAbsolute?: boolean }
  /** "project", "user", or a folder that contains a subfolder for every project's index. */
  | { readonly form: "location" }
  /** Patterns, paths, addresses of repositories, host names, or commands of language servers; the lists of all layers are joined. */
  | { readonly form: "list"; readonly of?: "paths" | "addresses" | "names" | "commands" }

export type Setting = Form & {
  readonly env: string
  /** Name on the command line, without dashes. */
  readonly flag?: string
  readonly value: () => unknown
  readonly help: string
  /**
   * Who may set it. A project's file comes with the project, and its author may be anyone: it may only affect
   * the project, and never which programs run, what is sent where, what is written elsewhere, or how much of
   * the machine is used.
   */
  readonly by: "project" | "user" | "environment"
  /**
   * A project's file may only lower it: a larger value there is replaced by the user's or the built-in one.
   */
  readonly projectMayOnlyLower?: boolean
  /** Minimum for a project's file: a smaller value there is raised to this. */
  readonly projectMin?: number
}

/** Default value of a setting, as it would be written; empty: none. */
export function defaultValue(setting: Setting): string {
  const value = setting.value()
  if (setting.form === "size") return bytes(Number(value))
  if (setting.form === "time") return time(Number(value))
  return Array.isArray(value) ? value.join(", ") : String(value ?? "")
}

function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB"]
  const power = Math.min(3, Math.floor(Math.log2(value) / 10))
  return `${value / 1024 ** power}${units[power]}`
}

function time(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}min`
  return ms % 1000 === 0 && ms > 0 ? `${ms / 1000}s` : `${ms}ms`
}
