import type { ForeignFormat } from "../import-format.ts"
import type {
  Imported,
  ImportedEntity,
  ImportedEntry,
  ImportedRelation,
  ImportRemark,
  SourceFile,
} from "../imported.ts"
import { firstListField, firstTextField, isObject, type JsonObject, parseJson } from "../json-value.ts"

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
  const warnings: ImportRemark[] = []
  const items = itemsOf(file, warnings)
  const entities = new Map<string, ImportedEntity>()
  const entries = new Map<string, ImportedEntry>()
  const relations: ImportedRelation[] = []
  for (const { item, line } of items) {
    const name = firstTextField(item, "name")
    if (item["type"] === "relation") {
      const relation = serverMemoryRelation(item)
      if (relation) relations.push(relation)
      else warnings.push({ file: file.name, line, message: "a relation without from, to or relationType" })
    } else if (item["type"] === "entity" && name !== null) {
      const type = firstTextField(item, "entityType") ?? ""
      entities.set(name, { name, type, description: "", aliases: [] })
      for (const entry of observationsOf(item, name, type, file)) entries.set(entry.ref, entry)
    } else {
      warnings.push({ file: file.name, line, message: "neither an entity nor a relation" })
    }
  }
  return { entries: [...entries.values()], entities: [...entities.values()], relations, warnings }
}

type MemoryItem = { readonly item: JsonObject; readonly line: number | null }

function itemsOf(file: SourceFile, warnings: ImportRemark[]): MemoryItem[] {
  const whole = parseJson(file.text)
  const isGraph = isObject(whole) && Array.isArray(whole["entities"])
  if (isGraph) {
    const typed = (list: readonly unknown[] | null, type: string): MemoryItem[] =>
      (list ?? []).filter(isObject).map((item) => ({ item: { ...item, type }, line: null }))
    return [
      ...typed(firstListField(whole, "entities"), "entity"),
      ...typed(firstListField(whole, "relations"), "relation"),
    ]
  }
  return file.text.split("\n").flatMap((text, index) => {
    if (text.trim() === "") return []
    const item = parseJson(text)
    if (isObject(item)) return [{ item, line: index + 1 }]
    warnings.push({ file: file.name, line: index + 1, message: "not a JSON object" })
    return []
  })
}

function serverMemoryRelation(item: JsonObject): ImportedRelation | null {
  const [from, to, relation] = [
    firstTextField(item, "from"),
    firstTextField(item, "to"),
    firstTextField(item, "relationType"),
  ]
  return from === null || to === null || relation === null ? null : { from, to, relation }
}

/** One entry per observation. The entity is its topic, because the text often does not name it. */
function observationsOf(item: JsonObject, name: string, type: string, file: SourceFile): ImportedEntry[] {
  const texts = (firstListField(item, "observations") ?? []).filter((text) => typeof text === "string")
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
