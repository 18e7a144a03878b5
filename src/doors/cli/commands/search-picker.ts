/*
 * The interactive search on a terminal. Pure functions compute the next state for a key (`afterKey`) and the screen
 * for a state (`screenOf`); `pickResult` connects them with the terminal and starts a search when typing pauses.
 */

import { existsSync } from "node:fs"
import type { Key } from "node:readline"
import type { SearchResult } from "../../../base/index.ts"
import { printable, printableLine } from "../text.ts"

/**
 * State of the picker: the typed query, the results of the latest finished search, and the index of the chosen
 * result.
 */
export type PickerState = {
  readonly query: string
  readonly results: readonly SearchResult[]
  readonly chosen: number
  /** One line about the search: the number of results, or why there are none. */
  readonly status: string
}

/** The outcome of the picker: the result to open, "none", or null after Ctrl-C. */
export type PickerOutcome = SearchResult | "none" | null

type SearchWhileTyping = (query: string) => Promise<Pick<PickerState, "results" | "status">>

const SEARCH_AFTER_MS = 120
const ENTER_SCREEN = "\x1b[?1049h"
const LEAVE_SCREEN = "\x1b[?1049l"
const HOME = "\x1b[H"
const CLEAR_LINE = "\x1b[K"
const CLEAR_BELOW = "\x1b[J"

/** Lets a person type and choose on the terminal; searches as soon as the typing pauses. Restores the terminal. */
export async function pickResult(
  query: string,
  search: SearchWhileTyping,
  signal: AbortSignal,
): Promise<PickerOutcome> {
  const { emitKeypressEvents } = await import("node:readline")
  const { stdin, stdout } = process
  let state: PickerState = { query, results: [], chosen: 0, status: "" }
  let timer: ReturnType<typeof setTimeout> | undefined
  const { promise, resolve, reject } = Promise.withResolvers<PickerOutcome>()
  const draw = () => stdout.write(screenOf(state, { rows: stdout.rows || 24, columns: stdout.columns || 80 }))
  const find = async () => {
    const searchedQuery = state.query
    const outcome =
      searchedQuery.trim() === "" ? { results: [], status: "type to search" } : await search(searchedQuery)
    // The results are dropped if the user has changed the query since the search began.
    if (searchedQuery === state.query) state = { ...state, ...outcome, chosen: 0 }
    draw()
  }
  const onKey = (typed: string | undefined, key: Key) => {
    const next = afterKey(state, typed, key)
    if (next === "cancel") return resolve(null)
    if (next === "leave") return resolve("none")
    if (next === "pick") return resolve(state.results[state.chosen] ?? "none")
    const isChanged = next.query !== state.query
    state = next
    draw()
    if (!isChanged) return
    clearTimeout(timer)
    timer = setTimeout(() => find().catch(reject), SEARCH_AFTER_MS)
  }
  const onAbort = () => resolve(null)
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.on("keypress", onKey)
  stdout.on("resize", draw)
  signal.addEventListener("abort", onAbort, { once: true })
  stdout.write(ENTER_SCREEN)
  try {
    draw()
    find().catch(reject)
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", onAbort)
    stdin.off("keypress", onKey)
    stdout.off("resize", draw)
    stdin.setRawMode(false)
    stdin.pause()
    stdout.write(LEAVE_SCREEN)
  }
}

/** The state after a key; "cancel", "leave" or "pick" if the key ends the picker. */
export function afterKey(
  state: PickerState,
  typed: string | undefined,
  key: Pick<Key, "name" | "ctrl" | "meta">,
): PickerState | "cancel" | "leave" | "pick" {
  if (key.ctrl) return afterControl(state, key.name ?? "")
  switch (key.name) {
    case "escape":
      return "leave"
    case "return":
    case "enter":
      return "pick"
    case "up":
      return moveChoice(state, -1)
    case "down":
      return moveChoice(state, 1)
    case "pageup":
      return moveChoice(state, -PAGE)
    case "pagedown":
      return moveChoice(state, PAGE)
    case "backspace":
      return { ...state, query: [...state.query].slice(0, -1).join("") }
    default: {
      const isText = typed !== undefined && !key.meta && /^[^\p{Cc}]+$/u.test(typed)
      return isText ? { ...state, query: (state.query + typed).slice(0, 500) } : state
    }
  }
}

const PAGE = 5

function afterControl(state: PickerState, name: string): PickerState | "cancel" | "leave" {
  if (name === "c") return "cancel"
  if (name === "d") return "leave"
  if (name === "p") return moveChoice(state, -1)
  if (name === "n") return moveChoice(state, 1)
  if (name === "u") return { ...state, query: "" }
  return name === "w" ? { ...state, query: state.query.replace(/\S+\s*$/, "") } : state
}

function moveChoice(state: PickerState, by: number): PickerState {
  const last = Math.max(0, state.results.length - 1)
  return { ...state, chosen: Math.min(last, Math.max(0, state.chosen + by)) }
}

type TerminalSize = { readonly rows: number; readonly columns: number }

/** The whole screen as text with control sequences: query, status, results, and the lines of the chosen result. */
export function screenOf(
  { query, results, chosen, status }: PickerState,
  { rows, columns }: TerminalSize,
): string {
  const listRows = Math.max(1, Math.min(results.length, Math.floor((rows - 3) * 0.4)))
  const first = Math.max(0, Math.min(chosen - listRows + 1, results.length - listRows))
  const list = results.slice(first, first + listRows).map((result, at) => {
    const line = fitColumns(`${first + at === chosen ? "❯" : " "} ${titleOf(result)}`, columns)
    return first + at === chosen ? `\x1b[7m${line}\x1b[0m` : line
  })
  const current = results[chosen]
  const preview = current === undefined ? [] : previewOf(current, rows - 4 - list.length, columns)
  const lines = [
    fitColumns(`> ${printableLine(query)}▏`, columns),
    fitColumns(`  ${printableLine(status)}  ↑↓ choose · Enter open · Esc leave`, columns),
    ...list,
    "─".repeat(columns),
    ...preview,
  ]
  return `${HOME}${lines.slice(0, rows).join(`${CLEAR_LINE}\r\n`)}${CLEAR_LINE}${CLEAR_BELOW}`
}

/** First line to show and to open: that of the definition, if it is known. */
export function firstShownLine({ line, start_line }: SearchResult): number {
  return line ?? start_line
}

function titleOf(result: SearchResult): string {
  const symbol = result.symbol ? `  ${result.symbol} (${result.kind})` : ""
  return printableLine(`${result.path}:${firstShownLine(result)}${symbol}`)
}

function previewOf(result: SearchResult, maxRows: number, columns: number): string[] {
  const lines = printable(result.text).split("\n")
  const from = Math.max(0, firstShownLine(result) - result.start_line - 1)
  const width = String(result.end_line).length
  return lines.slice(from, from + Math.max(0, maxRows)).map((line, at) => {
    const number = String(result.start_line + from + at).padStart(width)
    return fitColumns(`${number}  ${line.replaceAll("\t", "    ")}`, columns)
  })
}

/** The beginning of a line that fits the columns. */
function fitColumns(line: string, columns: number): string {
  if (Bun.stringWidth(line) <= columns) return line
  let text = ""
  let width = 0
  for (const sign of line) {
    width += Bun.stringWidth(sign)
    if (width > columns) break
    text += sign
  }
  return text
}

/** Names of editor programs by the argument that selects a line: `+LINE`, `-g PATH:LINE` or `PATH:LINE`. */
const PLUS = /^(?:vi|vim|nvim|gvim|nano|emacs|emacsclient|micro|kak|joe|ne|pico)$/
const GOTO = /^(?:code|code-insiders|codium|cursor|windsurf)$/
const COLON = /^(?:subl|zed|hx|helix|lapce)$/

/**
 * Program and arguments that open a line of a file, from the user's VISUAL or EDITOR; null if neither is set. An unknown
 * editor gets the file alone.
 */
export function editorCommand(
  env: Readonly<Record<string, string | undefined>>,
  path: string,
  line: number,
): string[] | null {
  const editor = env["VISUAL"] || env["EDITOR"] || ""
  // The path of a program may contain blanks; otherwise the text after a blank is arguments.
  const words = existsSync(editor) ? [editor] : editor.split(/\s+/).filter((word) => word !== "")
  const [program] = words
  if (program === undefined) return null
  const name = program.replace(/^.*[/\\]/, "").replace(/\.(?:exe|cmd)$/i, "")
  if (PLUS.test(name)) return [...words, `+${line}`, path]
  if (GOTO.test(name)) return [...words, "-g", `${path}:${line}`]
  return [...words, COLON.test(name) ? `${path}:${line}` : path]
}
