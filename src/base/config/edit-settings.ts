import { lstatSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type Document, isMap, parseDocument, type YAMLMap } from "yaml"
import { AmanError } from "../errors.ts"
import { writeNewFile } from "../files/files.ts"
import { OpenFolder } from "../files/open-folder.ts"
import { cannotWrite } from "../system-error.ts"
import { checkSetting } from "./schema.ts"
import type { Form } from "./setting-form.ts"
import { isSettingKey, SETTINGS, type SettingKey } from "./settings.ts"
import { allowedKey, inspectSettingsFile, isRetired, type SettingsFile, unknownKey } from "./settings-file.ts"

/**
 * Writes one setting into a settings file; creates the file if necessary. Comments and other settings are kept. With
 * `isAdded` the words are added to the list that the file contains.
 */
export function editSettings(
  file: SettingsFile,
  key: string,
  words: readonly string[],
  isAdded = false,
): SettingKey {
  const known = allowedKey(key, file.path, file)
  const written = asWritten(known, isAdded ? [...listIn(file, known), ...words] : words)
  const path = targetOf(file)
  const document = parse(path)
  if (document.errors.length > 0) throw inspectSettingsFile(file).problems[0]!
  if (document.has(key)) document.set(key, written)
  else document.setIn(pathTo(document, key), written)
  replace(path, document.toString({ lineWidth: 110 }))
  return known
}

/** The items of a list that the file contains. Throws USAGE if the setting is no list. */
function listIn(file: SettingsFile, key: SettingKey): readonly string[] {
  if (SETTINGS[key].form !== "list") {
    throw new AmanError("USAGE", `${key} is not a list`, { hint: `set it: aman config set ${key} VALUE` })
  }
  return inspectSettingsFile(file).entries.flatMap((each) =>
    each.key === key ? (each.value as string[]) : [],
  )
}

/**
 * Removes one setting from a settings file; false if the file does not contain it. Other settings are kept, and
 * comments where possible.
 */
export function removeSetting(file: SettingsFile, key: string): boolean {
  if (!isRetired(key) && !isSettingKey(key)) throw unknownKey(key, file.path)
  const path = targetOf(file)
  const document = parse(path)
  if (document.errors.length > 0) throw inspectSettingsFile(file).problems[0]!
  const parts = document.has(key) ? [key] : key.split(".")
  if (!document.hasIn(parts)) return false
  document.deleteIn(parts)
  for (let depth = parts.length - 1; depth > 0; depth--) {
    const section = document.getIn(parts.slice(0, depth))
    if (isMap(section) && section.items.length === 0) document.deleteIn(parts.slice(0, depth))
  }
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0
  // An empty document would be written as "{}", without the comments that were above its settings.
  const comments = () => readFileSync(path, "utf8").match(/^#.*$/gm) ?? []
  const text = isEmpty
    ? comments()
        .map((line) => `${line}\n`)
        .join("")
    : document.toString({ lineWidth: 110 })
  replace(path, text)
  return true
}

/**
 * The value in the form in which the file contains it: a list for a list, numbers and booleans without quotes, sizes
 * such as "512MB" as typed.
 */
function asWritten(key: SettingKey, words: readonly string[]): unknown {
  const form: Form = SETTINGS[key]
  const where = `aman config set ${key}`
  if (form.form === "list") return checkSetting(key, { value: [...new Set(words)], where })
  if (words.length !== 1) {
    throw new AmanError("USAGE", `${key} takes one value, not ${words.length}`, {
      hint: `for example: aman config set ${key} ${String(SETTINGS[key].value()) || "VALUE"}`,
    })
  }
  const checked = checkSetting(key, { value: words[0], where })
  const isBare = form.form === "whole" || form.form === "switch"
  return isBare ? checked : words[0]
}

/**
 * The path of the key in the document. Missing sections are created. A section without settings has the value null and
 * is replaced by an empty map.
 */
function pathTo(document: Document, key: string): string[] {
  const parts = key.split(".")
  if (!isMap(document.contents)) document.contents = document.createNode({}) as unknown as YAMLMap
  for (let depth = 1; depth < parts.length; depth++) {
    const section = parts.slice(0, depth)
    if (!isMap(document.getIn(section))) document.setIn(section, document.createNode({}))
  }
  return parts
}

/** The file to write. A user's settings file may be a link to the real file; a project's may not. */
function targetOf({ path, by }: SettingsFile): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.isFile()) return path
  if (by === "user" && stat.isSymbolicLink()) return realpathSync(path)
  throw new AmanError("IO", `${path} is not a plain file`, { hint: "remove it, and try again" })
}

function parse(path: string): Document {
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return parseDocument(exists ? readFileSync(path, "utf8") : "")
}

function replace(path: string, text: string): void {
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o777 })
    const temporary = join(folder.at, `.aman-${process.pid}.tmp`)
    try {
      const target = join(folder.at, basename(path))
      writeNewFile(temporary, text, lstatSync(target, { throwIfNoEntry: false }))
      renameSync(temporary, target)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  } catch (cause) {
    throw cannotWrite(path, cause, "make its folder writable")
  }
}
