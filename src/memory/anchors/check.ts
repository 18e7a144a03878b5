/*
 * Checks whether the source of an entry is unchanged. `SourceChecker.check`: 1. the source's file, or the file it was
 * renamed to (git, then content); 2. `judge` decides whether the lines are unchanged, moved or changed; 3. otherwise
 * they are reported as gone, with places where their symbol is defined.
 */

import { type Dirent, existsSync } from "node:fs"
import { join, posix, relative } from "node:path"
import { entriesIn, toPosix } from "../../base/index.ts"
import { lastName } from "../../store/index.ts"
import {
  findWorkTree,
  GIT_FAILURES,
  type GitFailure,
  headCommit,
  isCommitId,
  renamedTo,
  runGit,
} from "../../tree/index.ts"
import type { EntrySource } from "../entries/entry.ts"
import {
  type Anchor,
  anchoredAt,
  anchoredWhole,
  anchorOf,
  hashOfLines,
  indexFrom,
  keptLines,
  type LineRange,
  letterCount,
  type NormalizedLines,
  normalizedLines,
  trimmedRange,
} from "./anchor.ts"
import { isUrl } from "./capture.ts"
import { agreeing, findEdited, findExact, findReflowed, isReflowed } from "./find-lines.ts"
import {
  definitionsIn,
  definitionsNamed,
  fileOrFolderAt,
  type LocalProject,
  readLines,
  type SymbolPlace,
  type UnreadableReason,
} from "./place.ts"

/**
 * Time for which the result of a search for a source outside of its file is reused, because a search takes a git
 * process and reads many files.
 */
const SEARCHED_MS = 60_000

const KEPT_MS = 1000

/**
 * Checks whether the lines of sources are unchanged, and finds them if they moved. A checker that is reused remembers
 * for `SEARCHED_MS` where it found sources that are gone from their file.
 */
export class SourceChecker {
  readonly #place: LocalProject | null
  readonly #searched = new Map<string, { readonly atMs: number; readonly path: string | null }>()
  /** The files that searches have read within KEPT_MS, so that the sources of one answer share them. */
  readonly #kept = new Map<string, NormalizedLines | UnreadableReason>()
  #keptAtMs = 0
  readonly #failures = new Set<GitFailure>()

  /** `place` is null when the entries' project is not open. */
  constructor(place: LocalProject | null) {
    this.#place = place
  }

  /** Why some renames may not have been found, each reason once. */
  get notices(): string[] {
    return [...this.#failures].map(
      (failure) => `renamed files were searched by content, because ${GIT_FAILURES[failure]}`,
    )
  }

  /** `nowMs`: time of a monotonic clock. */
  async check(source: EntrySource, nowMs: number): Promise<SourceState> {
    if (isUrl(source.path)) return lacking(source, "none", null)
    const place = this.#place
    if (place === null) return lacking(source, "unknown", "its project is not open here")
    if (!existsSync(place.root)) return lacking(source, "unknown", `${place.root} does not exist`)
    if (source.path === "") return lacking(source, "unknown", "no file is known")
    const lines = readLines(place, source.path)
    if (typeof lines === "string" && lines !== "missing") return unreadable(source, lines)
    if (source.hash === null) return neverRead(source, lines)
    const file =
      lines === "missing" ? await this.#renamed(place, source, nowMs) : { path: source.path, lines }
    const state = file && (await judge(place, source, { ...file, commit: commitOf(place) }))
    if (state !== null) return state
    const reason = file === null ? "the file does not exist" : null
    return lacking(source, "gone", reason, await definedElsewhere(place, source))
  }

  /** The file to which the source's file was renamed, searched for at most once in `SEARCHED_MS`; null if there is none. */
  async #renamed(place: LocalProject, source: EntrySource, nowMs: number): Promise<FoundFile | null> {
    const key = JSON.stringify([source.path, source.startLine, source.hash, commitOf(place)])
    let searched = this.#searched.get(key)
    if (searched === undefined || searched.atMs <= nowMs - SEARCHED_MS) {
      const { path, failure } = await findRenamed(place, source, this.#reader(place, nowMs))
      if (failure !== null) this.#failures.add(failure)
      if (this.#searched.size >= 1000) this.#searched.clear()
      searched = { atMs: nowMs, path }
      this.#searched.set(key, searched)
    }
    const { path } = searched
    const lines = path === null ? "missing" : readLines(place, path)
    return path === null || typeof lines === "string" ? null : { path, lines }
  }

  #reader(place: LocalProject, nowMs: number): ReadLines {
    if (nowMs > this.#keptAtMs + KEPT_MS || this.#kept.size > 1000) this.#kept.clear()
    if (this.#kept.size === 0) this.#keptAtMs = nowMs
    return (path) => {
      const lines = this.#kept.get(path) ?? readLines(place, path)
      this.#kept.set(path, lines)
      return lines
    }
  }
}

type FoundFile = { readonly path: string; readonly lines: NormalizedLines }

/**
 * If a binary file or a folder has taken the file's place, the lines are gone. Other unreadable files give the
 * freshness "unknown".
 */
function unreadable(source: EntrySource, why: UnreadableReason): SourceState {
  const freshness = why === "not text" && source.hash !== null ? "gone" : "unknown"
  return lacking(source, freshness, `the file is ${why}`)
}

function neverRead(source: EntrySource, lines: NormalizedLines | UnreadableReason): SourceState {
  return lines === "missing"
    ? lacking(source, "gone", "the file does not exist")
    : lacking(source, "unknown", "its lines were not stored")
}

/** Places where the index knows the symbol and the current file defines it. */
async function definedElsewhere(place: LocalProject, { symbol, context }: EntrySource) {
  const name = symbol ?? context?.within ?? null
  const known = name === null ? [] : (place.findSymbol?.(name) ?? [])
  const paths = [...new Set(known.map(({ path }) => path))].slice(0, 20)
  const places: SymbolPlace[] = []
  for (const path of paths) {
    const lines = readLines(place, path)
    if (typeof lines === "string") continue
    const found = definitionsNamed(await definitionsIn(place, path, lines), name!)
    places.push(...found.map(({ startLine, endLine }) => ({ path, startLine, endLine })))
  }
  return places
}

function commitOf({ root }: LocalProject): string | null {
  const workTree = findWorkTree(root)
  return workTree && headCommit(workTree)
}

type ReadLines = (path: string) => NormalizedLines | UnreadableReason

/** The only one of the files that has the lines with the most equal lines around them; null if there is none. */
function bestHolder(source: EntrySource, paths: readonly string[], read: ReadLines) {
  const holders = paths.flatMap((path) => {
    const lines = read(path)
    const score = typeof lines === "string" ? null : agreeingLines(source, lines)
    return score === null ? [] : [{ path, score }]
  })
  const [best, next] = holders.sort((a, b) => b.score - a.score)
  return best !== undefined && best.score !== next?.score ? best : null
}

/** The file to which a source's file was renamed, and why git could not answer; null when it answered. */
type RenamedFile = { readonly path: string | null; readonly failure: GitFailure | null }

/**
 * The new path of a source's file: from git; otherwise the only file with the same extension that contains the lines and
 * did not contain them before; otherwise the only file with the same name, if it contains an edited form of the lines.
 */
async function findRenamed(place: LocalProject, source: EntrySource, read: ReadLines): Promise<RenamedFile> {
  const known = await renamedInGit(place, source)
  if (known.path !== null) return known
  const candidates = filesLike(place.root, source.path).slice(0, 300)
  const best = bestHolder(source, candidates, read)
  const [named, ...others] = candidates.filter((path) => posix.basename(path) === posix.basename(source.path))
  const anchor = anchorOf(source)
  const now = named === undefined || others.length > 0 ? "missing" : read(named)
  const isEdited = anchor !== null && typeof now !== "string" && findEdited(now, anchor) !== null
  const path = best?.path ?? (isEdited ? named! : null)
  const isOld = path !== null && (await heldLinesBefore(place, source, path)) === true
  return { path: isOld ? null : path, failure: known.failure }
}
async function renamedInGit({ root, ...place }: LocalProject, source: EntrySource): Promise<RenamedFile> {
  const workTree = findWorkTree(root)
  if (workTree === null) return { path: null, failure: null }
  const way = toPosix(relative(workTree.top, root))
  const inRoot = (path: string) => {
    const inside = posix.relative(way, path)
    return inside.startsWith("../") ? null : inside
  }
  const found = await renamedTo(workTree.top, posix.join(way, source.path), source.commit, (path) => {
    const inside = inRoot(path)
    return inside !== null && typeof fileOrFolderAt({ root, ...place }, inside) !== "string"
  })
  return { path: found.path === null ? null : inRoot(found.path), failure: found.failure }
}

/** Maximum directory entries read while searching for one missing file. */
const MAX_ENTRIES = 20_000

/** Folders of generated or external files; a file is not expected to be renamed into these. */
const NOT_SOURCE: ReadonlySet<string> = new Set([
  ...["node_modules", "target", "dist", "build", "out", "vendor", "__pycache__", "venv"],
])

/** Files with the same name or extension: first those with the same name, then those nearest to the root. */
function filesLike(root: string, path: string): string[] {
  const name = posix.basename(path)
  const isLike = (entry: Dirent) =>
    entry.isFile() && (entry.name === name || posix.extname(entry.name) === posix.extname(name))
  const found: string[] = []
  const folders = [""]
  let seen = 0
  for (let folder = folders.shift(); folder !== undefined && seen < MAX_ENTRIES; folder = folders.shift()) {
    const entries = entriesIn(join(root, folder)).slice(0, MAX_ENTRIES - seen)
    seen += entries.length
    const at = (entry: Dirent) => posix.join(folder ?? "", entry.name)
    found.push(...entries.filter(isLike).map(at))
    const isOpened = (entry: Dirent) =>
      entry.isDirectory() && !entry.name.startsWith(".") && !NOT_SOURCE.has(entry.name)
    folders.push(...entries.filter(isOpened).map(at))
  }
  const rank = (path: string) => (posix.basename(path) === name ? 0 : 1)
  return found.sort((a, b) => rank(a) - rank(b))
}

const LIMITS = { timeoutMs: 2000, maxBytes: 8 * 1024 * 1024 }

/**
 * True when the file at `path` already contained the source's lines at the time of capture, so that they were not
 * moved there. Null when git does not know the source at that commit.
 */
async function heldLinesBefore(place: LocalProject, source: EntrySource, path: string) {
  const own = await linesAtCommit(place, source, source.path)
  if (own === null || agreeingLines(source, own) === null) return null
  const other = await linesAtCommit(place, source, path)
  return other !== null && agreeingLines(source, other) !== null
}

async function linesAtCommit({ root }: LocalProject, { commit }: EntrySource, path: string) {
  if (commit === null || !isCommitId(commit)) return null
  const found = await runGit(["cat-file", "blob", `${commit}:./${path}`], { cwd: root, ...LIMITS })
  return found.ok ? normalizedLines(found.stdout) : null
}

/**
 * Min number of letters and digits in the anchored and the neighbouring lines together; with fewer, they may occur in
 * two files by chance.
 */
const MIN_SURROUNDED_LETTERS = 30

/**
 * Number of neighbouring lines that are equal, if the file contains the anchored lines; null if it does not contain
 * them.
 */
function agreeingLines(source: EntrySource, lines: NormalizedLines): number | null {
  const anchor = anchorOf(source)
  if (anchor === null) return lines.texts.length > 0 && hashOfLines(lines.texts) === source.hash ? 0 : null
  if (letterCount([...anchor.before, ...anchor.lines, ...anchor.after]) < MIN_SURROUNDED_LETTERS) return null
  const range = findExact(lines, anchor)
  return range && agreeing(lines, anchor, range)
}

/** The current file of a source, which may have been renamed. */
type FileNow = { readonly path: string; readonly lines: NormalizedLines; readonly commit: string | null }

/**
 * The state of a memory's source in the current file; null when its lines are gone from it. Decides in this order:
 *
 * 1. The source is a whole file: unchanged if the texts are equal, or differ only in how a formatter wrapped them.
 * 2. Unchanged: the same lines stand somewhere in the file (`sameRange`). Of several places, one inside the definition
 *    that contained them comes first.
 * 3. Changed: the definition that the source names; else what is left of the lines inside the definition that contained
 *    them; else similar lines elsewhere, but only if that definition still exists or the lines are certain to be these.
 * 4. Gone.
 */
async function judge(place: LocalProject, source: EntrySource, file: FileNow): Promise<SourceState | null> {
  const base = { path: file.path, symbol: source.symbol, commit: file.commit }
  const { texts } = file.lines
  if (source.startLine === null) {
    const changed = isSameWhole(source, texts) ? null : { texts }
    return presentState(source, anchoredWhole(base, file.lines), changed)
  }
  const anchor = anchorOf(source)
  if (anchor === null) return null
  const within = source.context?.within ?? null
  const symbol = source.symbol ?? within
  const containing = symbol === null ? [] : await containingRanges(place, symbol, anchor, file)
  const same = sameRange(anchor, file.lines, containing)
  if (same !== null) return presentState(source, anchoredAt(base, file.lines, same, within), null)
  const changed = findChanged(source, anchor, file.lines, containing)
  if (changed === null) return null
  const anchored = anchoredAt(base, file.lines, changed, within)
  const { before, after } = anchored.context!
  const now = { texts: linesInRange(file.lines, changed).texts, around: [...before, ...after] }
  return presentState(source, anchored, now)
}

function isSameWhole({ hash, text }: EntrySource, texts: readonly string[]): boolean {
  if (hashOfLines(texts) === hash) return true
  const stored = text === null ? [] : keptLines(text)
  // The hash of the whole text shows whether the stored text is complete.
  return hashOfLines(stored) === hash && isReflowed(stored, texts)
}

/** Lines, in the current file, of the definitions that contained the lines a note is about, or that the note names. */
type ContainingRanges = readonly LineRange[]

/**
 * The definitions that contained the source's lines, at their present places in the file. Empty when the lines stand
 * unchanged in their old place, or belonged to no definition.
 */
async function containingRanges(
  place: LocalProject,
  symbol: string,
  anchor: Anchor,
  { path, lines }: FileNow,
) {
  if (isUntouched(anchor, lines) || !mayDefine(symbol, path, lines)) return []
  return definitionsNamed(await definitionsIn(place, path, lines), symbol)
}

/**
 * The range of a source's unchanged lines, also where a formatter wrapped them; null when there is none. Of several
 * places that match, those inside `containing` come first. No place outside counts if the lines inside `containing`
 * are an edit of the source's lines.
 */
function sameRange(anchor: Anchor, lines: NormalizedLines, containing: ContainingRanges) {
  const isContained = (range: LineRange) =>
    containing.some(({ startLine, endLine }) => startLine <= range.startLine && range.endLine <= endLine)
  const exact = findExact(lines, anchor, isContained)
  if (exact !== null && (containing.length === 0 || isContained(exact))) return exact
  const reflowed = findReflowed(lines, anchor)
  const wrapped = reflowed.find(isContained) ?? (containing.length === 0 ? reflowed[0] : undefined)
  if (wrapped !== undefined) return wrapped
  const isEditedThere = containing.some((range) => findEdited(linesInRange(lines, range), anchor)?.isLeft)
  return isEditedThere ? null : (exact ?? reflowed[0] ?? null)
}

/** True if the lines and those around are unchanged in their place. */
function isUntouched(anchor: Anchor, lines: NormalizedLines): boolean {
  const range = findExact(lines, anchor)
  if (range?.startLine !== anchor.startLine) return false
  return agreeing(lines, anchor, range!) === anchor.before.length + anchor.after.length
}

/** The lines of a range, with their numbers in the file. */
function linesInRange(lines: NormalizedLines, { startLine, endLine }: LineRange): NormalizedLines {
  const [from, to] = [indexFrom(lines, startLine), indexFrom(lines, endLine + 1)]
  return { ...lines, texts: lines.texts.slice(from, to), numbers: lines.numbers.slice(from, to) }
}

/** The changed range: step 3 of `judge`. */
function findChanged(
  source: EntrySource,
  anchor: Anchor,
  lines: NormalizedLines,
  containing: ContainingRanges,
): LineRange | null {
  if (source.symbol !== null && containing.length > 0) {
    const distance = (range: LineRange) => Math.abs(range.startLine - anchor.startLine)
    return containing.toSorted((a, b) => distance(a) - distance(b))[0]!
  }
  if (anchor.lines.length === 0) return hashedPlace(anchor, lines, containing)
  const editedThere = containing
    .map((range) => findEdited(linesInRange(lines, range), anchor))
    .find((found) => found?.isLeft)
  if (editedThere) return editedThere.range
  const edited = findEdited(lines, anchor)
  if (edited === null) return null
  // If the definition that contained the lines no longer exists, similar lines elsewhere do not count as the source's.
  const isHomeGone = containing.length === 0 && (source.symbol ?? source.context?.within ?? null) !== null
  return edited.isSure || !isHomeGone ? edited.range : null
}

/** False for a file that does not contain the name, so that it is not parsed. */
function mayDefine(symbol: string, path: string, { texts }: NormalizedLines): boolean {
  const name = lastName(symbol)
  return path.includes(name) || texts.some((text) => text.includes(name))
}

/**
 * The place of lines of which only the hash is stored: where they were, or the definition that contained them. Null without one,
 * because other lines may have their place.
 */
function hashedPlace({ startLine, span }: Anchor, file: NormalizedLines, containing: ContainingRanges) {
  const former = { startLine, endLine: startLine + span - 1 }
  const isIn = (range: LineRange) => range.startLine <= startLine && former.endLine <= range.endLine
  return containing.some(isIn) ? trimmedRange(file, former) : (containing[0] ?? null)
}

/**
 * The state of an entry's source. fresh: its lines are unchanged, in the same place; moved: unchanged, in another
 * place; changed: edited; gone: no longer found; unknown: they could not be checked; none: the source has no lines in a
 * file.
 */
export const FRESHNESS = ["fresh", "moved", "changed", "gone", "unknown", "none"] as const
type Freshness = (typeof FRESHNESS)[number]

export type SourceState = {
  readonly freshness: Freshness
  /** The present path of the file, or the last known one. */
  readonly path: string
  /** 1-based and inclusive; null for a whole file, or when nothing was captured. */
  readonly startLine: number | null
  readonly endLine: number | null
  /** The current lines, shortened like those stored; null when there are none. */
  readonly now: string | null
  /** All current lines, normalised, when they changed; otherwise empty. */
  readonly texts: readonly string[]
  /** The lines around the changed lines, normalised. A word that is gone from the lines may have been moved there. */
  readonly around: readonly string[]
  /** An explanation when the freshness alone is not clear; otherwise null. */
  readonly reason: string | null
  /**
   * The source with the current lines, to record once a person has confirmed the entry. Null when nothing changed, when
   * the lines are gone, and when they cannot be checked.
   */
  readonly anchored: EntrySource | null
  /**
   * The source to record without a person's confirmation, because only the place has changed: the place of moved
   * lines, or the new path of edited ones. Null when the place is the same.
   */
  readonly followed: EntrySource | null
  /** Places where the symbol of deleted lines is defined now. */
  readonly elsewhere: readonly SymbolPlace[]
}

/** The state of lines that are deleted or cannot be checked. */
function lacking(
  source: EntrySource,
  freshness: "gone" | "unknown" | "none",
  reason: string | null,
  elsewhere: readonly SymbolPlace[] = [],
): SourceState {
  const { path, startLine, endLine } = source
  return {
    ...{ freshness, path, startLine, endLine, now: null, texts: [], around: [], reason },
    ...{ anchored: null, followed: null, elsewhere },
  }
}

/**
 * The state of lines found in a file. `changed`: the current lines if they differ; null if they are the same,
 * in the old place or another.
 */
function presentState(
  source: EntrySource,
  anchored: EntrySource,
  changed: { readonly texts: readonly string[]; readonly around?: readonly string[] } | null,
): SourceState {
  const isSame = changed === null
  const { path, startLine, endLine } = anchored
  const isSameFile = path === source.path
  const isThere = isSameFile && startLine === source.startLine
  const isUnmoved = isThere && endLine === source.endLine
  const renamed = isSameFile ? null : { ...source, path }
  return {
    freshness: isSame ? (isThere ? "fresh" : "moved") : "changed",
    ...{ path, startLine, endLine, now: anchored.text, elsewhere: [] },
    ...{ texts: changed?.texts ?? [], around: changed?.around ?? [] },
    reason: isSameFile ? null : `the file was ${source.path}`,
    anchored: isSame && isUnmoved ? null : anchored,
    followed: isSame && !isUnmoved ? anchored : renamed,
  }
}
