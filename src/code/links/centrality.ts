import { GrowingF64, GrowingU32 } from "../../base/growing.ts"
import { pageRank, type WalkGraph } from "../../base/pagerank.ts"
import { FileLinks, type LinkedFile } from "./file-links.ts"

/** PageRank on a logarithmic scale: 16 steps are one doubling, and 0 is the average file. */
export type Centrality = {
  /** The rank of each file, in the order of the files. */
  readonly files: Int32Array
  readonly names: readonly { readonly file: number; readonly hash: number; readonly rank: number }[]
}

/** The damping is that of Brin and Page 1998. The tolerance is far smaller than one step of the scale. */
const WALK = { damping: 0.85, tolerance: 1e-4 }
const STEPS = 16
const MAX_NAMES = 1000

/**
 * Computes PageRank over files that use each other's names, and how much of the rank each name attracts. The same files
 * in the same order give exactly the same ranks. Both inputs are read file by file and not kept, so that only some
 * hundred bytes per file stay in memory. `usedNames` (the hashes of the names that each file uses, in the order of the
 * files) is read twice.
 */
export function centralityOf(
  files: Iterable<LinkedFile>,
  usedNames: () => Iterable<Uint32Array>,
): Centrality {
  const links = new FileLinks(files)
  const { size } = links
  const seeds = Array.from({ length: size }, (_, node) => ({ node, weight: 1 }))
  const { rank } = pageRank(graphOf(links, usedNames()), seeds, WALK)
  const names = best(links, drawnByName(links, rank, usedNames()))
  return { files: Int32Array.from(rank, (share) => rankLevel(share, size)), names }
}

function rankLevel(share: number, files: number): number {
  return Math.round(STEPS * Math.log2(share * files))
}

function graphOf(links: FileLinks, usedNames: Iterable<Uint32Array>): WalkGraph {
  const { size } = links
  const first = new Int32Array(size + 1)
  const targets = new GrowingU32()
  const shares = new GrowingF64()
  const weights = new Float64Array(size)
  const used = new GrowingU32()
  let file = 0
  for (const hashes of usedNames) {
    used.clear()
    let sum = 0
    for (let i = 0; i < hashes.length; i++) {
      const meant = links.meant(file, hashes[i]!)
      for (let at = 0; at < meant; at++) {
        const home = links.table.files[links.found[at]!]!
        if (weights[home] === 0) used.push(home)
        weights[home]! += 1 / meant
      }
      if (meant > 0) sum++
    }
    for (let at = 0; at < used.length; at++) {
      const home = used.values[at]!
      targets.push(home)
      shares.push(weights[home]! / sum)
      weights[home] = 0
    }
    first[++file] = targets.length
  }
  const target = new Int32Array(targets.values.buffer, 0, targets.length)
  return { size, first, target, share: shares.view() }
}

/**
 * The rank that each entry of the name table (a name and a file that defines it) receives. Each file divides its rank
 * equally among the names that it uses.
 */
function drawnByName(links: FileLinks, rank: Float64Array, usedNames: Iterable<Uint32Array>): Float64Array {
  const drawn = new Float64Array(links.table.hashes.length)
  const entries = new GrowingU32()
  const shares = new GrowingF64()
  let file = 0
  for (const hashes of usedNames) {
    entries.clear()
    shares.clear()
    let used = 0
    for (let i = 0; i < hashes.length; i++) {
      const meant = links.meant(file, hashes[i]!)
      for (let at = 0; at < meant; at++) {
        entries.push(links.found[at]!)
        shares.push(1 / meant)
      }
      if (meant > 0) used++
    }
    for (let at = 0; at < entries.length; at++)
      drawn[entries.values[at]!]! += (rank[file]! * shares.values[at]!) / used
    file++
  }
  return drawn
}

/**
 * The names that attract the most rank, at most MAX_NAMES. Of names with equal rank, either all are returned or none,
 * so that the order of the files does not matter.
 */
function best(links: FileLinks, drawn: Float64Array): Centrality["names"] {
  const levelAt = (entry: number) =>
    drawn[entry] === 0 || links.isAside(links.table.files[entry]!)
      ? null
      : rankLevel(drawn[entry]!, links.size)
  const lowest = lowestOf(drawn.length, levelAt)
  const names: { file: number; hash: number; rank: number }[] = []
  for (let entry = 0; entry < drawn.length; entry++) {
    const rank = levelAt(entry)
    if (rank !== null && rank >= lowest)
      names.push({ file: links.table.files[entry]!, hash: links.hashOf(entry), rank })
  }
  return names
}

/** The lowest rank such that at most MAX_NAMES names have it or a higher one; Infinity if there is no such rank. */
function lowestOf(entries: number, levelAt: (entry: number) => number | null): number {
  const counts = new Map<number, number>()
  for (let entry = 0; entry < entries; entry++) {
    const level = levelAt(entry)
    if (level !== null) counts.set(level, (counts.get(level) ?? 0) + 1)
  }
  let all = 0
  let lowest = Number.POSITIVE_INFINITY
  for (const [level, count] of [...counts].sort(([one], [other]) => other - one)) {
    all += count
    if (all > MAX_NAMES) break
    lowest = level
  }
  return lowest
}
