import { type Entry, LIKELY } from "../../../memory/index.ts"
import type { HookSources } from "../hook-sources.ts"
import { lastPart, nameParts, namesWritten } from "./prompt-names.ts"

const MAX_ENTRIES = 4
/** Max entries shown because they probably answer the prompt, and their least chance as a share of the best one's. */
const MAX_LIKELY = 3
const MIN_SHARE = 0.3

export type Recalled = Awaited<ReturnType<HookSources["recalled"]>>

/**
 * The recalled entries that probably answer the prompt, and those that mention one of its code names or replace one of `all` that
 * does, in the order of `recall`. A name that occurs in many entries is ignored.
 */
export function entriesForPrompt(
  { hits, confidence }: Recalled,
  names: readonly string[],
  all: () => readonly Entry[] = () => [],
) {
  const least = MIN_SHARE * confidence
  const isLikely = ({ hit }: Recalled["hits"][number], rank: number) =>
    confidence >= LIKELY && rank < MAX_LIKELY && hit.chance >= least
  const said = ({ hit, mark }: Recalled["hits"][number]) =>
    mark.replaces.length === 0
      ? [hit.entry]
      : [hit.entry, ...all().filter(({ id }) => mark.replaces.includes(id))]
  const naming = names
    .map((name) => new Set(hits.filter((each) => said(each).some((entry) => mentions(entry, name)))))
    .filter(({ size }) => size <= MAX_ENTRIES)
  return hits
    .filter((each, rank) => isLikely(each, rank) || naming.some((named) => named.has(each)))
    .slice(0, MAX_ENTRIES)
}

/** True if the text or the symbol of the entry has the name: Shop.login matches `login`, but not Web.login. */
function mentions(entry: Pick<Entry, "text" | "source">, name: string): boolean {
  const last = lastPart(name)
  if (!entry.text.includes(last) && !entry.source?.symbol?.includes(last)) return false
  return namesInEntry(entry).some((written) => endsWith(nameParts(written), nameParts(name)))
}

function namesInEntry({ text, source }: Pick<Entry, "text" | "source">): string[] {
  const symbol = source?.symbol ?? null
  const written = namesWritten(text, () => true)
  return symbol === null ? written : [symbol, ...written]
}

function endsWith(name: readonly string[], wanted: readonly string[]): boolean {
  const from = name.length - wanted.length
  return from >= 0 && wanted.every((part, at) => part === name[from + at])
}
