import type { Entry } from "../../entries/entry.ts"
import { comparable } from "../../entries/labels.ts"
import { editableOf, formHash } from "../export/editable.ts"
import { fieldLines, isUnprintable, remarkLines } from "./markdown-fields.ts"

/** Format name in the front matter of an export. */
export const MARKDOWN_FORMAT = "aman-knowledge-markdown"

export type MarkdownFile = { readonly name: string; readonly text: string }

/** Entries as notes that a person can edit and import again: one section per topic, each entry with its text. */
export function writeMarkdown(entries: readonly Entry[], title: string): string {
  const topics = Map.groupBy(entries, ({ topic }) => comparable(topic))
  const sections = [...topics.values()].map(topicSection)
  const ids = entries.map(({ id }) => id)
  const head = `---\nformat: ${MARKDOWN_FORMAT}\nversion: 1\n---\n\n# ${title.replace(/\s+/g, " ")}\n\n${HOW_TO}\n`
  return `${head}\n${sections.join("")}<!-- aman exported\n${rows(ids)}-->\n`
}

/** Renders the entries as one file per topic. */
export function writeMarkdownFolder(entries: readonly Entry[]): MarkdownFile[] {
  const taken = new Set<string>()
  return [...Map.groupBy(entries, ({ topic }) => comparable(topic)).values()].map((own) => {
    const [{ topic }] = own as [Entry]
    return { name: `${unusedName(topic, taken)}.md`, text: writeMarkdown(own, topic) }
  })
}

/** A line that begins or ends an entry; a line of the text that looks like one is escaped with "\". */
export const MARKER = /^\\*<!--\s*\/?aman\b/

const HOW_TO = `<!-- aman: edit the texts between the comments, or what the comments say (kind, tags, topic, source,
valid-from, valid-until …). Text that stands outside of them becomes a new entry. Then run: aman memory import FILE -->`

function topicSection(entries: readonly Entry[]): string {
  const { topic } = entries[0]!
  // A topic that would not be read back from a heading is written into the comments of its entries instead.
  const heading =
    /^[^\s#`~<\\-][^\n\r\0]*$/.test(topic) && topic.isWellFormed() && !/\s#+$/.test(topic) ? topic : "general"
  return `## ${heading}\n\n${entries.map((entry) => `${entryText(entry, heading)}\n`).join("")}`
}

function entryText(entry: Entry, heading: string): string {
  const form = editableOf(entry)
  const fields = [...remarkLines(entry), ...fieldLines(form, heading)]
  const name = `<!-- aman ${entry.id} ${formHash(form)}`
  const comment = fields.length === 0 ? `${name} -->` : `${name}\n${fields.join("\n")}\n-->`
  if (isUnprintable(form.text)) return `${comment}\n<!-- /aman -->\n`
  const text = form.text.split("\n").map((line) => (MARKER.test(line) ? `\\${line}` : line))
  return `${comment}\n${text.join("\n")}\n<!-- /aman -->\n`
}

function rows(ids: readonly string[]): string {
  const lines: string[] = []
  for (let at = 0; at < ids.length; at += 5) lines.push(`${ids.slice(at, at + 5).join(" ")}\n`)
  return lines.join("")
}

function unusedName(topic: string, taken: Set<string>): string {
  const plain = topic
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
  // Windows reserves these names for devices.
  const base =
    plain === "" || /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(plain) ? `topic${plain && "-"}${plain}` : plain
  let name = base
  for (let count = 2; taken.has(name); count++) name = `${base}-${count}`
  taken.add(name)
  return name
}
