import { pageRank, type WalkGraph } from "../base/pagerank.ts"
import { FileLinks, type LinkedFile } from "./file-links.ts"

export type CentralFile = LinkedFile & {
  /** Tests, generated code and the like: their names are none that a project turns about. */
  readonly isAside: boolean
}

/** Ranks on a scale of 16 steps to a doubling; 0 is the average file. */
export type Centrality = {
  /** Of each file, in their order. */
  readonly files: Int32Array
  readonly names: readonly { readonly file: number; readonly hash: number; readonly rank: number }[]
}

/** Of Brin and Page 1998; a tolerance far below one step of the scale. */
const WALK = { damping: 0.85, tolerance: 1e-4 }
const STEPS = 16
const MOST_NAMES = 1000

/**
 * PageRank over files that use each other's names, and what of it comes in by each name. The same files in the same
 * order give the same ranks to the last bit.
 */
export function centralityOf(
  files: readonly CentralFile[],
  namesOf: (file: number) => Uint32Array,
): Centrality {
  const links = new FileLinks(files)
  const graph = graphOf(links, files.length, namesOf)
  const seeds = files.map((_, node) => ({ node, weight: 1 }))
  const { rank } = pageRank(graph, seeds, WALK)
  const names = drawnByName(links, rank, files, namesOf)
  return { files: Int32Array.from(rank, (share) => levelOf(share, files.length)), names }
}

function levelOf(share: number, files: number): number {
  return Math.round(STEPS * Math.log2(share * files))
}

function graphOf(links: FileLinks, size: number, namesOf: (file: number) => Uint32Array): WalkGraph {
  const first = new Int32Array(size + 1)
  const targets: number[] = []
  const shares: number[] = []
  const weights = new Float64Array(size)
  for (let file = 0; file < size; file++) {
    const used: number[] = []
    let sum = 0
    for (const hash of namesOf(file)) {
      const meant = links.meant(file, hash)
      for (let at = 0; at < meant; at++) {
        const home = links.table.files[links.found[at]!]!
        if (weights[home] === 0) used.push(home)
        weights[home]! += 1 / meant
      }
      if (meant > 0) sum++
    }
    for (const home of used) {
      targets.push(home)
      shares.push(weights[home]! / sum)
      weights[home] = 0
    }
    first[file + 1] = targets.length
  }
  return { size, first, target: Int32Array.from(targets), share: Float64Array.from(shares) }
}

/** A file's rank goes to the names it uses in equal parts. */
function drawnByName(
  links: FileLinks,
  rank: Float64Array,
  files: readonly CentralFile[],
  namesOf: (file: number) => Uint32Array,
): Centrality["names"] {
  const { table } = links
  const drawn = new Float64Array(table.hashes.length)
  for (let file = 0; file < files.length; file++) {
    const entries: number[] = []
    const shares: number[] = []
    let used = 0
    for (const hash of namesOf(file)) {
      const meant = links.meant(file, hash)
      for (let at = 0; at < meant; at++) {
        entries.push(links.found[at]!)
        shares.push(1 / meant)
      }
      if (meant > 0) used++
    }
    for (const [at, entry] of entries.entries()) drawn[entry]! += (rank[file]! * shares[at]!) / used
  }
  const names: { file: number; hash: number; rank: number }[] = []
  for (const [entry, share] of drawn.entries()) {
    const file = table.files[entry]!
    if (share > 0 && !files[file]!.isAside)
      names.push({ file, hash: links.hashOf(entry), rank: levelOf(share, files.length) })
  }
  return best(names)
}

/** Whole levels from the top, so that no order of equals decides. */
function best(names: Centrality["names"]): Centrality["names"] {
  if (names.length <= MOST_NAMES) return names
  const levels = names.map(({ rank }) => rank).sort((one, other) => other - one)
  const cut = levels[MOST_NAMES]!
  return names.filter(({ rank }) => rank > cut)
}
