/*
 * Edits the text of a settings file: `apply` makes changes, `revert` takes them back. There is one pair of functions
 * for each kind of change: a section of a Markdown file, a table of a TOML file, members of a JSON file
 * (json-changes.ts).
 */

import { parse } from "@decimalturn/toml-patch"
import { hookEntries } from "../clients/hook-entry.ts"
import { isCalledAman, type Program } from "../clients/program.ts"
import { launchOf, serverEntry } from "../clients/server-entry.ts"
import type { Change, ServerChange } from "../planned-change.ts"
import { applyJson, revertJson } from "./json-changes.ts"
import type { FilledContainer, InsertResult } from "./json-edit.ts"
import { lineAt, restoreContainers } from "./json-edit.ts"
import { appendBlock, cutBlock, lineEndOf, NotEditable } from "./text-style.ts"

/**
 * Returns the text with all changes made. If the text contained no part of aman before, the changes are also undone
 * as a test: throws NotEditable unless that restores the text byte for byte.
 */
export function apply(text: string, changes: readonly Change[]): InsertResult {
  const filled: FilledContainer[] = []
  let now = text
  for (const change of changes) {
    const done = applyChange(now, change)
    now = done.text
    filled.push(...done.filled)
  }
  if (now !== text && revert(text, changes, []) === text && revert(now, changes, filled) !== text) {
    throw new NotEditable("its syntax does not allow an edit that can be undone exactly")
  }
  return { text: now, filled }
}

/**
 * Returns the text without the changes of setup. Objects and lists that were empty before get their original form
 * back.
 */
export function revert(text: string, changes: readonly Change[], filled: readonly FilledContainer[]): string {
  const without = changes.reduceRight(revertOne, text)
  return filled.length === 0 ? without : restoreContainers(without, filled)
}

/** The text of a change, for a user who has to insert it by hand. */
export function byHand(change: Change): string {
  switch (change.kind) {
    case "server": {
      const { key, shape, program } = change
      if (shape === null) return tomlTable(key, program.command).join("\n")
      return asJson({ [key]: { aman: serverEntry(shape, program.command) } })
    }
    case "hook": {
      const events = hookEntries(change).map(({ name, value }) => [name, [value]] as const)
      return asJson({ hooks: Object.fromEntries(events) })
    }
    case "permissions":
      return asJson(change.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), change.values))
    case "section":
    case "whole":
      return change.text.trimEnd()
  }
}

function applyChange(text: string, change: Change): InsertResult {
  if (change.kind === "section") return { text: applySection(text, change.text), filled: [] }
  if (change.kind === "server" && change.shape === null) return { text: applyToml(text, change), filled: [] }
  return applyJson(text, change)
}

function revertOne(text: string, change: Change): string {
  if (change.kind === "section") return revertSection(text)
  if (change.kind === "server" && change.shape === null) return revertToml(text, change)
  return revertJson(text, change)
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

const START = "<!-- aman:start -->"
const END = "<!-- aman:end -->"

/** Inserts our section between two marks, at the end of a Markdown file. */
function applySection(text: string, section: string): string {
  const end = lineEndOf(text)
  const block = `${START}\n${section.trim()}\n${END}`.replaceAll("\n", end)
  const existing = sectionRange(text)
  if (existing === null) return appendBlock(text, block, end)
  return text.slice(0, existing.from) + block + text.slice(existing.to)
}

function revertSection(text: string): string {
  const existing = sectionRange(text)
  return existing === null ? text : cutBlock(text, existing.from, existing.to)
}

/** Range of our section between its marks; null if there are none. */
function sectionRange(text: string): { readonly from: number; readonly to: number } | null {
  const starts = marks(text, START)
  const ends = marks(text, END)
  const [from] = starts
  const [last] = ends
  if (from === undefined && last === undefined) return null
  if (starts.length !== 1 || ends.length !== 1 || last! < from!) {
    throw new NotEditable(
      `it must contain ${START} and ${END} exactly once, in this order`,
      lineAt(text, from ?? last!),
    )
  }
  return { from: from!, to: last! + END.length }
}

/** Offsets at which a mark is alone on its line. */
function marks(text: string, mark: string): number[] {
  return [...text.matchAll(new RegExp(`^${mark}(?=[ \\t]*\\r?$)`, "gm"))].map(({ index }) => index)
}

/**
 * Adds our table at the end of a TOML file, where it can be removed without a trace. Edits the text without a
 * library (docs/decisions/09-hooks-and-clients.md); the parser checks the file before and after.
 */
function applyToml(text: string, { key, program }: ServerChange): string {
  const entry = parseEntry(text, key)
  if (entry !== undefined) return correctEntry(text, key, entry, program)
  const end = lineEndOf(text)
  const after = appendBlock(text, tomlTable(key, program.command).join(end), end)
  if (launchOf(tryEntry(after, key))?.command !== program.command) {
    throw new NotEditable(`the syntax of ${key} does not allow adding a table`, lineOfWord(text, key))
  }
  return after
}

/** Lines of our table. A JSON string is also a TOML string. */
function tomlTable(key: string, command: string): string[] {
  return [`[${key}.aman]`, `command = ${JSON.stringify(command)}`, 'args = ["serve"]']
}

function revertToml(text: string, { key }: ServerChange): string {
  const entry = parseEntry(text, key)
  if (launchOf(entry)?.isOurs !== true) return text
  const block = blockOf(text, key)
  const after = block === null ? text : cutBlock(text, block.from, block.to)
  if (tryEntry(after, key) !== undefined) {
    throw new NotEditable(
      `aman is not in its own table [${key}.aman]; remove it by hand`,
      lineOfWord(text, "aman"),
    )
  }
  return after
}

function correctEntry(text: string, key: string, entry: unknown, program: Program): string {
  const launch = launchOf(entry)
  if (launch?.isOurs !== true)
    throw new NotEditable("another server is named aman there", lineOfWord(text, "aman"))
  if (!isCalledAman(launch.command) || program.isSame(launch.command)) return text
  const block = blockOf(text, key)
  const inside = block === null ? "" : text.slice(block.from, block.to)
  const renamed = inside.replace(
    /^([ \t]*command[ \t]*=[ \t]*)(?:"[^"\n]*"|'[^'\n]*')/m,
    (_, name: string) => {
      return name + JSON.stringify(program.command)
    },
  )
  const after = block === null ? text : text.slice(0, block.from) + renamed + text.slice(block.to)
  if (launchOf(tryEntry(after, key))?.command === program.command) return after
  throw new NotEditable(`the entry aman starts ${launch.command}`, lineOfWord(text, "aman"))
}

/** Offsets of aman's table, without blank lines and comments that follow it. */
function blockOf(text: string, key: string): { readonly from: number; readonly to: number } | null {
  const header = new RegExp(`^[ \\t]*\\[[ \\t]*${key}[ \\t]*\\.[ \\t]*["']?aman["']?[ \\t]*\\]`, "m").exec(
    text,
  )
  if (header === null) return null
  const rest = text.slice(header.index + header[0].length)
  const nextTable = new RegExp(
    `^[ \\t]*\\[(?!\\[?[ \\t]*${key}[ \\t]*\\.[ \\t]*["']?aman["']?[ \\t]*\\.)`,
    "m",
  )
  const inside = rest.slice(0, nextTable.exec(rest)?.index)
  const trailing = trailingTrivia(inside)
  return { from: header.index, to: header.index + header[0].length + inside.length - trailing }
}

/** Number of characters in the blank lines and comments at the end of a text, including the line end before them. */
function trailingTrivia(inside: string): number {
  const lines = inside.split("\n")
  let length = 0
  while (lines.length > 1 && /^[ \t]*(?:#.*)?\r?$/.test(lines.at(-1)!)) length += lines.pop()!.length + 1
  return inside.at(-length - 1) === "\r" && length > 0 ? length + 1 : length
}

function parseEntry(text: string, key: string): unknown {
  let parsed: unknown
  try {
    parsed = parse(text)
  } catch (error) {
    const { message, line } = error as Error & { readonly line?: number }
    // Only the last line of the message is used, because the other lines quote the file, which may contain keys.
    throw new NotEditable(`it is not TOML: ${message.split("\n").at(-1)}`, line ?? null)
  }
  const servers = (parsed as Record<string, unknown>)[key]
  if (servers !== undefined && (typeof servers !== "object" || servers === null || Array.isArray(servers))) {
    throw new NotEditable(`${key} is not a table`, lineOfWord(text, key))
  }
  return (servers as Record<string, unknown> | undefined)?.["aman"]
}

function tryEntry(text: string, key: string): unknown {
  try {
    return parseEntry(text, key)
  } catch {
    return undefined
  }
}

function lineOfWord(text: string, word: string): number | null {
  const at = text.indexOf(word)
  return at < 0 ? null : lineAt(text, at)
}
