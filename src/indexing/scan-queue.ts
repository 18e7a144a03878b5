import { BESIDE } from "../base/file-flag.ts"
import { pathFlags } from "../code/file-flags.ts"
import type { Counts } from "./scan-result.ts"
import type { Folder } from "./scan-walk.ts"

export type Waiting = {
  readonly folder: Folder
  /** Where it counts if it is left out after all: with what its parent left out. */
  readonly counts: Counts
}

// So many levels deeper count as much as the project's own folders: tests, examples, documents, vendored code.
const ASIDE_LEVELS = 4

/**
 * The folders still to be visited: shallow ones first, and those of source before those beside it, so that what a
 * walk that must end early has found is what matters most. A list and no recursion, however deep the tree.
 */
export class ScanQueue {
  readonly #levels: Waiting[][] = []
  #level = 0
  #next = 0

  add(waiting: Waiting): void {
    const level = Math.max(this.#level, levelOf(waiting.folder.path))
    while (this.#levels.length <= level) this.#levels.push([])
    this.#levels[level]!.push(waiting)
  }

  take(): Waiting | undefined {
    for (; this.#level < this.#levels.length; this.#level++, this.#next = 0) {
      const waiting = this.#levels[this.#level]![this.#next++]
      if (waiting) return waiting
      // Visited folders hold their rules and siblings in memory.
      this.#levels[this.#level] = []
    }
    return undefined
  }
}

function levelOf(path: string): number {
  if (path === "") return 0
  let depth = 1
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) depth++
  const isAside = (pathFlags(`${path}/`) & BESIDE) !== 0
  return isAside ? depth + ASIDE_LEVELS : depth
}
