import { basename } from "node:path"
import { BESIDE, FILE_FLAG } from "../../base/file-flag.ts"
import { isObject, type JsonObject, parseJson } from "../../knowledge/exchange/json-value.ts"
import type { FileAmount } from "../../store/file-rows.ts"
import { readSource } from "../../text/read-source.ts"
import type { Project } from "../open-project.ts"
import { readmeAbout } from "./readme-about.ts"

export type Manifest = { readonly path: string; readonly fields: JsonObject }

const DEEPEST = 2
const MOST = 24
const LONGEST_ABOUT = 240

/** What a project's own files say of it: package.json, Cargo.toml, pyproject.toml, the README. Each is read once. */
export class Manifests {
  readonly #project: Project
  readonly #files: readonly FileAmount[]
  #paths: ReadonlySet<string> | null = null
  readonly #read = new Map<string, readonly Manifest[]>()

  constructor(project: Project, files: readonly FileAmount[]) {
    this.#project = project
    this.#files = files
  }

  /** Those of that name near the top, the nearest first; what does not parse is as if it were not there. */
  named(name: string): readonly Manifest[] {
    let found = this.#read.get(name)
    if (!found) {
      found = this.paths(name).flatMap((path) => {
        const fields = parse(path, this.text(path) ?? "")
        return fields === null ? [] : [{ path, fields }]
      })
      this.#read.set(name, found)
    }
    return found
  }

  /** Indexed files of that name near the top and not beside the project. */
  paths(name: string): string[] {
    const depth = (path: string) => path.split("/").length - 1
    return this.#files
      .filter(
        ({ path, flags }) =>
          (path === name || path.endsWith(`/${name}`)) && depth(path) <= DEEPEST && (flags & OUTSIDE) === 0,
      )
      .map(({ path }) => path)
      .sort((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
      .slice(0, MOST)
  }

  text(path: string): string | null {
    const source = readSource(this.#project.root, path, this.#project.config.index.maxFileBytes)
    return "reason" in source ? null : source.text
  }

  has(path: string): boolean {
    this.#paths ??= new Set(this.#files.map((file) => file.path))
    return this.#paths.has(path)
  }

  /** As the manifest at the top calls the project. */
  get name(): string | null {
    return textOf(this.#tops().map(({ name }) => (SAYS_NOTHING.test(`${name}`) ? null : name)))
  }

  /** What it is, in its own words; of a workspace those of the member that has its name. */
  get about(): string | null {
    return textOf(this.#tops().map(({ description }) => description)) ?? this.#readme() ?? this.#member()
  }

  /** The tables at the top that name and describe it, that of the language most files are in first. */
  #tops(): JsonObject[] {
    const top = (name: string) => this.named(name).find(({ path }) => path === name)?.fields
    const filesIn = (languages: readonly string[]) =>
      this.#files.filter(({ language, flags }) => (flags & OUTSIDE) === 0 && languages.includes(language))
        .length
    return [
      { table: top("package.json"), files: filesIn(["javascript", "typescript", "tsx", "vue", "svelte"]) },
      { table: top("Cargo.toml")?.["package"], files: filesIn(["rust"]) },
      { table: top("pyproject.toml")?.["project"], files: filesIn(["python"]) },
      { table: top("composer.json"), files: filesIn(["php"]) },
      { table: this.#gem(), files: filesIn(["ruby"]) },
    ]
      .sort((one, other) => other.files - one.files)
      .flatMap(({ table }) => (isObject(table) ? [table] : []))
  }

  /** What a gem's specification, which is a program, says in plain text. */
  #gem(): JsonObject | null {
    const path = this.#files.find((file) => /^[^/]+\.gemspec$/.test(file.path))?.path
    const text = path === undefined ? null : this.text(path)
    if (text === null) return null
    const said = (field: string) => {
      const value =
        new RegExp(`\\.${field}\\s*=\\s*(["'])((?:(?!\\1)[^\\n]){1,1000})\\1`).exec(text)?.[2] ?? null
      return value?.includes("#{") ? null : value
    }
    return { name: said("name"), description: said("summary") ?? said("description") }
  }

  #member(): string | null {
    const { name } = this
    if (name === null) return null
    const unscoped = name.slice(name.lastIndexOf("/") + 1)
    const member = this.#files.find(
      ({ path, flags }) =>
        path.endsWith(`/${unscoped}/package.json`) &&
        path.split("/").length <= DEEPEST + 1 &&
        (flags & OUTSIDE) === 0,
    )
    const fields = member && parse(member.path, this.text(member.path) ?? "")
    return textOf([fields?.["description"]])
  }

  #readme(): string | null {
    const path = this.#files.find((file) =>
      /^readme(?:\.(?:md|markdown|rst|txt|adoc))?$/i.test(file.path),
    )?.path
    const text = path === undefined ? null : this.text(path)
    const about = text === null ? null : readmeAbout(text, this.name ?? basename(this.#project.root))
    return about === null ? null : short(about)
  }
}

/** Names that a workspace's top has because it has to have one. */
const SAYS_NOTHING = /^(?:@[^/]+\/)?(?:root|mono-?repo|workspaces?|repo)$/i
/** A manifest may well be written by a tool. */
const OUTSIDE = BESIDE & ~(FILE_FLAG.scripts | FILE_FLAG.generated)

function parse(path: string, text: string): JsonObject | null {
  const fields = path.endsWith(".toml") ? parseToml(text) : parseJson(text)
  return isObject(fields) ? fields : null
}

function parseToml(text: string): unknown {
  try {
    return Bun.TOML.parse(text)
  } catch {
    return undefined
  }
}

function textOf(values: readonly unknown[]): string | null {
  const text = values.find((value) => typeof value === "string" && value.trim() !== "")
  return typeof text === "string" ? short(text) : null
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= LONGEST_ABOUT ? line : `${line.slice(0, LONGEST_ABOUT)}…`
}
