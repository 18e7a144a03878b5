/** Thread that extracts one repository and ends, so that its parser's memory is released. */
import { writeFileSync } from "node:fs"
import { extractPairs, type Repository } from "./extract.ts"
import { PAIR_KINDS, packPairs } from "./pair.ts"

export type ExtractTask = {
  readonly repository: Repository
  readonly gitDir: string
  readonly forbidden: ReadonlySet<string>
  readonly target: string
}

export type ExtractReport = {
  readonly name: string
  readonly files: number
  readonly excluded: number
  readonly kinds: readonly number[]
  readonly error: string | null
}

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<ExtractTask>) => {
  const { repository, gitDir, forbidden, target } = data
  try {
    const { pairs, files, excluded } = await extractPairs(repository, gitDir, forbidden)
    writeFileSync(target, packPairs(pairs))
    const kinds = PAIR_KINDS.map((kind) => pairs.filter((pair) => pair.kind === kind).length)
    postMessage({ name: repository.name, files, excluded, kinds, error: null } satisfies ExtractReport)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    postMessage({
      name: repository.name,
      files: 0,
      excluded: 0,
      kinds: [],
      error: message,
    } satisfies ExtractReport)
  }
}
