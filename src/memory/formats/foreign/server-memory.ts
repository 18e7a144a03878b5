import type { ForeignFormat } from "../import-format.ts"
import type {
  Imported,
  ImportedEntity,
  ImportedEntry,
  ImportedRelation,
  Remark,
  SourceFile,
} from "../imported.ts"
import { isObject, type JsonObject, listOf, parseJson, textOf } from "../json-value.ts"

/**
 * The memory server of the Model Context Protocol: a file of lines {"type":"entity"…} and {"type":"relation"…}, or
 * the answer of its read_graph, {"entities":[…],"relations":[…]}. Each observation becomes an entry about its entity.
 */
export const SERVER_MEMORY: ForeignFormat = {
  name: "server-memory",
  detects: ({ firstObject: { type }, whole }) =>
    type === "entity" ||
    type === "relation" ||
    (isObject(whole) && Array.isArray(whole["entities"]) && Array.isArray(whole["relations"])),
  read: importServerMemory,
}

function importServerMemory(file: SourceFile): Imported {
  const warnings: Remark[] = []
  const items = itemsOf(file, warnings)
  const entities = new Map<string, ImportedEntity>()
  const entries = new Map<string, ImportedEntry>()
  const relations: ImportedRelation[] = []
  for (const { item, line } of items) {
    const name = textOf(item, "name")
    if (item["type"] === "relation") {
      const relation = relationOf(item)
      if (relation) relations.push(relation)
      else warnings.push({ file: file.name, line, message: "a relation without from, to or relationType" })
    } else if (item["type"] === "entity" && name !== null) {
      const type = textOf(item, "entityType") ?? ""
      entities.set(name, { name, type, description: "", aliases: [] })
      for (const entry of observationsOf(item, name, type, file)) entries.set(entry.ref, entry)
    } else {
      warnings.push({ file: file.name, line, message: "neither an entity nor a relation" })
    }
  }
  return { entries: [...entries.values()], entities: [...entities.values()], relations, warnings }
}

type Item = { readonly item: JsonObject; readonly line: number | null }

function itemsOf(file: SourceFile, warnings: Remark[]): Item[] {
  const whole = parseJson(file.text)
  const isGraph = isObject(whole) && Array.isArray(whole["entities"])
  if (isGraph) {
    const typed = (list: readonly unknown[] | null, type: string): Item[] =>
      (list ?? []).filter(isObject).map((item) => ({ item: { ...item, type }, line: null }))
    return [...typed(listOf(whole, "entities"), "entity"), ...typed(listOf(whole, "relations"), "relation")]
  }
  return file.text.split("\n").flatMap((text, index) => {
    if (text.trim() === "") return []
    const item = parseJson(text)
    if (isObject(item)) return [{ item, line: index + 1 }]
    warnings.push({ file: file.name, line: index + 1, message: "not a JSON object" })
    return []
  })
}

function relationOf(item: JsonObject): ImportedRelation | null {
  const [from, to, relation] = [textOf(item, "from"), textOf(item, "to"), textOf(item, "relationType")]
  return from === null || to === null || relation === null ? null : { from, to, relation }
}

/** One entry per observation. The entity is its topic, because the text often does not name it. */
function observationsOf(item: JsonObject, name: string, type: string, file: SourceFile): ImportedEntry[] {
  const texts = (listOf(item, "observations") ?? []).filter((text) => typeof text === "string")
  return texts
    .filter((text) => text.trim() !== "")
    .map((text) => ({
      ref: `${name}\n${text}`,
      text,
      topic: name,
      kind: "semantic" as const,
      tags: type === "" ? [] : [type],
      entities: [name],
      recordedAt: file.modified,
    }))
}
