/** How a value is written, and what it may be; `schema.ts` makes the check of it. */
export type Form =
  | { readonly form: "whole"; readonly least: number; readonly most: number }
  /** Bytes: a number, or "512MB". */
  | { readonly form: "size"; readonly least: number; readonly most: number }
  /** Milliseconds, written as "500ms", "30s" or "2min". */
  | { readonly form: "time"; readonly least: number; readonly most: number }
  /** Between 0 and 1. */
  | { readonly form: "share" }
  | { readonly form: "switch" }
  | { readonly form: "choice"; readonly choices: readonly string[] }
  | { readonly form: "text" }
  /** Where a server answers. */
  | { readonly form: "address" }
  /** `isAbsolute`: written in a file, where a relative one would mean another folder each time. */
  | { readonly form: "folder"; readonly isAbsolute?: boolean }
  /** "project", "user", or a folder in which every project's index gets one of its own. */
  | { readonly form: "location" }
  /** Patterns, addresses of repositories, or names of hosts; those of all layers count together. */
  | { readonly form: "list"; readonly of?: "addresses" | "names" }

export type Setting = Form & {
  readonly env: string
  /** As the command line has it, without dashes. */
  readonly flag?: string
  readonly value: () => unknown
  readonly help: string
  /**
   * Who may set it. A project's file comes with the project, from anybody: it decides about the project alone, and
   * never what runs, what is sent where, what is written elsewhere, or how much of the machine is used.
   */
  readonly by: "project" | "user" | "environment"
}
