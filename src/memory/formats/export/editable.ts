import { sha256 } from "../../../base/files.ts"
import type { Entry, EntryKind, EntrySource } from "../../entries/entry.ts"
import { tidyLabel } from "../../entries/labels.ts"
import { normaliseTags } from "../../entries/tags.ts"

/** What a person may edit of an entry in a file. */
export type Editable = {
  readonly text: string
  readonly topic: string
  readonly kind: EntryKind
  readonly tags: readonly string[]
  readonly key: string | null
  /** As one types it: "src/pay.ts:3-9", "src/pay.ts#retry". */
  readonly source: string | null
  readonly author: string | null
  readonly entities: readonly string[]
  readonly validFrom: string | null
  readonly validUntil: string | null
}

export function editableOf(entry: Entry): Editable {
  const { text, topic, kind, tags, key, author, entities, validFrom, validUntil } = entry
  const source = entry.source && sourceText(entry.source)
  return { text, topic, kind, tags, key, source, author, entities, validFrom, validUntil }
}

/** As the store would keep it, so that what means the same is the same. */
export function tidied(form: Editable): Editable {
  return {
    ...form,
    topic: tidyLabel(form.topic) || "general",
    tags: normaliseTags(form.tags),
    entities: form.entities.map(tidyLabel),
  }
}

/** Eight digits that tell one form from another. White space at the ends of lines, which editors remove, counts not. */
export function formHash(form: Editable): string {
  const { text, topic, kind, tags, key, source, author, entities, validFrom, validUntil } = tidied(form)
  const plain = text.replaceAll(/(?<![ \t\r])[ \t\r]+$/gm, "").trimEnd()
  const parts = [plain, topic, kind, tags, key, source, author, entities, validFrom, validUntil]
  return sha256(JSON.stringify(parts)).slice(0, 8)
}

/** The fields in which one differs from the other. */
export function changesBetween(before: Editable, after: Editable): Partial<Editable> {
  const [old, now] = [tidied(before), tidied(after)]
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !Bun.deepEquals(old[name as keyof Editable], value)),
  )
}

function sourceText({ path, startLine, endLine, symbol }: EntrySource): string {
  if (symbol !== null) return `${path}#${symbol}`
  if (startLine === null) return path
  return endLine === null || endLine === startLine
    ? `${path}:${startLine}`
    : `${path}:${startLine}-${endLine}`
}
