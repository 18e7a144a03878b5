import { compoundOf } from "../text/abbreviations.ts"
import { hashTerm } from "../text/hash.ts"

/** Shorter names (i, get, key) stand everywhere, and say nothing of how much a file is used. */
const SHORTEST = 4
// Headers of registers define thousands of names; the first of them tell as much.
const MOST = 200

/** Hashes of the first names as the keyword index knows them, each once: u32 high and low, little-endian. */
export function nameHashes(names: Iterable<string>): Uint8Array {
  const compounds = new Set<string>()
  for (const name of names) {
    if (name.length >= SHORTEST) compounds.add(compoundOf(name))
    if (compounds.size === MOST) break
  }
  const halves = Array.from(compounds, hashTerm).flatMap((hash) => [
    Number(hash >> 32n),
    Number(hash & 0xffff_ffffn),
  ])
  return new Uint8Array(Uint32Array.from(halves).buffer)
}
