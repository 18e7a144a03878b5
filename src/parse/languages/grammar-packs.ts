import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { messageOf, userDataDir } from "../../base/index.ts"

const KINDS = ["code", "docs", "data"] as const

/** The description of a language in the `grammar.json` of a grammar pack that the user adds. */
export type PackLanguage = {
  readonly id: string
  readonly kind: (typeof KINDS)[number]
  readonly aliases: readonly string[]
  readonly extensions: readonly string[]
  readonly files: readonly string[]
  readonly interpreters: readonly string[]
}

/** An installed grammar pack. `version`: the first 16 hexadecimal digits of the hash of its whole content. */
export type GrammarPack = PackLanguage & { readonly version: string; readonly abi: number }

export type InstalledPacks = {
  readonly packs: readonly GrammarPack[]
  /** Folders of packs that cannot be used, each with the reason. */
  readonly damaged: readonly { readonly id: string; readonly reason: string }[]
}

/** Names of the files in the folder of an installed pack. */
export const PACK_FILES = { about: "pack.json", wasm: "grammar.wasm", query: "definitions.scm" } as const

const MAX_NAMES = 50
const MAX_ABOUT_BYTES = 64 * 1024
const ID = /^[a-z][a-z0-9+#_-]{0,39}$/
const EXTENSION = /^[a-z0-9_+#-]{1,20}(?:\.[a-z0-9_+#-]{1,20}){0,3}$/
const NAME = /^[^/\\\u0000-\u001f\u007f]{1,100}$/

/** The folder that contains the user's packs. A project cannot bring packs of its own. */
export function packsFolder(): string {
  return join(userDataDir(), "grammars")
}

/**
 * A value that changes whenever a pack is added or removed. 0 if no pack was ever added, or if the folder cannot be
 * used, for example because a file has its name.
 */
export function packsStamp(): number {
  try {
    return statSync(packsFolder(), { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    return 0
  }
}

export function installedPacks(): InstalledPacks {
  const packs: GrammarPack[] = []
  const damaged: { id: string; reason: string }[] = []
  for (const id of packFolders()) {
    const read = readPack(id)
    if (typeof read === "string") damaged.push({ id, reason: read })
    else packs.push(read)
  }
  return { packs, damaged }
}

/** Path of a file in the pack to which a grammar's key belongs; null for the key of a built-in grammar. */
export function packFile(key: string, file: keyof typeof PACK_FILES): string | null {
  const [, id] = /^pack:([^:]+):/.exec(key) ?? []
  return id === undefined ? null : join(packsFolder(), id, PACK_FILES[file])
}

/**
 * Key of the grammar in a pack. It changes with the content of the pack, so that the compiled copy of an older grammar
 * is not used.
 */
export function packKey({ id, version }: GrammarPack): string {
  return `pack:${id}:${version}`
}

/** Checks the fields of a `grammar.json`. If the result is a string, it is an error message. */
export function packLanguage(value: unknown): PackLanguage | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "it is no JSON object"
  const { id, kind = "code", ...lists } = value as Record<string, unknown>
  if (typeof id !== "string" || !ID.test(id))
    return `"id" must be a short name in lower case, such as "talon"`
  if (!KINDS.includes(kind as PackLanguage["kind"])) return `"kind" must be one of ${KINDS.join(", ")}`
  const names = (field: string, pattern: RegExp) => {
    const list = lists[field] ?? []
    const isFine =
      Array.isArray(list) &&
      list.length <= MAX_NAMES &&
      list.every((name) => typeof name === "string" && pattern.test(name))
    return isFine ? (list as readonly string[]) : null
  }
  const aliases = names("aliases", ID)
  const extensions = names("extensions", EXTENSION)
  const files = names("files", NAME)
  const interpreters = names("interpreters", NAME)
  if (aliases === null) return `"aliases" must be at most ${MAX_NAMES} short names in lower case`
  if (extensions === null)
    return `"extensions" must be at most ${MAX_NAMES} extensions in lower case without the first dot`
  if (files === null) return `"files" must be at most ${MAX_NAMES} file names without folders`
  if (interpreters === null) return `"interpreters" must be at most ${MAX_NAMES} names of programs`
  if (extensions.length + files.length + interpreters.length === 0)
    return `"extensions", "files" or "interpreters" must name the files of the language`
  return { id, kind: kind as PackLanguage["kind"], aliases, extensions, files, interpreters }
}

function packFolders(): string[] {
  try {
    return readdirSync(packsFolder(), { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() && ID.test(entry.name) ? [entry.name] : []))
      .sort()
  } catch {
    return []
  }
}

function readPack(id: string): GrammarPack | string {
  const path = join(packsFolder(), id, PACK_FILES.about)
  try {
    const { size } = statSync(path)
    if (size > MAX_ABOUT_BYTES) return `${PACK_FILES.about} is too large`
    const value = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>
    const language = packLanguage(value)
    if (typeof language === "string") return `${PACK_FILES.about}: ${language}`
    const { version, abi } = value
    if (language.id !== id || typeof version !== "string" || typeof abi !== "number")
      return `${PACK_FILES.about} is not the one that aman wrote`
    return { ...language, version, abi }
  } catch (error) {
    return `${PACK_FILES.about} cannot be read: ${messageOf(error)}`
  }
}
