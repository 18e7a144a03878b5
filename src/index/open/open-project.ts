import { existsSync } from "node:fs"
import {
  AmanError,
  type Config,
  type ConfigFlags,
  type ErrorCode,
  type IndexProgress,
  isPlain,
  loadConfig,
  log,
  type OpenFolder,
} from "../../base/index.ts"
import { type IndexPlace, indexPath, openIndexFolder } from "../index-folder.ts"
import { packedTree } from "../team/packed-tree.ts"
import { knownIndexId, ownIndexDir } from "../update/index-trust.ts"
import { FROM_ROOT } from "./project-path.ts"
import { queryEmbedders } from "./query-embedders.ts"
import { type IndexAccess, IndexReader } from "./reader.ts"
import { findRoot, isTooWide } from "./root.ts"
import type { QueryEmbedders } from "./sources.ts"

const ABSENT: ReadonlySet<ErrorCode> = new Set(["INDEX_MISSING", "INDEX_FOREIGN"])

export type ProjectOptions = ConfigFlags & {
  /** Root given by the user; absent: found from `cwd`. */
  readonly root?: string | undefined
  readonly cwd: string
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined
  /**
   * True for a long-running process: it does not memory-map index.db, because truncation of a mapped file
   * would kill it.
   */
  readonly isServer?: boolean
  /** True for a packed tree whose index nothing replaces while the project is open, so that it is not checked for changes. */
  readonly isFixed?: boolean
  /** Name of the project, for ranking; absent: the path of its root. */
  readonly name?: string
}

/** Opens a project. Cheap: stores are opened by the first use case that needs them. */
export function openProject(options: ProjectOptions): Project {
  const { root, cwd, onProgress, isServer = false, isFixed = false, name, ...flags } = options
  const located = findRoot({ root, cwd })
  const config = withOwnIndex(located.root, loadConfig(located.root, flags))
  log.level = config.log.level
  for (const ignored of config.ignored) warnOnce(ignored)
  log.debug("opened", { root: located.root, index: config.index.dir })
  const access = { isMapped: !isServer, isFixed, name }
  if (isFixed) packedTree.use(located.root)
  return new Project(located.root, located.folder, config, onProgress ?? (() => {}), access)
}

const warned = new Set<string>()

/** A server opens a project many times; each ignored setting is reported once. */
function warnOnce(ignored: string): void {
  if (warned.has(ignored)) return
  warned.add(ignored)
  log.warn("a setting is ignored", { reason: ignored })
}

function withOwnIndex(root: string, config: Config): Config {
  if (config.index.isNamed) return config
  const dir = ownIndexDir({ root, dir: config.index.dir })
  return dir === config.index.dir ? config : Object.freeze({ ...config, index: { ...config.index, dir } })
}

export class Project {
  readonly root: string
  /** Working directory relative to the root; "" at the root and outside of it. */
  readonly folder: string
  readonly config: Config
  readonly onProgress: (progress: IndexProgress) => void
  /** Kept when the reader is replaced, because it caches query vectors and recent failures of the embedder. */
  readonly #queryEmbedders: QueryEmbedders
  readonly #access: IndexAccess
  #reader: IndexReader | null = null

  constructor(
    root: string,
    folder: string,
    config: Config,
    onProgress: (progress: IndexProgress) => void,
    access: IndexAccess = { isMapped: true, isFixed: false },
  ) {
    this.#access = access
    this.root = root
    this.folder = folder
    this.config = config
    this.onProgress = onProgress
    this.#queryEmbedders = queryEmbedders(config)
  }

  /** The project's folder, and the folder of its index. */
  get indexPlace(): IndexPlace {
    return { root: this.root, dir: this.config.index.dir }
  }

  /** Says in a hint which paths a user or an agent may give. Servers do not use the working directory. */
  get pathRule(): string {
    const isServer = !this.#access.isMapped
    return this.folder === "" || isServer
      ? FROM_ROOT
      : "paths are relative to the working directory or else the project root"
  }

  /**
   * Throws NO_ROOT if the root is the home folder, a folder above it or the top of a drive, and `aman index` has not
   * indexed it: a question must not be the reason to index all files of a user or a machine.
   */
  requireNarrowRoot(): void {
    if (!isTooWide(this.root) || existsSync(indexPath(this.config.index.dir))) return
    throw new AmanError("NO_ROOT", `${this.root} is not a single project`, {
      hint: `use --root with a folder in it; to index all of it all the same: aman index --root ${this.root}`,
    })
  }

  /** Read side of the index; null while there is no index. */
  reader(): IndexReader | null {
    if (this.#reader !== null && !this.#access.isFixed && !this.#reader.isCurrent) this.close()
    this.#reader ??= openReader(this.indexPlace, this.#queryEmbedders, this.#access)
    return this.#reader
  }

  close(): void {
    this.#reader?.close()
    this.#reader = null
    packedTree.close(this.root)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Reader of the index; null if there is none, or if a link or a file stands in its folder's place (a leader reports that). */
function openReader(place: IndexPlace, ask: QueryEmbedders, access: IndexAccess): IndexReader | null {
  const folder = folderOrNull(place)
  if (folder === null) return null
  let reader: IndexReader | null = null
  try {
    const path = indexPath(folder.at)
    const id = isPlain(path) ? knownIndexId(place) : null
    if (id !== null) reader = new IndexReader(folder, path, place.root, id, ask, access)
  } catch (error) {
    // An index file that has no tables yet counts as missing, and so does an index that is not ours.
    if (!(error instanceof AmanError && ABSENT.has(error.code))) throw error
  } finally {
    if (reader === null) folder[Symbol.dispose]()
  }
  return reader
}

function folderOrNull(place: IndexPlace): OpenFolder | null {
  try {
    return openIndexFolder(place)
  } catch {
    return null
  }
}
