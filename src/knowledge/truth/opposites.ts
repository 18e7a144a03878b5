import { stem } from "../../text/stem.ts"

/** Stems of the words that deny what this stem says. */
export function oppositesOf(stemmed: string): readonly string[] {
  return OPPOSITES.get(stemmed) ?? []
}

const PAIRS = `enabled disabled, enable disable, enables disables, on off, true false, allowed forbidden, allows forbids,
  allowed disallowed, allowed prohibited, allowed banned, supported unsupported, safe unsafe, required optional,
  mandatory optional, stable unstable, works fails, works broken, passes fails, passing failing, succeeds fails,
  synchronous asynchronous, sync async, mutable immutable, ordered unordered, sorted unsorted, stateful stateless,
  blocking nonblocking, blocking non-blocking, public private, likes hates, love hate, loves hates, like dislike,
  open closed, encrypted plaintext, encrypted unencrypted, valid invalid, correct wrong, accepted rejected,
  accepts rejects, approved rejected, included excluded, includes excludes, cached uncached, known unknown,
  necessary unnecessary, reversible irreversible, deterministic nondeterministic, inclusive exclusive,
  ascending descending, increases decreases, case-sensitive case-insensitive, present absent,
  single-threaded multi-threaded, manual automatic, manually automatically, eager lazy, eagerly lazily, strict lenient,
  idempotent non-idempotent, reachable unreachable, available unavailable, possible impossible, complete incomplete,
  open resolved, open fixed, resolved unresolved, broken fixed, pending approved, pending completed, planned cancelled,
  single married, online offline, draft published`

const OPPOSITES: ReadonlyMap<string, readonly string[]> = readPairs()

function readPairs(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const pair of PAIRS.split(/,\s*/)) {
    const [a, b] = pair.trim().split(" ").map(stem) as [string, string]
    found.set(a, [...(found.get(a) ?? []), b])
    found.set(b, [...(found.get(b) ?? []), a])
  }
  return found
}
