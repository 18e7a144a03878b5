import { headCommit } from "../../git/head-commit.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import type { EntrySource } from "../entry.ts"
import { anchoredAt, anchoredWhole, trimmedRange } from "./anchor.ts"
import { definitionsIn, enclosing, named } from "./definitions.ts"
import type { Lines } from "./lines.ts"
import { isUrl, parseSource, type SourceReading } from "./parse-source.ts"
import { type Place, readLines, type SymbolPlace } from "./place.ts"
import { resolveFile, type Unresolved } from "./resolve-file.ts"

export type Captured = {
  readonly source: EntrySource
  /** Why less was captured than was asked for. */
  readonly notice: string | null
}

/**
 * The lines that a source, as somebody typed it, speaks of, with all that finds them again. What cannot be read is
 * kept as it was said, with a notice. Without a place, the entry belongs to no project and nothing is read.
 */
export async function captureSource(place: Place | null, text: string): Promise<Captured> {
  const readings = parseSource(text)
  const said = readings[0]
  if (said === undefined || isUrl(text)) return bare({ path: text.trim(), ...NOTHING }, null)
  if (place === null) return bare(said, "its lines are not kept: the entry belongs to no project")
  const resolved = resolveFirst(place, readings)
  if (resolved.path !== null) return captureFile(place, resolved.path, resolved.reading)
  const symbol = readings.find((reading) => reading.path === null)?.symbol ?? null
  if (symbol === null || resolved.refusal !== "missing") return bare(said, whyNot(text, resolved))
  return captureSymbol(place, symbol, said, resolved)
}

type Base = Pick<EntrySource, "path" | "symbol" | "commit">
type Resolved = { readonly path: string; readonly reading: SourceReading }

const NOTHING = { startLine: null, endLine: null, symbol: null }

/** By the first reading whose file exists. */
function resolveFirst(place: Place, readings: readonly SourceReading[]): Resolved | Unresolved {
  const refused: Unresolved[] = []
  for (const reading of readings) {
    const found = reading.path === null ? null : resolveFile(place, reading.path)
    if (found?.path != null) return { path: found.path, reading }
    if (found) refused.push(found)
  }
  const telling = refused.find(({ refusal, also }) => refusal !== "missing" || also.length > 0)
  return telling ?? { path: null, refusal: "missing", also: [] }
}

async function captureFile(place: Place, path: string, reading: SourceReading): Promise<Captured> {
  const file = readLines(place, path)
  if (typeof file === "string") return bare({ ...reading, path }, `${path} is not kept: ${file}`)
  const workTree = findWorkTree(place.root)
  const base = { path, symbol: reading.symbol, commit: workTree && headCommit(workTree) }
  if (reading.symbol !== null) return captureDefinition(place, base, file, reading)
  return reading.startLine === null
    ? kept(anchoredWhole(base, file), null)
    : captureLines(place, base, file, reading)
}

async function captureLines(
  place: Place,
  base: Base,
  file: Lines,
  reading: SourceReading,
): Promise<Captured> {
  const count = file.raw.length
  const startLine = reading.startLine ?? 1
  const asked = { startLine, endLine: Math.min(reading.endLine ?? startLine, count) }
  const range = startLine > count ? null : trimmedRange(file, asked)
  if (range === null) {
    return bare(
      { ...reading, path: base.path },
      `${base.path} has ${count} lines; ${startLine} is none of them`,
    )
  }
  const definitions = await definitionsIn(place, base.path, file)
  const within = enclosing(definitions, range.startLine, range.endLine)
  return kept(anchoredAt(base, file, range, within), null)
}

/** The definition that was named; of several, that around the line or nearest to it. */
async function captureDefinition(
  place: Place,
  base: Base,
  file: Lines,
  reading: SourceReading,
): Promise<Captured> {
  const line = reading.startLine ?? 1
  const definitions = await definitionsIn(place, base.path, file)
  const [found, ...others] = named(definitions, base.symbol ?? "")
    .map((definition) => ({ definition, distance: distance(definition, line) }))
    .sort((a, b) => a.distance - b.distance)
  if (found !== undefined) {
    const isUnsure = others.length > 0 && reading.startLine === null
    const notice = isUnsure ? `${base.path} defines ${base.symbol} more than once: the first is meant` : null
    return kept(anchoredAt(base, file, found.definition, null), notice)
  }
  const notice = `${base.path} does not define ${base.symbol}`
  if (reading.startLine === null) return bare({ ...reading, path: base.path }, notice)
  const lines = await captureLines(place, { ...base, symbol: null }, file, reading)
  return { source: lines.source, notice: lines.notice ?? notice }
}

function distance({ startLine, endLine }: { startLine: number; endLine: number }, line: number): number {
  return line < startLine ? startLine - line : Math.max(0, line - endLine)
}

/** A symbol without a file: where the index knows it, if that is one place. */
async function captureSymbol(
  place: Place,
  symbol: string,
  said: SourceReading,
  unresolved: Unresolved,
): Promise<Captured> {
  const places = place.findSymbol?.(symbol) ?? []
  const files = new Set(places.map(({ path }) => path))
  const [first] = places
  if (first !== undefined && files.size === 1) {
    return captureFile(place, first.path, { ...first, symbol, endLine: first.startLine })
  }
  return first === undefined
    ? bare(said, whyNot(said.path ?? symbol, unresolved))
    : bare({ path: "", ...NOTHING, symbol }, `${symbol} is defined in ${listed(places)}: name one of them`)
}

function listed(places: readonly SymbolPlace[]): string {
  const shown = places.slice(0, 4).map(({ path, startLine }) => `${path}:${startLine}`)
  return shown.join(", ") + (places.length > shown.length ? ` and ${places.length - shown.length} more` : "")
}

function whyNot(text: string, { refusal, also }: Unresolved): string {
  if (refusal !== "missing") return `${text.trim()} is not kept: ${refusal}`
  return also.length > 0
    ? `no file ${text.trim()} in the root, but ${also.slice(0, 4).join(", ")}: name one of them`
    : `no file ${text.trim()} in the project`
}

function kept(source: EntrySource, notice: string | null): Captured {
  const isLeftOut = source.text === null
  return {
    source,
    notice: isLeftOut
      ? `the lines of ${source.path} are not kept: something there looks like a credential`
      : notice,
  }
}

/** As it was said: nothing of it could be read. */
function bare({ path, startLine, endLine, symbol }: SourceReading, notice: string | null): Captured {
  const source = { path: path ?? "", startLine, endLine, symbol, hash: null, text: null, commit: null }
  return { source, notice }
}
