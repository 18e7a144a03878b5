import { existsSync } from "node:fs"
import { headCommit } from "../../git/head-commit.ts"
import type { GitFailure } from "../../git/run.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import type { EntrySource } from "../entry.ts"
import { definitionsIn, named } from "./definitions.ts"
import { findMovedOut } from "./find-moved-out.ts"
import { findRenamed } from "./find-renamed.ts"
import { judge } from "./judge.ts"
import type { Lines } from "./lines.ts"
import { NearFiles } from "./near-files.ts"
import { isUrl } from "./parse-source.ts"
import { type NotRead, type Place, readLines, type SymbolPlace } from "./place.ts"
import { lacking, type SourceState } from "./source-state.ts"

/** How long what was found nowhere is not looked for again: that takes a process and many files. */
const LOST_MS = 60_000
const MOST_LOST = 1000

/** Tells which sources still read as they did; kept open, it remembers for a while what is nowhere. */
export class SourceChecker {
  readonly #place: Place | null
  readonly #lost = new Map<string, number>()
  #near: NearFiles | null = null
  readonly #failures = new Set<GitFailure>()

  /** Null: the project of the entries is not open here. */
  constructor(place: Place | null) {
    this.#place = place
  }

  /** Why some renames may not have been found, each once. */
  get notices(): string[] {
    return [...this.#failures].map((failure) => `renamed files were looked for by content: ${SAID[failure]}`)
  }

  /** `nowMs`: of any clock that does not go back. */
  async check(source: EntrySource, nowMs: number): Promise<SourceState> {
    if (isUrl(source.path)) return lacking(source, "none", null)
    const place = this.#place
    if (place === null) return lacking(source, "unknown", "its project is not open here")
    if (!existsSync(place.root)) return lacking(source, "unknown", `${place.root} is not there`)
    if (source.path === "") return lacking(source, "unknown", "no file is known")
    const lines = readLines(place, source.path)
    if (typeof lines === "string" && lines !== "missing") return unreadable(source, lines)
    if (source.hash === null) return neverRead(source, lines)
    const file =
      lines === "missing" ? await this.#renamed(place, source, nowMs) : { path: source.path, lines }
    const state = file && (await judge(place, source, { ...file, commit: commitOf(place) }))
    if (state !== null) return state
    const elsewhere = await definedElsewhere(place, source)
    const went = file === null ? null : await this.#movedOut(place, source, elsewhere, nowMs)
    const found = went && (await judge(place, source, { ...went, commit: commitOf(place) }))
    if (found) return { ...found, reason: `it was in ${source.path}` }
    return lacking(source, "gone", file === null ? "the file is not there" : null, elsewhere)
  }

  async #renamed(
    place: Place,
    source: EntrySource,
    nowMs: number,
  ): Promise<{ path: string; lines: Lines } | null> {
    const key = keyOf(place, source, "renamed")
    if (this.#isLost(key, nowMs)) return null
    const { path, failure } = await findRenamed(place, source)
    if (failure !== null) this.#failures.add(failure)
    const lines = path === null ? "missing" : readLines(place, path)
    if (path !== null && typeof lines !== "string") return { path, lines }
    this.#lose(key, nowMs)
    return null
  }

  async #movedOut(
    place: Place,
    source: EntrySource,
    defined: readonly SymbolPlace[],
    nowMs: number,
  ): Promise<{ path: string; lines: Lines } | null> {
    const key = keyOf(place, source, "moved out")
    if (this.#isLost(key, nowMs)) return null
    this.#near ??= new NearFiles(place)
    const found = await findMovedOut(place, this.#near, source, defined)
    if (found === null) this.#lose(key, nowMs)
    return found
  }

  #isLost(key: string, nowMs: number): boolean {
    return (this.#lost.get(key) ?? Number.NEGATIVE_INFINITY) > nowMs - LOST_MS
  }

  #lose(key: string, nowMs: number): void {
    if (this.#lost.size >= MOST_LOST) this.#lost.clear()
    this.#lost.set(key, nowMs)
  }
}

function keyOf(place: Place, { path, startLine, hash }: EntrySource, how: string): string {
  return JSON.stringify([how, path, startLine, hash, commitOf(place)])
}

const SAID: Readonly<Record<GitFailure, string>> = {
  missing: "git is not installed",
  timeout: "git took too long",
  "too large": "too many files were renamed",
  failed: "git cannot read the repository",
}

/** A picture or a folder in its place has no lines; what may not be read is not known. */
function unreadable(source: EntrySource, why: NotRead): SourceState {
  return lacking(
    source,
    why === "not text" && source.hash !== null ? "gone" : "unknown",
    `the file is ${why}`,
  )
}

function neverRead(source: EntrySource, lines: Lines | NotRead): SourceState {
  return lines === "missing"
    ? lacking(source, "gone", "the file is not there")
    : lacking(source, "unknown", "its lines were not kept")
}

/** Of more places none is told. */
const MOST_PLACES = 20

/** Where the index knows the symbol and the file as it is now defines it. */
async function definedElsewhere(
  place: Place,
  { symbol, context }: EntrySource,
): Promise<readonly SymbolPlace[]> {
  const name = symbol ?? context?.within ?? null
  const known = name === null ? [] : (place.findSymbol?.(name) ?? [])
  const paths = [...new Set(known.map(({ path }) => path))].slice(0, MOST_PLACES)
  const places: SymbolPlace[] = []
  for (const path of paths) {
    const lines = readLines(place, path)
    if (typeof lines === "string") continue
    const found = named(await definitionsIn(place, path, lines), name!)
    places.push(...found.map(({ startLine, endLine }) => ({ path, startLine, endLine })))
  }
  return places
}

function commitOf({ root }: Place): string | null {
  const workTree = findWorkTree(root)
  return workTree && headCommit(workTree)
}
