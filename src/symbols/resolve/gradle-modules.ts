import { posix } from "node:path"
import type { ReadText } from "./packages.ts"

const MAX_BUILD_CHARS = 200_000

type Module = {
  readonly folder: string
  /** Paths of the modules that the build file names, such as `data/fast` for `:data:fast`. */
  readonly needs: readonly string[]
}

/** The modules of Gradle builds, and which of them the code of a module may use. */
export class GradleModules {
  readonly #modules: readonly Module[]
  readonly #reached = new Map<Module, ReadonlySet<Module>>()

  /** `builds`: the paths of all build files. */
  constructor(builds: readonly string[], read: ReadText) {
    this.#modules = builds
      .map((path) => ({ folder: posix.dirname(path), needs: neededIn(read(path)) }))
      .sort((one, other) => other.folder.length - one.folder.length)
  }

  /**
   * False if the module of `from` needs other modules, but not that of `home`, not even through others. True if nothing
   * is known: build files may also get their dependencies from plugins.
   */
  mayUse(from: string, home: string): boolean {
    const [own, other] = [this.#moduleOf(from), this.#moduleOf(home)]
    if (own === null || other === null || own === other || own.needs.length === 0) return true
    return this.#reachedFrom(own).has(other)
  }

  #moduleOf(path: string): Module | null {
    return this.#modules.find(({ folder }) => folder !== "." && path.startsWith(`${folder}/`)) ?? null
  }

  #reachedFrom(module: Module): ReadonlySet<Module> {
    let reached = this.#reached.get(module)
    if (!reached) {
      const found = new Set([module])
      for (const each of found)
        for (const needed of each.needs)
          for (const other of this.#modules) if (isNamed(other, needed)) found.add(other)
      reached = found
      this.#reached.set(module, reached)
    }
    return reached
  }
}

/** True if a module of the build may have this path: builds may be below the project's root. */
function isNamed({ folder }: Module, needed: string): boolean {
  return folder === needed || folder.endsWith(`/${needed}`)
}

const PROJECT = /\bproject\(\s*(?:path\s*[:=]\s*)?["']:([\w:.-]+)["']|\bprojects\.([\w.]+)/g

function neededIn(text: string | null): string[] {
  if (text === null || text.length > MAX_BUILD_CHARS) return []
  const names = Array.from(text.matchAll(PROJECT), ([, path, accessor]) =>
    path === undefined ? pathOfAccessor(accessor!) : path.replaceAll(":", "/"),
  )
  return [...new Set(names)]
}

/** The path that a type-safe accessor stands for: `projects.data.fastRows` is `:data:fast-rows`. */
function pathOfAccessor(accessor: string): string {
  return accessor
    .split(".")
    .map((part) => part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
    .join("/")
}
