import type { Json } from "../entry.ts"
import { type Imported, type ImportedEntry, nothingImported, type SourceFile } from "./imported.ts"
import { isObject, type JsonObject, listOf, parseJson, textOf } from "./json-value.ts"
import { kindOf } from "./kind-of.ts"
import { roleOf } from "./role-of.ts"
import { asInstant, readWhen } from "./when.ts"

/**
 * What mem0's `get_all` answers, of the platform and of the library alike: {"results":[{"id","memory","user_id",
 * "metadata","categories","created_at","updated_at",…}]}, or that list alone, as older ones answered. Several pages may
 * stand in a list. (docs.mem0.ai, «Export Stored Memories» and «Get Memory»)
 */
export function importMem0(file: SourceFile): Imported {
  const memories = memoriesIn(parseJson(file.text))
  if (memories === null) {
    return nothingImported([{ file: file.name, line: null, message: "not an answer of mem0" }])
  }
  return { ...nothingImported(), entries: memories.flatMap(entryOf) }
}

/** Whether that is what a document holds. */
export function isMem0(value: unknown): boolean {
  return memoriesIn(value)?.some(isMemory) ?? false
}

function memoriesIn(value: unknown): readonly JsonObject[] | null {
  if (isObject(value)) return listOf(value, "results")?.filter(isObject) ?? null
  if (!Array.isArray(value)) return null
  return value.filter(isObject).flatMap((each) => listOf(each, "results")?.filter(isObject) ?? [each])
}

function isMemory(row: JsonObject): boolean {
  return textOf(row, "id") !== null && typeof row["memory"] === "string"
}

/** Whose memory it is has said it, if anybody has: who wrote it down was a model. */
function entryOf(row: JsonObject): ImportedEntry[] {
  const text = textOf(row, "memory")
  const id = textOf(row, "id")
  if (text === null || id === null) return []
  const metadata = isObject(row["metadata"]) ? (row["metadata"] as { readonly [key: string]: Json }) : {}
  const categories = (listOf(row, "categories") ?? []).filter((each) => typeof each === "string")
  const said = textOf(metadata, "category", "type")
  const until = readWhen(row["expiration_date"])
  const role = textOf(row, "role")
  return [
    {
      ref: id,
      text,
      topic: categories[0] ?? said ?? "general",
      kind: [...categories, said ?? ""].map(kindOf).find((kind) => kind !== undefined) ?? "semantic",
      tags: categories,
      author: textOf(row, "actor_id", "user_id"),
      role: role === null ? null : roleOf(role),
      session: textOf(row, "run_id"),
      recordedAt: instant(row["created_at"]),
      revisedAt: instant(row["updated_at"]),
      ...(until !== null && { validUntil: until }),
      metadata: { ...metadata, mem0: named(row, ["id", "user_id", "agent_id", "app_id"]) },
    },
  ]
}

function instant(value: unknown): string | null {
  const when = readWhen(value)
  return when && asInstant(when)
}

function named(row: JsonObject, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = textOf(row, key)
      return value === null ? [] : [[key, value]]
    }),
  )
}
