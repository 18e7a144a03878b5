import { parse } from "@decimalturn/toml-patch"
import { isCalledAman, type Program } from "../program.ts"
import { launchOf } from "../server-entry.ts"
import type { ServerWish } from "../wish.ts"
import { appendBlock, cutBlock } from "./blocks.ts"
import { lineAt } from "./json-document.ts"
import { lineEndOf } from "./text-style.ts"
import { Unfit } from "./unfit.ts"

/**
 * A table of our own at the end of a TOML file, taken out again as it was put in. Written as text, not by a library
 * (docs/decisions); the parser looks before and after.
 */
export function fulfilToml(text: string, { key, program }: ServerWish): string {
  const entry = entryOf(text, key)
  if (entry !== undefined) return corrected(text, key, entry, program)
  const end = lineEndOf(text)
  const after = appendBlock(text, tomlTable(key, program.command).join(end), end)
  if (launchOf(tryEntry(after, key))?.command !== program.command) {
    throw new Unfit(`${key} is written so that no table can be added to it`, lineOf(text, key))
  }
  return after
}

/** The lines of our table. A string of JSON is one of TOML too. */
export function tomlTable(key: string, command: string): string[] {
  return [`[${key}.aman]`, `command = ${JSON.stringify(command)}`, 'args = ["serve"]']
}

export function withdrawToml(text: string, { key }: ServerWish): string {
  const entry = entryOf(text, key)
  if (launchOf(entry)?.isOurs !== true) return text
  const block = blockOf(text, key)
  const after = block === null ? text : cutBlock(text, block.from, block.to)
  if (tryEntry(after, key) !== undefined) {
    throw new Unfit(
      `aman is not in a table [${key}.aman] of its own; take it out by hand`,
      lineOf(text, "aman"),
    )
  }
  return after
}

function corrected(text: string, key: string, entry: unknown, program: Program): string {
  const launch = launchOf(entry)
  if (launch?.isOurs !== true) throw new Unfit("another server is called aman there", lineOf(text, "aman"))
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
  throw new Unfit(`aman is there, but starts ${launch.command}`, lineOf(text, "aman"))
}

/** From the header of our table to the end of its last line, without the blank lines and comments that follow. */
function blockOf(text: string, key: string): { readonly from: number; readonly to: number } | null {
  const header = new RegExp(`^[ \\t]*\\[[ \\t]*${key}[ \\t]*\\.[ \\t]*["']?aman["']?[ \\t]*\\]`, "m").exec(
    text,
  )
  if (header === null) return null
  const rest = text.slice(header.index + header[0].length)
  const own = new RegExp(`^[ \\t]*\\[(?!\\[?[ \\t]*${key}[ \\t]*\\.[ \\t]*["']?aman["']?[ \\t]*\\.)`, "m")
  const inside = rest.slice(0, own.exec(rest)?.index)
  const trailing = trailingTrivia(inside)
  return { from: header.index, to: header.index + header[0].length + inside.length - trailing }
}

/** How many characters at the end are blank lines and comments, with the line end before them. */
function trailingTrivia(inside: string): number {
  const lines = inside.split("\n")
  let length = 0
  while (lines.length > 1 && /^[ \t]*(?:#.*)?\r?$/.test(lines.at(-1)!)) length += lines.pop()!.length + 1
  return inside.at(-length - 1) === "\r" && length > 0 ? length + 1 : length
}

function entryOf(text: string, key: string): unknown {
  let parsed: unknown
  try {
    parsed = parse(text)
  } catch (error) {
    const { message, line } = error as Error & { readonly line?: number }
    // The lines between quote the file, which may hold keys.
    throw new Unfit(`it is not TOML: ${message.split("\n").at(-1)}`, line ?? null)
  }
  const servers = (parsed as Record<string, unknown>)[key]
  if (servers !== undefined && (typeof servers !== "object" || servers === null || Array.isArray(servers))) {
    throw new Unfit(`${key} is no table`, lineOf(text, key))
  }
  return (servers as Record<string, unknown> | undefined)?.["aman"]
}

function tryEntry(text: string, key: string): unknown {
  try {
    return entryOf(text, key)
  } catch {
    return undefined
  }
}

function lineOf(text: string, word: string): number | null {
  const at = text.indexOf(word)
  return at < 0 ? null : lineAt(text, at)
}
