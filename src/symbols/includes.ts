import type { FileView } from "./file-view.ts"
import type { ModuleFinder } from "./module-files.ts"

/** The files that a file includes. `isOpen`: some of them are not known. */
type Included = { readonly views: readonly FileView[]; readonly isOpen: boolean }

/** Ids of the files that a file includes, with all that these include. */
type Reached = { readonly files: ReadonlySet<number>; readonly isOpen: boolean }

type Sources = { readonly file: (path: string) => FileView | null; readonly modules: ModuleFinder }

/** Max number of files that one file includes. */
const MAX_FILES = 2_000

const SOURCE_ENDINGS = [".c", ".cc", ".cpp", ".cxx", ".m", ".mm"]

/** Follows imports that make known all names of a file and of what that file imports, as includes of C do. */
export class Includes {
  readonly #sources: Sources
  readonly #reached = new WeakMap<FileView, Reached>()
  readonly #included = new WeakMap<FileView, Included>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** True if a file includes another one; a source file of C counts with the header of its name. */
  reaches(file: FileView, home: FileView): boolean {
    return file.id === home.id || this.reached(file).files.has(home.id)
  }

  reached(file: FileView): Reached {
    let reached = this.#reached.get(file)
    if (reached === undefined) {
      reached = this.#reachedFrom(file)
      this.#reached.set(file, reached)
    }
    return reached
  }

  #reachedFrom(file: FileView): Reached {
    const views = new Set([file])
    let isOpen = false
    // The loop also visits the files that it adds.
    for (const each of views) {
      const included = this.#includedBy(each)
      isOpen ||= included.isOpen || views.size > MAX_FILES
      if (views.size > MAX_FILES) break
      for (const view of included.views) views.add(view)
    }
    const sources = [...views].flatMap((each) => this.#sourcesOf(each))
    return { files: new Set([...views, ...sources].map(({ id }) => id)), isOpen }
  }

  #includedBy(file: FileView): Included {
    let included = this.#included.get(file)
    if (included === undefined) {
      const { modules, file: view } = this.#sources
      const targets = file.imports.map((module) => modules.moduleOf(module, file.path, file.family))
      const found = targets.flatMap((target) => (target === null || target === "outside" ? [] : target))
      included = {
        views: [...new Set(found.flatMap(({ paths }) => paths))].flatMap((path) => view(path) ?? []),
        isOpen: targets.includes(null) || found.some(({ isGuess }) => isGuess === true),
      }
      this.#included.set(file, included)
    }
    return included
  }

  #sourcesOf({ family, path, bare }: FileView): readonly FileView[] {
    if (family !== "c" || !/\.h\w*$/.test(path)) return []
    return SOURCE_ENDINGS.flatMap((ending) => this.#sources.file(bare + ending) ?? [])
  }
}
