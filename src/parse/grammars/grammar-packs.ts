/*
 * Grammars that the user adds. `addGrammar`: 1. reads and checks `grammar.json`; 2. refuses ids and file names that
 * another grammar has; 3. bounds the work of the module and refuses modules that could run code outside of
 * WebAssembly; 4. tries the grammar in a thread (try-grammar.ts); 5. installs the pack by renaming a folder.
 */

import { createHash } from "node:crypto"
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs"
import { basename, join } from "node:path"
import { AmanError, messageOf, openRegularFile, replaceFile } from "../../base/index.ts"
import { withBoundedWork, withCurrentLinking } from "../file/bounded-work.ts"
import {
  type GrammarPack,
  installedPacks,
  PACK_FILES,
  type PackLanguage,
  packLanguage,
  packsFolder,
} from "../languages/grammar-packs.ts"
import { languageOf, refreshGrammarPacks } from "../languages/languages.ts"
import { type GrammarExample, type GrammarTrial, tryGrammar } from "./try-grammar.ts"

const ABOUT = "grammar.json"
const QUERY = "definitions.scm"
const EXAMPLES = "examples"
const MAX_WASM_BYTES = 64 * 1024 * 1024
const MAX_TEXT_BYTES = 256 * 1024

export type AddedGrammar = GrammarPack & GrammarTrial & { readonly replaced: boolean }

export type ListedGrammars = {
  readonly folder: string
  readonly grammars: readonly GrammarPack[]
  readonly damaged: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * Checks the grammar in a folder (`grammar.json`, one .wasm file, `definitions.scm`) and copies it to the user's data
 * folder. Copies nothing if a part of it cannot be used.
 */
export async function addGrammar(folder: string): Promise<AddedGrammar> {
  const language = readLanguage(folder)
  refuseTaken(language)
  const wasm = boundedModule(readFileIn(folder, wasmName(folder), MAX_WASM_BYTES))
  const query = readTextIn(folder, QUERY)
  const tried = await tryGrammar({ wasm, query, examples: examplesIn(folder) })
  const pack: GrammarPack = { ...language, abi: tried.abi, version: versionOf(language, wasm, query) }
  const replaced = install(pack, wasm, query)
  refreshGrammarPacks()
  return { ...pack, ...tried, replaced }
}

export function listGrammars(): ListedGrammars {
  const { packs, damaged } = installedPacks()
  return { folder: packsFolder(), grammars: packs, damaged }
}

/** Deletes an added grammar. */
export function removeGrammar(id: string): { readonly id: string } {
  const { packs, damaged } = installedPacks()
  const ids = [...packs, ...damaged].map((each) => each.id)
  if (!ids.includes(id)) {
    const hint = ids.length === 0 ? "none has been added" : `added: ${ids.join(", ")}`
    throw new AmanError("NOT_FOUND", `no grammar was added as ${JSON.stringify(id)}`, { hint })
  }
  const aside = join(packsFolder(), `.old-${process.pid}`)
  rmSync(aside, { recursive: true, force: true })
  renameSync(join(packsFolder(), id), aside)
  rmSync(aside, { recursive: true, force: true })
  refreshGrammarPacks()
  return { id }
}

function readLanguage(folder: string): PackLanguage {
  const text = readTextIn(folder, ABOUT)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refusal(`${ABOUT} is no valid JSON: ${messageOf(error)}`)
  }
  const language = packLanguage(value)
  if (typeof language === "string") throw refusal(`${ABOUT}: ${language}`)
  return language
}

/** Throws if a built-in grammar or another pack already reads the files of the language. */
function refuseTaken({ id, extensions, files }: PackLanguage): void {
  refreshGrammarPacks()
  const names = [...extensions.map((extension) => `a.${extension}`), ...files]
  for (const name of names) {
    const { id: owner, grammar } = languageOf(name, "")
    if (grammar === null || (owner === id && grammar.startsWith("pack:"))) continue
    const what = name.startsWith("a.") ? `*${name.slice(1)}` : name
    throw refusal(`${what} is read by the grammar of ${owner}`, "leave out that name; built-in grammars stay")
  }
}

function wasmName(folder: string): string {
  const wasmFiles = readdirIn(folder).filter((name) => name.endsWith(".wasm"))
  if (wasmFiles.length === 1) return wasmFiles[0]!
  throw refusal(
    wasmFiles.length === 0
      ? "the folder contains no .wasm file"
      : `the folder contains ${wasmFiles.length} .wasm files`,
    "put the one that `tree-sitter build --wasm` wrote beside grammar.json",
  )
}

/**
 * The module as it will be loaded: its work is bounded. Throws for a module with parts that could run code outside
 * of WebAssembly.
 */
function boundedModule(bytes: Buffer): Uint8Array {
  try {
    const module = withBoundedWork(withCurrentLinking(bytes))
    refuseScripts(new WebAssembly.Module(module as Uint8Array<ArrayBuffer>))
    return module
  } catch (error) {
    throw refusal(`the .wasm file is not usable: ${messageOf(error)}`)
  }
}

/** The part of a module's "dylink.0" section that names other libraries. */
const NEEDED_LIBRARIES = 2
/** Names of exports whose text web-tree-sitter's module loader would run as JavaScript. */
const SCRIPTS = /^__em_js__|^__(?:start|stop)_em_(?:asm|js)$/

function refuseScripts(module: WebAssembly.Module): void {
  const exports = WebAssembly.Module.exports(module).map(({ name }) => name)
  if (exports.some((name) => SCRIPTS.test(name))) throw new Error("it contains JavaScript")
  if (!exports.some((name) => /^tree_sitter_\w+$/.test(name) && !name.includes("external_scanner")))
    throw new Error("it is no tree-sitter grammar, because it exports no tree_sitter_… function")
  const [linking] = WebAssembly.Module.customSections(module, "dylink.0")
  if (linking === undefined)
    throw new Error("it has no section dylink.0; build it with `tree-sitter build --wasm`")
  const bytes = new Uint8Array(linking)
  // Each part begins with one byte for its kind and one for its length; the first part is shorter than 128 bytes.
  for (let at = 0; at + 1 < bytes.length; at += 2 + bytes[at + 1]!)
    if (bytes[at] === NEEDED_LIBRARIES || bytes[at + 1]! > 127) throw new Error("it needs another library")
}

function examplesIn(folder: string): GrammarExample[] {
  const within = join(folder, EXAMPLES)
  if (!existsSync(within)) return []
  return readdirIn(within)
    .sort()
    .slice(0, 20)
    .map((name) => ({ name, text: readTextIn(within, name) }))
}

function versionOf(language: PackLanguage, wasm: Uint8Array, query: string): string {
  const hash = createHash("sha256").update(JSON.stringify(language)).update("\0").update(query)
  return hash.update("\0").update(wasm).digest("hex").slice(0, 16)
}

/**
 * Writes the pack to a folder beside its place and renames that folder, so that no process sees half a pack. Returns
 * true if a pack was replaced.
 */
function install(pack: GrammarPack, wasm: Uint8Array, query: string): boolean {
  const folder = packsFolder()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [place, fresh, aside] = [pack.id, `.new-${process.pid}`, `.old-${process.pid}`].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  for (const leftover of [fresh, aside]) rmSync(leftover, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  replaceFile(join(fresh, PACK_FILES.about), `${JSON.stringify(pack, null, 2)}\n`)
  replaceFile(join(fresh, PACK_FILES.query), query)
  replaceFile(join(fresh, PACK_FILES.wasm), wasm)
  const replaced = existsSync(place)
  if (replaced) renameSync(place, aside)
  renameSync(fresh, place)
  rmSync(aside, { recursive: true, force: true })
  return replaced
}

function readTextIn(folder: string, name: string): string {
  const bytes = readFileIn(folder, name, MAX_TEXT_BYTES)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw refusal(`${name} is not UTF-8 text`)
  }
}

function readFileIn(folder: string, name: string, maxBytes: number): Buffer {
  let file: number
  try {
    file = openRegularFile(join(folder, name))
  } catch (error) {
    const hint = `a grammar's folder contains ${ABOUT}, a .wasm file and ${QUERY}`
    throw refusal(`${name} cannot be read: ${messageOf(error)}`, hint)
  }
  try {
    if (fstatSync(file).size > maxBytes) throw refusal(`${name} is larger than ${maxBytes / 1024} KiB`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

function readdirIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw refusal(
      `${basename(folder)} cannot be read: ${messageOf(error)}`,
      `name the folder that contains ${ABOUT}`,
    )
  }
}

function refusal(message: string, hint = "the folder's form is described in docs/grammars.md"): AmanError {
  return new AmanError("USAGE", message, { hint })
}
