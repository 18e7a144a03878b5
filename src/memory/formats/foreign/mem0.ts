import type { Json } from "../../entries/entry.ts"
import type { ForeignFormat } from "../import-format.ts"
import { parseImportTime, parseInstant } from "../import-time.ts"
import {
  entryKind,
  type Imported,
  type ImportedEntry,
  type ImportedRelation,
  nothingImported,
  roleOf,
  type SourceFile,
} from "../imported.ts"
import { firstListField, firstTextField, isObject, type JsonObject, parseJson } from "../json-value.ts"

/**
 * The answer of mem0's `get_all`, on the platform and in the library: {"results":[{"id","memory","user_id","metadata",
 * "categories","created_at","updated_at",…}],"relations":[{"source","relationship","target"}]}; from older versions
 * only the list. A file may also be a list of such answers, or have one answer or row per line. If a row occurs twice,
 * the newest one counts. (docs.mem0.ai, "Export Stored Memories" and "Get Memory")
 */
export const MEM0: ForeignFormat = {
  name: "mem0",
  detects: ({ whole, firstLine }) => isMem0(whole) || isMem0(firstLine) || isMem0([firstLine]),
  read: importMem0,
}

function importMem0(file: SourceFile): Imported {
  const remark = (message: string) => ({ file: file.name, line: null, message })
  const found = answersIn(file.text)
  if (found === null) return nothingImported([remark("not an answer of mem0")])
  const kept = found.rows.filter(({ event }) => event !== "DELETE")
  const whole = kept.filter(isMemory)
  const undated = whole.filter((row) => DATES.some((key) => isUnreadable(row[key])))
  const relations = found.relations.flatMap(mem0Relations)
  const warnings = [
    ["skipped, because they are deleted there", found.rows.length - kept.length],
    ["skipped, because they have no id or memory", kept.length - whole.length],
    ["imported with an unreadable date", undated.length],
    [
      "relations skipped, because they have no source, relationship or target",
      found.relations.length - relations.length,
    ],
  ] as const
  return {
    entries: newestOfEach(whole).map(mem0Entry),
    entities: [],
    relations,
    warnings: warnings.flatMap(([what, count]) => (count === 0 ? [] : [remark(`${what}: ${count}`)])),
  }
}

/** True for an answer with at least one row of mem0. */
function isMem0(value: unknown): boolean {
  return answersOf(value)?.rows.some((row) => isMemory(row) && isOfMem0(row)) ?? false
}

type Mem0Export = { readonly rows: readonly JsonObject[]; readonly relations: readonly JsonObject[] }

function answersIn(text: string): Mem0Export | null {
  const whole = parseJson(text)
  if (whole !== undefined) return answersOf(whole)
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const values = lines.map(parseJson)
  return values.some(isObject) ? answersOf(values.map((value) => (isObject(value) ? value : {}))) : null
}

function answersOf(value: unknown): Mem0Export | null {
  if (isObject(value)) return firstListField(value, "results") === null ? null : answersOf([value])
  if (!Array.isArray(value)) return null
  const of = (key: string, otherwise: (each: JsonObject) => readonly JsonObject[]) =>
    value.filter(isObject).flatMap((each) => firstListField(each, key)?.filter(isObject) ?? otherwise(each))
  return { rows: of("results", (each) => [each]), relations: of("relations", () => []) }
}

function isMemory(row: JsonObject): boolean {
  return firstTextField(row, "id") !== null && firstTextField(row, "memory") !== null
}

/**
 * True when the row comes from mem0. The fields "id" and "memory" alone do not show that, because a list of machines,
 * for example, has them, too.
 */
function isOfMem0(row: JsonObject): boolean {
  return OWN_FIELDS.some((key) => key in row) || UUID.test(firstTextField(row, "id") ?? "")
}

const OWN_FIELDS = ["user_id", "agent_id", "run_id", "hash", "created_at"]
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DATES = ["created_at", "updated_at", "expiration_date"]

function isUnreadable(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && parseImportTime(value) === null
}

/** The newest row for each id, of equally new ones the last; in the order in which the ids occur first. */
function newestOfEach(rows: readonly JsonObject[]): JsonObject[] {
  const newest = new Map<string, JsonObject>()
  const age = (row: JsonObject) => parseInstant(row["updated_at"]) ?? parseInstant(row["created_at"]) ?? ""
  for (const row of rows) {
    const id = firstTextField(row, "id")!
    const known = newest.get(id)
    if (known === undefined || age(row) >= age(known)) newest.set(id, row)
  }
  return [...newest.values()]
}

function mem0Relations(row: JsonObject): ImportedRelation[] {
  const [from, to] = [firstTextField(row, "source"), firstTextField(row, "target", "destination")]
  const relation = firstTextField(row, "relationship", "relation")
  return from === null || to === null || relation === null ? [] : [{ from, to, relation }]
}

/** The entry for a row. Its author is the person whose memory it is; the model only wrote it down. */
function mem0Entry(row: JsonObject): ImportedEntry {
  const metadata = isObject(row["metadata"]) ? (row["metadata"] as { readonly [key: string]: Json }) : {}
  const categories = (firstListField(row, "categories") ?? []).filter((each) => typeof each === "string")
  const category = firstTextField(metadata, "category", "type")
  const until = parseImportTime(row["expiration_date"])
  const role = firstTextField(row, "role")
  const own = metadata["mem0"]
  return {
    ref: firstTextField(row, "id")!,
    text: firstTextField(row, "memory")!,
    topic: categories[0] ?? category ?? "general",
    kind: [...categories, category ?? ""].map(entryKind).find((kind) => kind !== undefined) ?? "semantic",
    tags: categories,
    author: firstTextField(row, "actor_id", "user_id"),
    role: role === null ? null : roleOf(role),
    session: firstTextField(row, "run_id"),
    recordedAt: parseInstant(row["created_at"]),
    revisedAt: parseInstant(row["updated_at"]),
    ...(until !== null && { validUntil: until }),
    metadata: {
      ...metadata,
      mem0: {
        ...(isObject(own) && (own as { readonly [key: string]: Json })),
        ...(own !== undefined && !isObject(own) && { said: own }),
        ...namedFields(row, ["id", "user_id", "agent_id", "app_id"]),
      },
    },
  }
}

function namedFields(row: JsonObject, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = firstTextField(row, key)
      return value === null ? [] : [[key, value]]
    }),
  )
}
