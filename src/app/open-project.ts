import { AmanError, type ErrorCode } from "../base/errors.ts"
import { isPlain } from "../base/file-identity.ts"
import { log } from "../base/log.ts"
import { type Config, loadConfig } from "../config/load.ts"
import type { ConfigFlags } from "../config/resolve.ts"
import { indexPath } from "../indexing/index-folder.ts"
import { IndexReader } from "../search/reader.ts"
import type { AskOther } from "../search/sources.ts"
import type { IndexProgress } from "./answers.ts"
import { askOther } from "./ask-other.ts"
import { type IndexPlace, knownIndexId } from "./index-trust.ts"
import { ownIndexDir } from "./own-index-dir.ts"
import { findRoot } from "./root.ts"

const ABSENT: ReadonlySet<ErrorCode> = new Set(["INDEX_MISSING", "INDEX_FOREIGN"])

export type ProjectOptions = ConfigFlags & {
  /** As the user named it; else it is found from `cwd`. */
  readonly root?: string | undefined
  readonly cwd: string
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined
}

/** A project by its root. Cheap to make: stores are opened by the first use case that needs them. */
export function openProject(options: ProjectOptions): Project {
  const { root, cwd, onProgress, ...flags } = options
  const found = findRoot({ root, cwd })
  const config = withOwnIndex(found.root, loadConfig(found.root, flags))
  log.level = config.log.level
  log.debug("opened", { root: found.root, index: config.index.dir })
  return new Project(found.root, found.folder, config, onProgress ?? (() => {}))
}

function withOwnIndex(root: string, config: Config): Config {
  if (config.index.isNamed) return config
  const dir = ownIndexDir({ root, dir: config.index.dir })
  return dir === config.index.dir ? config : Object.freeze({ ...config, index: { ...config.index, dir } })
}

export class Project {
  readonly root: string
  /** Where in the root we were started; "" at its top. */
  readonly folder: string
  readonly config: Config
  readonly onProgress: (progress: IndexProgress) => void
  /** Kept over readers: it remembers queries, and that an embedder failed just now. */
  readonly #askOther: AskOther
  #reader: IndexReader | null = null

  constructor(root: string, folder: string, config: Config, onProgress: (progress: IndexProgress) => void) {
    this.root = root
    this.folder = folder
    this.config = config
    this.onProgress = onProgress
    this.#askOther = askOther(config)
  }

  /** The index's read side, or null while there is none. */
  reader(): IndexReader | null {
    if (this.#reader !== null && !this.#reader.isCurrent) this.close()
    this.#reader ??= openReader({ root: this.root, dir: this.config.index.dir }, this.#askOther)
    return this.#reader
  }

  close(): void {
    this.#reader?.close()
    this.#reader = null
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

function openReader(place: IndexPlace, ask: AskOther): IndexReader | null {
  const path = indexPath(place.dir)
  if (!isPlain(path)) return null
  const id = knownIndexId(place)
  if (id === null) return null
  try {
    return new IndexReader(place.dir, path, place.root, id, ask)
  } catch (error) {
    // The moment between the file's birth and its tables' counts as none, and so does an index that is not ours.
    if (error instanceof AmanError && ABSENT.has(error.code)) return null
    throw error
  }
}
