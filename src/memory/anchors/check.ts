/*
 * Checks whether the source of an entry is unchanged. `SourceChecker.check`: 1. the source's file, or the file it was
 * renamed to (git, then content); 2. judge.ts decides whether the lines are unchanged, moved or changed; 3. if they
 * are gone, other files that may have them now; 4. otherwise they are reported as gone, with places where their
 * symbol is defined.
 */

import { type Dirent, existsSync } from "node:fs"
import { join, posix, relative } from "node:path"
import { entriesIn } from "../../base/files/files.ts"
import { toPosix } from "../../base/paths.ts"
import { headCommit } from "../../git/head-commit.ts"
import { renamedTo } from "../../git/renames.ts"
import { type GitFailure, isCommitId, runGit } from "../../git/run/run.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import type { EntrySource } from "../entries/entry.ts"
import { definitionsIn, definitionsNamed } from "./file-definitions.ts"
import { findEdited } from "./find-edited.ts"
import { judge } from "./judge.ts"
import { agreeing, findExact } from "./locate.ts"
import { NearFiles } from "./near-files.ts"
import {
  hashOfLines,
  indexFrom,
  letterCount,
  type NormalizedLines,
  normalizedLines,
} from "./normalized-lines.ts"
import { isUrl } from "./parse-source.ts"
import {
  fileOrFolderAt,
  type LocalProject,
  readLines,
  type SymbolPlace,
  type UnreadableReason,
} from "./place.ts"
import { lacking, type SourceState } from "./source-state.ts"
import { anchorOf } from "./stored-anchor.ts"

/**
 * Time for which the result of a search for a source outside of its file is reused, because a search takes a git
 * process and reads many files.
 */
const SEARCHED_MS = 60_000

const MAX_SEARCHED = 1000

/**
 * Checks whether the lines of sources are unchanged, and finds them if they moved. A checker that is reused remembers
 * for `SEARCHED_MS` where it found sources that are gone from their file.
 */
export class SourceChecker {
  readonly #place: LocalProject | null
  readonly #searched = new Map<string, { readonly atMs: number; readonly path: string | null }>()
  #near: NearFiles | null = null
  readonly #failures = new Set<GitFailure>()

  /** `place` is null when the entries' project is not open. */
  constructor(place: LocalProject | null) {
    this.#place = place
  }

  /** Why some renames may not have been found, each reason once. */
  get notices(): string[] {
    return [...this.#failures].map(
      (failure) => `renamed files were searched by content, because ${FAILURE_TEXTS[failure]}`,
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
    const elsewhere = await definedElsewhere(place, source)
    const went = file === null ? null : await this.#movedOut(place, source, elsewhere, nowMs)
    const found = went && (await judge(place, source, { ...went, commit: commitOf(place) }))
    if (found) return { ...found, reason: `it was in ${source.path}` }
    return lacking(source, "gone", file === null ? "the file does not exist" : null, elsewhere)
  }

  #renamed(place: LocalProject, source: EntrySource, nowMs: number): Promise<FoundFile | null> {
    return this.#once(place, checkKey(place, source, "renamed"), nowMs, async () => {
      const { path, failure } = await findRenamed(place, source)
      if (failure !== null) this.#failures.add(failure)
      return path
    })
  }

  #movedOut(
    place: LocalProject,
    source: EntrySource,
    defined: readonly SymbolPlace[],
    nowMs: number,
  ): Promise<FoundFile | null> {
    return this.#once(place, checkKey(place, source, "moved out"), nowMs, async () => {
      this.#near ??= new NearFiles(place)
      return (await findMovedOut(place, this.#near, source, defined))?.path ?? null
    })
  }

  /** The result of `search` for a source, from the cache if it is not older than `SEARCHED_MS`. */
  async #once(
    place: LocalProject,
    key: string,
    nowMs: number,
    search: () => Promise<string | null>,
  ): Promise<FoundFile | null> {
    const known = this.#searched.get(key)
    const isKnown = known !== undefined && known.atMs > nowMs - SEARCHED_MS
    const path = isKnown ? known.path : await search()
    const lines = path === null ? "missing" : readLines(place, path)
    const found = path === null || typeof lines === "string" ? null : { path, lines }
    if (isKnown) return found
    if (this.#searched.size >= MAX_SEARCHED) this.#searched.clear()
    this.#searched.set(key, { atMs: nowMs, path: found?.path ?? null })
    return found
  }
}

type FoundFile = { readonly path: string; readonly lines: NormalizedLines }

function checkKey(place: LocalProject, { path, startLine, hash }: EntrySource, how: string): string {
  return JSON.stringify([how, path, startLine, hash, commitOf(place)])
}

const FAILURE_TEXTS: Readonly<Record<GitFailure, string>> = {
  missing: "git is not installed",
  timeout: "git took too long",
  "too large": "too many files were renamed",
  failed: "git cannot read the repository",
}

/**
 * If a binary file or a folder has taken the file's place, the lines are gone. Other unreadable files give the
 * freshness "unknown".
 */
function unreadable(source: EntrySource, why: UnreadableReason): SourceState {
  return lacking(
    source,
    why === "not text" && source.hash !== null ? "gone" : "unknown",
    `the file is ${why}`,
  )
}

function neverRead(source: EntrySource, lines: NormalizedLines | UnreadableReason): SourceState {
  return lines === "missing"
    ? lacking(source, "gone", "the file does not exist")
    : lacking(source, "unknown", "its lines were not stored")
}

/** Maximum number of files that are searched for the source's symbol. */
const MAX_PLACES = 20

/** Places where the index knows the symbol and the current file defines it. */
async function definedElsewhere(
  place: LocalProject,
  { symbol, context }: EntrySource,
): Promise<readonly SymbolPlace[]> {
  const name = symbol ?? context?.within ?? null
  const known = name === null ? [] : (place.findSymbol?.(name) ?? [])
  const paths = [...new Set(known.map(({ path }) => path))].slice(0, MAX_PLACES)
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

/** Min number of letters and digits in the anchored lines; shorter lines may occur elsewhere by chance. */
const MIN_LETTERS = 20
/** Min number of the six neighbouring lines that must have moved together with the anchored lines. */
const MIN_AGREEING = 3

/**
 * Finds lines that are gone from a file which still exists: in a file that now defines their symbol, a file
 * of the same folder, or one of the folder that the file became (a.ts → a/b.ts). Only identical lines count,
 * in one file only, which did not contain them when they were captured; if git cannot tell that, their symbol
 * or the lines around must have moved along. Null when no place is certain.
 */
async function findMovedOut(
  place: LocalProject,
  near: NearFiles,
  source: EntrySource,
  defined: readonly SymbolPlace[],
): Promise<{ path: string; lines: NormalizedLines } | null> {
  if (source.startLine === null) return null
  const { dir, name, ext } = posix.parse(source.path)
  const definedIn = new Set(defined.map(({ path }) => path))
  const files = near.read([...definedIn], [dir, posix.join(dir, name)], ext)
  const holding = [...(files ?? [])].flatMap(([path, lines]) => {
    const score = path === source.path ? null : agreeingLines(source, lines)
    return score === null ? [] : [{ path, lines, score }]
  })
  const [best, next] = holding.sort((a, b) => b.score - a.score)
  if (best === undefined || best.score === next?.score) return null
  const isConfirmed = best.score >= MIN_AGREEING || definedIn.has(best.path)
  const isLong = letterCount(anchorOf(source)?.lines ?? []) >= MIN_LETTERS
  if (!isConfirmed && !isLong) return null
  const stood = await heldLinesBefore(place, source, best.path)
  return stood === false || (stood === null && isConfirmed) ? best : null
}

type RenamedFile = {
  readonly path: string | null
  /** Why git could not answer; null when it answered. */
  readonly failure: GitFailure | null
}

/**
 * The new path of a source's file: from git, otherwise by the content of candidate files that did not contain
 * the lines before.
 */
async function findRenamed(place: LocalProject, source: EntrySource): Promise<RenamedFile> {
  const known = await renamedInGit(place, source)
  if (known.path !== null) return known
  const path = findByContent(place, source)
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

const MAX_FILES = 300

/**
 * The only file with the same extension that contains the lines; otherwise the only file with the same name, if it
 * contains an edited form of the lines.
 */
function findByContent(place: LocalProject, source: EntrySource): string | null {
  const candidates = filesLike(place.root, source.path).slice(0, MAX_FILES)
  const scored = candidates.flatMap((path) => {
    const lines = readLines(place, path)
    const score = typeof lines === "string" ? null : agreeingLines(source, lines)
    return score === null ? [] : [{ path, score }]
  })
  const [best, next] = scored.sort((a, b) => b.score - a.score)
  if (best !== undefined) return best.score > (next?.score ?? -1) ? best.path : null
  const sameName = candidates.filter((path) => posix.basename(path) === posix.basename(source.path))
  return sameName.length === 1 && holdsEdited(place, sameName[0]!, source) ? sameName[0]! : null
}

function holdsEdited(place: LocalProject, path: string, source: EntrySource): boolean {
  const anchor = anchorOf(source)
  const lines = readLines(place, path)
  return anchor !== null && typeof lines !== "string" && findEdited(lines, anchor) !== null
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
    folders.push(...entries.filter(isOpened).map(at))
  }
  const rank = (path: string) => (posix.basename(path) === name ? 0 : 1)
  return found.sort((a, b) => rank(a) - rank(b))
}

function isOpened(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".") && !NOT_SOURCE.has(entry.name)
}

const LIMITS = { timeoutMs: 2000, maxBytes: 8 * 1024 * 1024 }

/**
 * True when the file at `path` already contained the source's lines at the time of capture, so that they were not
 * moved there. Null when git does not know the source at that commit.
 */
async function heldLinesBefore(
  place: LocalProject,
  source: EntrySource,
  path: string,
): Promise<boolean | null> {
  const own = await linesAtCommit(place, source, source.path)
  if (own === null || agreeingLines(source, own) === null) return null
  const other = await linesAtCommit(place, source, path)
  return other !== null && agreeingLines(source, other) !== null
}

async function linesAtCommit(
  { root }: LocalProject,
  { commit }: EntrySource,
  path: string,
): Promise<NormalizedLines | null> {
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
  return range === null ? null : agreeing(lines, anchor, indexFrom(lines, range.startLine), range)
}
