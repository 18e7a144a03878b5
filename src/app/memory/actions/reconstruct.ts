import { headline } from "../../../memory/views/order.ts"
import {
  type ReconstructedEntry,
  type Reconstruction,
  reconstruct,
} from "../../../memory/views/reconstruct.ts"
import { hitOutput } from "../entries/entry-output.ts"
import { plainEntry } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import { searchEntries } from "../recall-source.ts"
import type { KnowledgeAnswer } from "./answer.ts"

const USUAL_TOKENS = 2000
/** Max hits. The limit is higher than for a recall, because a subject has many aspects. */
const MAX_HITS = 200

const MAX_NAMED = 20

export const handlers = { reconstruct: reconstructCall }

/** All entries about a subject, within `max_tokens`. */
async function reconstructCall(
  memory: Memory,
  { query, max_tokens = USUAL_TOKENS }: { readonly query: string; readonly max_tokens?: number | undefined },
): Promise<KnowledgeAnswer> {
  const { hits, entries, rarity } = await searchEntries(memory, { query }, MAX_HITS)
  const now = new Date().toISOString()
  return reconstructAnswer(
    memory,
    reconstruct(query, hits, entries, { now, tokens: max_tokens, rarity }),
    max_tokens,
  )
}

async function reconstructAnswer(
  memory: Memory,
  all: Reconstruction,
  tokens: number,
): Promise<KnowledgeAnswer> {
  const sections = await Promise.all(
    all.sections.map(async ({ name, entries }) => ({
      name,
      entries: await Promise.all(entries.map((entry) => entryData(memory, entry))),
    })),
  )
  const leftOff = all.leftOff.map(({ id, topic, text }) => ({ id, topic, text: headline(text) }))
  const gaps = gapsText(all.gaps)
  return {
    data: {
      ...{ query: all.query, topics: all.topics, sections, gaps: all.gaps },
      ...{ left_off: leftOff, tokens: all.tokens, max_tokens: tokens },
    },
    text: [
      ...sections.map(({ name, entries }) => [`## ${name}`, ...entries.map(sectionEntry)].join("\n")),
      ...(gaps === "" ? [] : [gaps]),
      ...leftOffText(leftOff),
    ].join("\n\n"),
    found: sections.length > 0,
  }
}

async function entryData(memory: Memory, { entry, text, isWhole, mark, repeats }: ReconstructedEntry) {
  const start = Math.max(0, entry.text.indexOf(text.replace(/^…|…$/g, "")))
  const window = { start, end: start + text.length }
  const hit = await hitOutput(memory, { ...{ entry, document: entry, score: 0, terms: [], window } }, mark, {
    explain: false,
  })
  const dates = hit.dates.filter((date) => text.includes(date.text))
  return { ...hit, text, cut: !isWhole, dates, repeats }
}

function sectionEntry(entry: Awaited<ReturnType<typeof entryData>>): string {
  const repeats = entry.repeats.length === 0 ? "" : `\n  (also in ${entry.repeats.join(", ")})`
  return plainEntry(entry) + repeats
}

function gapsText({ sections, words }: Reconstruction["gaps"]): string {
  const lines = []
  if (sections.length > 0) lines.push(`Nothing known about: ${sections.join(", ")}`)
  if (words.length > 0) lines.push(`No entry mentions: ${words.join(", ")}`)
  return lines.join("\n")
}

function leftOffText(
  leftOff: readonly { readonly id: string; readonly topic: string; readonly text: string }[],
): string[] {
  if (leftOff.length === 0) return []
  const named = leftOff.slice(0, MAX_NAMED).map(({ id, topic, text }) => `  [${id}] ${topic}: ${text}`)
  const rest = leftOff.length - named.length
  return [
    [
      `${leftOff.length} more exceed the budget; use get, or raise max_tokens:`,
      ...named,
      ...(rest > 0 ? [`  and ${rest} others`] : []),
    ].join("\n"),
  ]
}
