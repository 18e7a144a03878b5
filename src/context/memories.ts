import { existsSync } from "node:fs"
import { compareTexts } from "../base/index.ts"
import {
  type EntryOutput,
  entriesNaming,
  knowledgePath,
  LIKELY,
  type Memory,
  type MemoryChoice,
  openMemory,
  outputsWithCommits,
  type RecallHit,
  recall,
  visibleProjects,
} from "../memory/index.ts"
import { oneLine } from "../text/index.ts"
import type { SourceFile } from "./pieces.ts"

const MAX_NAMING = 3
const LONGEST = 220

/** Returns memory hints for a task and the leading files of its bundle. */
export type MemoryHints = (query: string, files: readonly SourceFile[]) => Promise<readonly string[]>

type HintEntry = Pick<RecallHit, "id" | "text" | "source" | "freshness" | "recorded_at" | "led_to"> &
  Partial<Pick<RecallHit, "outdated_by" | "perhaps_replaces">>

/**
 * Entries about the task and about the code in its bundle, one line each, with the freshness of the entry's source.
 */
export async function memoryHints(
  memory: Memory,
  query: string,
  files: readonly SourceFile[],
): Promise<readonly string[]> {
  const byWords = await recall(memory, { query: query.slice(0, 2000), limit: 2 })
  const recalled = byWords.confidence >= LIKELY ? byWords.results : []
  const hinted = new Map<string, HintEntry>(recalled.map((hit) => [hit.id, hit]))
  for (const entry of await mentioningEntries(memory, files))
    if (!hinted.has(entry.id)) hinted.set(entry.id, entry)
  return [...hinted.values()].map(hintOf)
}

/** Entries that mention these files or symbols they define, newest first. */
async function mentioningEntries(memory: Memory, files: readonly SourceFile[]): Promise<EntryOutput[]> {
  const names = files.flatMap(({ named }) => (named === null ? [] : [named.name])).filter(isSpecificName)
  return entriesAbout(
    memory,
    files.map(({ path }) => path),
    names,
    MAX_NAMING,
  )
}

const MAX_ABOUT = 5

/** At most `max` entries about files and the symbols that these files define: decisions first, then the newest. */
export async function memoriesAbout(
  memory: Memory,
  files: readonly string[],
  names: readonly string[],
  max = MAX_ABOUT,
): Promise<EntryOutput[]> {
  const entries = await entriesAbout(memory, files, names.filter(isSpecificName), 2 * max)
  const isDecision = ({ kind }: EntryOutput) => kind === "decision"
  return [...entries.filter(isDecision), ...entries.filter((each) => !isDecision(each))].slice(0, max)
}

/** Entries whose source is one of the files, or whose text names one of the symbols, newest first, at most `max`. */
async function entriesAbout(
  memory: Memory,
  files: readonly string[],
  names: readonly string[],
  max: number,
): Promise<EntryOutput[]> {
  const { entries } = await memory.loaded()
  if (entries.size === 0) return []
  const scopes = new Set(visibleProjects(memory))
  const paths = new Set(files)
  const now = new Date().toISOString()
  const near = [...entries.values()].filter(
    ({ project, source, text, validUntil, supersededAt }) =>
      scopes.has(project) &&
      (validUntil === null ? supersededAt === null : validUntil > now) &&
      ((source !== null && paths.has(source.path)) || names.some((name) => text.includes(name))),
  )
  const byName = entriesNaming(near, names)
  const wanted = near.filter(
    ({ id, source }) => byName.has(id) || (source !== null && paths.has(source.path)),
  )
  const newest = wanted.sort(
    (one, other) => compareTexts(other.recordedAt, one.recordedAt) || compareTexts(one.id, other.id),
  )
  return outputsWithCommits(memory, newest.slice(0, max))
}

/** True if a name is specific to code; a word that occurs in prose does not show that an entry means the symbol. */
function isSpecificName(name: string): boolean {
  return /\p{Ll}\p{Lu}|\p{L}_\p{L}|^\p{Lu}\p{L}+\p{Lu}/u.test(name)
}

function hintOf({ id, text, source, freshness, recorded_at, led_to, ...marks }: HintEntry): string {
  const { outdated_by, perhaps_replaces: older = [] } = marks
  const state = [
    ...(freshness === "none" ? [] : [freshness]),
    ...(outdated_by ? [`contradicted by a newer entry: ${outdated_by}`] : []),
    ...(older.length > 0 ? [`perhaps replaces ${older.join(", ")}`] : []),
    recorded_at.slice(0, 10),
    ...(source === null ? [] : [source]),
    ...(led_to === undefined ? [] : [oneLine(`led to ${led_to}`, 60)]),
  ]
  return oneLine(`remembered (${state.join(", ")}; ${id}): ${text}`, LONGEST)
}

/** Opens the memory at the first call; null if nothing was ever remembered. */
export function memoriesIn(choice: MemoryChoice): MemoriesOf | null {
  return existsSync(knowledgePath()) ? new MemoriesOf(choice) : null
}

/** Memory of a folder, opened at the first question. */
class MemoriesOf implements AsyncDisposable {
  readonly #choice: MemoryChoice
  #memory: Promise<Memory> | null = null

  constructor(choice: MemoryChoice) {
    this.#choice = choice
  }

  readonly hints: MemoryHints = async (query, files) => {
    this.#memory ??= openMemory(this.#choice)
    return memoryHints(await this.#memory, query, files)
  }

  readonly about = async (files: readonly string[], names: readonly string[]): Promise<EntryOutput[]> => {
    this.#memory ??= openMemory(this.#choice)
    return memoriesAbout(await this.#memory, files, names)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const memory = await this.#memory?.catch(() => null)
    memory?.close()
  }
}
