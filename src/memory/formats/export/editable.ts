import { sha256 } from "../../../base/files/files.ts"
import type { Entry, EntryInput, EntrySource } from "../../entries/entry.ts"
import { tidyLabel } from "../../entries/labels.ts"
import { normaliseTags } from "../../entries/tags.ts"

/** Fields that a person may edit in a file, in the order in which `formHash` hashes them. */
export const EDITABLE = [
  ...(["text", "topic", "kind", "tags", "key", "source", "author", "entities"] as const),
  ...(["validFrom", "validUntil"] as const),
]

/** The editable fields of an entry; `source` as a person writes it: "src/pay.ts:3-9", "src/pay.ts#retry". */
export type EditableFields = Required<Pick<EntryInput, (typeof EDITABLE)[number]>>

export function editableOf(entry: Entry): EditableFields {
  const form = Object.fromEntries(EDITABLE.map((name) => [name, entry[name]]))
  return { ...(form as EditableFields), source: entry.source && sourceText(entry.source) }
}

/** The fields as the store would normalise them, so that values with the same meaning are equal. */
function tidied(form: EditableFields): EditableFields {
  return {
    ...form,
    topic: tidyLabel(form.topic) || "general",
    tags: normaliseTags(form.tags),
    entities: form.entities.map(tidyLabel),
  }
}

/**
 * A hash of the editable fields, eight hexadecimal digits. White space at the ends of lines is ignored, because
 * editors remove it.
 */
export function formHash(form: EditableFields): string {
  const tidy = tidied(form)
  const plain = { ...tidy, text: tidy.text.replaceAll(/(?<![ \t\r])[ \t\r]+$/gm, "").trimEnd() }
  const parts = EDITABLE.map((name) => plain[name])
  return sha256(JSON.stringify(parts)).slice(0, 8)
}

/** The fields of `after` that differ from `before`. */
export function changesBetween(before: EditableFields, after: EditableFields): Partial<EditableFields> {
  const [old, now] = [tidied(before), tidied(after)]
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !Bun.deepEquals(old[name as keyof EditableFields], value)),
  )
}

function sourceText({ path, startLine, endLine, symbol }: EntrySource): string {
  if (symbol !== null) return `${path}#${symbol}`
  if (startLine === null) return path
  return endLine === null || endLine === startLine
    ? `${path}:${startLine}`
    : `${path}:${startLine}-${endLine}`
}
