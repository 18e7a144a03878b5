import { statSync } from "node:fs"
import { join } from "node:path"
import { userDataDir } from "../../base/paths.ts"
import { type Captured, captureSource } from "../../knowledge/anchors/capture.ts"
import { SourceChecker } from "../../knowledge/anchors/check.ts"
import type { Place } from "../../knowledge/anchors/place.ts"
import type { SourceState } from "../../knowledge/anchors/source-state.ts"
import type { EntrySource } from "../../knowledge/entry.ts"
import { openProject, type Project } from "../open-project.ts"
import { type CodeSymbol, codeSymbols } from "./code-symbols.ts"

/** The code that entries speak of, as it is in one project now. */
export class Sources implements Disposable {
  readonly #root: string | null
  #project: Project | null = null
  #place: Place | null = null
  #checker: SourceChecker | null = null

  constructor(root: string | null) {
    this.#root = root
  }

  /** What a source speaks of, as somebody typed it; what belongs to all projects is of no folder. */
  capture(typed: string, isGlobal = false): Promise<Captured> {
    return captureSource(isGlobal ? null : this.#here(), typed)
  }

  /** Whether it still reads as it did; `isHere`: the entry belongs to this project. */
  state(source: EntrySource, isHere: boolean): Promise<SourceState> {
    this.#checker ??= new SourceChecker(this.#here())
    const checker = isHere ? this.#checker : new SourceChecker(null)
    return checker.check(source, performance.now())
  }

  /** What the project's index knows under a name of the code. */
  symbols(name: string): readonly CodeSymbol[] {
    const project = this.#opened()
    return project === null ? [] : codeSymbols(project, name)
  }

  get notices(): readonly string[] {
    return this.#checker?.notices ?? []
  }

  [Symbol.dispose](): void {
    this.#project?.close()
  }

  #here(): Place | null {
    const project = this.#opened()
    if (project === null) return null
    this.#place ??= placeOf(project)
    return this.#place
  }

  #opened(): Project | null {
    if (this.#root === null) return null
    this.#project ??= openProject({ cwd: this.#root, root: this.#root })
    return this.#project
  }
}

function placeOf(project: Project): Place {
  const { root, config } = project
  return {
    root,
    ownFolders: [config.index.dir, userDataDir()],
    maxFileBytes: config.index.maxFileBytes,
    findSymbol: (name) => {
      const store = project.reader()?.store
      if (store === undefined) return []
      const found = store.symbols.findByName(name, 20)
      const paths = new Map(
        store.files.named(found.map(({ fileId }) => fileId)).map(({ id, path }) => [id, path]),
      )
      return found.flatMap(({ fileId, startLine, endLine }) => {
        const path = paths.get(fileId)
        return path === undefined ? [] : [{ path, startLine, endLine }]
      })
    },
    definitionsOf: (path) => {
      const store = project.reader()?.store
      const file = store?.files.byPath(path)
      if (!store || !file) return null
      const stat = statSync(join(root, path), { throwIfNoEntry: false })
      const isCurrent = stat?.size === file.size && stat.mtimeMs === file.mtimeMs
      return isCurrent ? store.symbols.ofFile(file.id) : null
    },
  }
}
