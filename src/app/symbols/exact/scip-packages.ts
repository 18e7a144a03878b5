import { posix } from "node:path"
import type { ScipPackage } from "../../../symbols/exact/write-scip.ts"

/** Fields of a manifest that say which package it describes. */
type Manifest = { readonly [key: string]: unknown }

const MANIFESTS: readonly {
  readonly file: string
  readonly manager: string
  /** The table with `name` and `version`; null for the manifest itself. */
  readonly table: string | null
}[] = [
  { file: "package.json", manager: "npm", table: null },
  { file: "Cargo.toml", manager: "cargo", table: "package" },
  { file: "pyproject.toml", manager: "pip", table: "project" },
]

/** The packages that the files of a project belong to, by the nearest manifest that names one. */
export class ScipPackages {
  readonly #read: (path: string) => string | null
  readonly #byFolder = new Map<string, ScipPackage | null>()

  constructor(read: (path: string) => string | null) {
    this.#read = read
  }

  /** The package of a file, and the path of the file in it; no package and the whole path if no manifest names one. */
  of(file: string): { readonly path: string; readonly within: ScipPackage | undefined } {
    for (let folder = posix.dirname(file); ; folder = posix.dirname(folder)) {
      const within = this.#in(folder)
      if (within !== null) return { path: posix.relative(folder, file), within }
      if (folder === ".") return { path: file, within: undefined }
    }
  }

  #in(folder: string): ScipPackage | null {
    let scipPackage = this.#byFolder.get(folder)
    if (scipPackage === undefined) {
      scipPackage = this.#find(folder)
      this.#byFolder.set(folder, scipPackage)
    }
    return scipPackage
  }

  #find(folder: string): ScipPackage | null {
    for (const { file, manager, table } of MANIFESTS) {
      const fields = parsed(file, this.#read(posix.join(folder, file)))
      const { name, version } = ((table === null ? fields : fields?.[table]) ?? {}) as Manifest
      if (typeof name === "string" && name !== "")
        return { manager, name, version: typeof version === "string" && version !== "" ? version : "." }
    }
    const module = /^module\s+"?([^\s"]+)/m.exec(this.#read(posix.join(folder, "go.mod")) ?? "")?.[1]
    return module === undefined ? null : { manager: "gomod", name: module, version: "." }
  }
}

function parsed(file: string, text: string | null): Manifest | null {
  if (text === null) return null
  try {
    return (file.endsWith(".toml") ? Bun.TOML.parse(text) : JSON.parse(text)) as Manifest | null
  } catch {
    return null
  }
}
