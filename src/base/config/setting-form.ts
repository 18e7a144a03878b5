/** The form of a setting's value, and its limits. `schema.ts` builds the check from it. */
export type Form =
  | { readonly form: "whole"; readonly min: number; readonly max: number }
  /** A number of bytes, or a text such as "512MB". */
  | { readonly form: "size"; readonly min: number; readonly max: number }
  /** A time, written as "500ms", "30s" or "2min". */
  | { readonly form: "time"; readonly min: number; readonly max: number }
  /** A number between 0 and 1. */
  | { readonly form: "switch" }
  | { readonly form: "choice"; readonly choices: readonly string[] }
  | { readonly form: "text" }
  /** The address of a server. */
  | { readonly form: "address" }
  /**
   * A folder. `isAbsolute`: a value in a file must be absolute, because a relative path would depend on the working
   * directory.
   */
  | { readonly form: "folder"; readonly isAbsolute?: boolean }
  /** Where indexes are: "project", "user", or a folder in which every project's index has a subfolder. */
  | { readonly form: "location" }
  /**
   * A list of patterns, paths, addresses of repositories, host names, commands of language servers, or permissions for
   * them. The lists of all layers are joined.
   */
  | { readonly form: "list"; readonly of?: "paths" | "addresses" | "names" | "commands" | "permissions" }

export type Setting = Form & {
  readonly env: string
  /** Name of the flag on the command line, without dashes. */
  readonly flag?: string
  readonly value: () => unknown
  readonly help: string
  /**
   * Who may set it. The settings file of a project comes with the project, and its author may be anyone. So that file
   * may only affect the project; it may not decide which programs run, what is sent where, what is written elsewhere,
   * or how much of the machine is used.
   */
  readonly by: "project" | "user" | "environment"
  /**
   * True if the settings file of a project may only lower the value. A larger value in it is replaced by the user's
   * value or the built-in one.
   */
  readonly projectMayOnlyLower?: boolean
}

/** The default value of a setting, as a user would write it; "" if there is none. */
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
