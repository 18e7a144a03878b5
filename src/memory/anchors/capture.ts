/*
 * Captures the source lines that an entry refers to. `captureSource`: 1. all interpretations of the typed text
 * (`parseSource`); 2. the first whose file exists is taken: lines, a whole file, or the definition of a symbol in
 * it; 3. otherwise the text is kept as typed, with a notice.
 */

import { existsSync, readdirSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { isInside, realPlace, toPosix } from "../../base/index.ts"
import { findWorkTree, headCommit } from "../../tree/index.ts"
import type { EntrySource } from "../entries/entry.ts"
import { type AnchorTarget, anchoredAt, anchoredWhole, type NormalizedLines, trimmedRange } from "./anchor.ts"
import {
  type Definition,
  definitionsIn,
  definitionsNamed,
  enclosing,
  fileOrFolderAt,
  type LocalProject,
  readLines,
  type UnreadableReason,
} from "./place.ts"

export type CaptureResult = {
  readonly source: EntrySource
  /** Why not all lines could be captured; null when nothing is missing. */
  readonly notice: string | null
}

/**
 * Captures the lines that a typed source refers to, with the data needed to find them again. A source that cannot be
 * read is kept as typed, with a notice. `place` is null for an entry without a project; then nothing is read.
 */
export async function captureSource(place: LocalProject | null, text: string): Promise<CaptureResult> {
  const readings = parseSource(text)
  const typed = readings[0]
  if (typed === undefined || isUrl(text)) return withoutLines({ path: text.trim(), ...NOTHING }, null)
  if (place === null)
    return withoutLines(typed, "its lines are not stored, because the entry belongs to no project")
  const resolved = resolveFirst(place, readings)
  return resolved.path === null
    ? withoutLines(typed, missingNotice(text, resolved))
    : captureFile(place, resolved.path, resolved.reading)
}

const NOTHING = { startLine: null, endLine: null, symbol: null }

/** The first interpretation of a typed source whose file exists. */
function resolveFirst(place: LocalProject, readings: readonly SourceReading[]) {
  const refused: UnresolvedPath[] = []
  for (const reading of readings) {
    const found = resolveFile(place, reading.path)
    if (found.path !== null) return { path: found.path, reading }
    refused.push(found)
  }
  const telling = refused.find(({ refusal, also }) => refusal !== "missing" || also.length > 0)
  return telling ?? { path: null, refusal: "missing", also: [] }
}

async function captureFile(place: LocalProject, path: string, reading: SourceReading) {
  const file = readLines(place, path)
  if (typeof file === "string") return withoutLines({ ...reading, path }, `${path} is not stored: ${file}`)
  const workTree = findWorkTree(place.root)
  const base = { path, symbol: reading.symbol, commit: workTree && headCommit(workTree) }
  if (reading.symbol !== null) return captureDefinition(place, base, file, reading)
  return reading.startLine === null
    ? kept(anchoredWhole(base, file), null)
    : captureLines(place, base, file, reading)
}

async function captureLines(
  place: LocalProject,
  base: AnchorTarget,
  file: NormalizedLines,
  reading: SourceReading,
): Promise<CaptureResult> {
  const count = file.raw.length
  const startLine = reading.startLine ?? 1
  const asked = { startLine, endLine: Math.min(reading.endLine ?? startLine, count) }
  const range = startLine > count ? null : trimmedRange(file, asked)
  if (range === null) {
    return withoutLines(
      { ...reading, path: base.path },
      `${base.path} has ${count} lines; line ${startLine} does not exist`,
    )
  }
  const definitions = await definitionsIn(place, base.path, file)
  const within = enclosing(definitions, range.startLine, range.endLine)
  return kept(anchoredAt(base, file, range, within), null)
}

/**
 * Captures the definition with the given name. If several have the name, the one that contains the given line, or is
 * nearest to it, is taken. Without a line, a function or a type comes before a value; if several remain, nothing is
 * guessed and the notice lists them.
 */
async function captureDefinition(
  place: LocalProject,
  base: AnchorTarget,
  file: NormalizedLines,
  reading: SourceReading,
): Promise<CaptureResult> {
  const definitions = definitionsNamed(await definitionsIn(place, base.path, file), base.symbol ?? "")
  if (reading.startLine === null) return captureOnly(base, file, reading, definitions)
  const line = reading.startLine
  const [found] = [...definitions].sort((a, b) => distance(a, line) - distance(b, line))
  if (found !== undefined) return kept(anchoredAt(base, file, found, null), null)
  const lines = await captureLines(place, { ...base, symbol: null }, file, reading)
  return { source: lines.source, notice: lines.notice ?? notDefined(base) }
}

function captureOnly(
  base: AnchorTarget,
  file: NormalizedLines,
  reading: SourceReading,
  definitions: readonly Definition[],
): CaptureResult {
  // Functions and types come before values.
  const others = definitions.filter(({ kind }) => !VALUE_KINDS.has(kind))
  const found = implementations(others.length > 0 ? others : definitions)
  const [first] = found
  if (first === undefined) return withoutLines({ ...reading, path: base.path }, notDefined(base))
  if (found.length === 1) return kept(anchoredAt(base, file, first, null), null)
  const lines = listed(found.map(({ startLine }) => String(startLine)))
  const choose = `${base.path}:${first.startLine}#${base.symbol}`
  return withoutLines(
    { ...reading, path: base.path },
    `${base.path} defines ${base.symbol} in lines ${lines}: choose one of them, such as ${choose}`,
  )
}

function notDefined({ path, symbol }: AnchorTarget): string {
  return `${path} does not define ${symbol}`
}

const MAX_LISTED = 4
const VALUE_KINDS: ReadonlySet<string> = new Set(["field", "property", "variable", "constant", "key"])

/**
 * The definition with a body, if exactly one of them has one; otherwise all definitions. Declarations of one line, such
 * as overloads and prototypes, have no body.
 */
function implementations(definitions: readonly Definition[]): readonly Definition[] {
  const [first] = definitions
  const bodies = definitions.filter(({ startLine, endLine }) => endLine > startLine)
  const isOne = definitions.every(({ owner }) => owner === first!.owner)
  return isOne && bodies.length === 1 ? bodies : definitions
}

function distance({ startLine, endLine }: { startLine: number; endLine: number }, line: number): number {
  return line < startLine ? startLine - line : Math.max(0, line - endLine)
}

function listed(places: readonly string[]): string {
  const more = places.length - MAX_LISTED
  return `${places.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

function missingNotice(text: string, { refusal, also }: UnresolvedPath): string {
  if (refusal !== "missing") return `${text.trim()} is not stored: ${refusal}`
  return also.length > 0
    ? `no file ${text.trim()} in the root, but ${also.slice(0, 4).join(", ")}: choose one of them`
    : `no file ${text.trim()} in the project`
}

function kept(source: EntrySource, notice: string | null): CaptureResult {
  if (source.text !== null) return { source, notice }
  return {
    source,
    notice: `the lines of ${source.path} are not stored: something there looks like a credential`,
  }
}

/** A source as it was typed, without lines. */
function withoutLines({ path, startLine, endLine, symbol }: SourceReading, notice: string | null) {
  const source = { path, startLine, endLine, symbol, hash: null, text: null, commit: null }
  return { source, notice }
}

/**
 * The file to which a typed path refers, if it exists: the path itself, otherwise the only file in a folder of the
 * root whose path ends with it.
 */
function resolveFile(place: LocalProject, named: string): { path: string } | UnresolvedPath {
  const path = withinRoot(place.root, named)
  if (path === null) return { path: null, refusal: "outside the project", also: [] }
  const found = fileOrFolderAt(place, path)
  if (typeof found !== "string") return { path: found.path }
  if (found !== "missing") return { path: null, refusal: found, also: [] }
  // The path may be written with Windows separators.
  if (path.includes("\\")) return resolveFile(place, path.replaceAll("\\", "/"))
  const below = oneFolderBelow(place, path)
  return below.length === 1 ? { path: below[0]! } : { path: null, refusal: "missing", also: below }
}

type UnresolvedPath = {
  readonly path: null
  readonly refusal: UnreadableReason
  /** Files with a similar path, for the notice about a path that does not exist. */
  readonly also: readonly string[]
}

/** The path relative to the root, for a relative or an absolute path; null when it is not below the root. */
function withinRoot(root: string, named: string): string | null {
  const full = resolve(root, named)
  const inside = [full, realPlace(full)].find((path) => isInside(root, path))
  return inside === undefined ? null : toPosix(relative(root, inside)) || null
}

/**
 * Paths of existing files with this path below one of the root's folders. An agent that works in a part of
 * the project names paths relative to that part.
 */
function oneFolderBelow(place: LocalProject, path: string): string[] {
  try {
    return readdirSync(place.root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => `${entry.name}/${path}`)
      .filter((below) => existsSync(join(place.root, below)))
      .filter((below) => typeof fileOrFolderAt(place, below) !== "string")
      .sort()
  } catch {
    return []
  }
}

/** One interpretation of a typed source. */
type SourceReading = {
  readonly path: string
  readonly startLine: number | null
  readonly endLine: number | null
  readonly symbol: string | null
}

/** Line numbers as people write them: "12", "12-20", "L12-L20", "12:5" (the column is ignored). */
const LINES = /^L?(\d+)(?:-L?(\d+)|:\d+)?$/i

/**
 * Parses `path`, `path:line`, `path:10-20`, `path#symbol`, `path:line#symbol` or `path#L10-L20`.
 * Returns all interpretations in the order in which to try them: file names may contain any of these
 * characters, so the first existing file decides.
 */
export function parseSource(text: string): SourceReading[] {
  const source = text.trim()
  return splits(source, "#").flatMap(([before, mark]): SourceReading[] => {
    const anchored = mark === null ? null : linesIn(mark)
    if (anchored) return [{ path: before, ...anchored, symbol: null }]
    if (mark !== null && /[\s/\\]/u.test(mark)) return []
    return splits(before, ":").flatMap(([path, after]): SourceReading[] => {
      if (after === null) return [{ path, ...NO_LINES, symbol: mark }]
      // "a.ts:12:5": the last number is a column.
      const [, first, line] = /^\d+$/.test(after) ? (/^(.+):(\d+)$/s.exec(path) ?? []) : []
      const lines = linesIn(line ?? after)
      return lines ? [{ path: first ?? path, ...lines, symbol: mark }] : []
    })
  })
}

export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text.trim())
}

const NO_LINES = { startLine: null, endLine: null }

/** Splits at the last `sign`; the unsplit text comes second. */
function splits(text: string, sign: string): [before: string, after: string | null][] {
  const at = text.lastIndexOf(sign)
  const whole: [string, null] = [text, null]
  return at > 0 && at < text.length - 1 ? [[text.slice(0, at), text.slice(at + 1)], whole] : [whole]
}

function linesIn(text: string): { startLine: number; endLine: number } | null {
  const [, from, to] = LINES.exec(text) ?? []
  if (from === undefined) return null
  const start = Math.max(1, Number(from))
  const end = Math.max(1, Number(to ?? from))
  return { startLine: Math.min(start, end), endLine: Math.max(start, end) }
}
