import { AmanError, compareTexts, sha256 } from "../../base/index.ts"
import { embedStatic768, STATIC768_DIMENSIONS } from "../../index/index.ts"
import type { EntityRow, EntryRow, KnowledgeStore, RelationRow } from "../../store/index.ts"
import { hashTerm, isUnspaced, unicodeWords } from "../../text/index.ts"
import type { Entity, Relation } from "../entities/entities.ts"
import { canonicalId } from "../log/ids.ts"
import type { CheckedEntry } from "./check-entry.ts"
import type { Entry, SimilarEntry } from "./entry.ts"
import { comparable, looseKey } from "./labels.ts"
import { firstMoment } from "./times.ts"

export function toEntry(body: string): Entry {
  return JSON.parse(body)
}

export function entryRow(entry: Entry, seq: number): EntryRow {
  const { id, project, kind, key, author, role, session, ordinal, recordedAt, revisedAt, tags } = entry
  const { supersededAt, supersededBy, deletedAt, validFrom, validUntil } = entry
  return {
    ...{ id, seq, project, kind, key, author, role, session, ordinal, recordedAt, revisedAt, tags },
    ...{ supersededAt, supersededBy, deletedAt },
    topic: comparable(entry.topic),
    path: entry.source?.path ?? null,
    validFrom: validFrom && firstMoment(validFrom),
    validUntil: validUntil && firstMoment(validUntil),
    textHash: textHash(entry.text),
    body: JSON.stringify(entry),
    entities: entry.entities.map(comparable),
    likeness: isLiving(entry) ? similarityKeys(project, entry.topic, comparableText(entry.text)) : [],
  }
}

/** 16 characters of SHA-256; equal for texts that differ only in surrounding white space. */
export function textHash(text: string): string {
  return sha256(text.trim()).slice(0, 16)
}

export function entityRow(entity: Entity, seq: number): EntityRow {
  const { id, project, mergedInto, deletedAt, name, aliases } = entity
  const names = [...new Set([name, ...aliases].map(comparable))]
  return { id, seq, project, mergedInto, deletedAt, names, body: JSON.stringify(entity) }
}

export function relationRow(relation: Relation, seq: number): RelationRow {
  return { id: relation.id, seq, deletedAt: relation.deletedAt, body: JSON.stringify(relation) }
}

/**
 * Marks all living entries with the same key in the same project as superseded by the newest of them. The mark is
 * computed from the entries and not written as an event, so that two stores that used the key independently agree once
 * they have exchanged their events.
 */
export function supersedeSameKey(entries: readonly Entry[]): Entry[] {
  const newest = entries
    .filter(isLiving)
    .toSorted((a, b) => compareTexts(a.revisedAt, b.revisedAt) || compareTexts(a.id, b.id))
    .at(-1)
  return entries.map((entry) =>
    newest === undefined || entry.id === newest.id || !isLiving(entry)
      ? entry
      : { ...entry, supersededAt: newest.revisedAt, supersededBy: newest.id },
  )
}

/** True for a living entry: one that is neither deleted nor superseded. */
export function isLiving({ deletedAt, supersededAt }: Entry): boolean {
  return deletedAt === null && supersededAt === null
}

/** Ids of the projects whose entries may be read and changed; null in the list: entries of all projects. */
export type Reach = () => readonly (string | null)[]

/** A store, and the part of it that may be reached; null: all of it. */
export type Reader = { readonly store: KnowledgeStore; readonly reach: Reach | null }

/** The entry with this id, deleted or not; throws NOT_FOUND when there is none within reach. */
export function existingEntry({ store, reach }: Reader, id: string): Entry {
  const body = store.entries.get(canonicalId(id))
  const entry = body === null ? null : toEntry(body)
  if (entry !== null && (reach === null || reach().includes(entry.project))) return entry
  store.requireSound()
  throw new AmanError("NOT_FOUND", `no entry ${id}`, { hint: "run: aman memory list" })
}

/** The entry with this id; throws NOT_FOUND when there is none within reach or it is deleted. */
export function undeletedEntry(reader: Reader, id: string): Entry {
  const entry = existingEntry(reader, id)
  if (entry.deletedAt === null) return entry
  throw new AmanError("NOT_FOUND", `entry ${entry.id} was deleted`, {
    hint: `run: aman memory restore ${entry.id}`,
  })
}

/** All entries with this key, deleted and superseded ones included. */
export function entriesOfKey(store: KnowledgeStore, project: string | null, key: string): Entry[] {
  // SQLite may store two different keys that are not well-formed Unicode as the same text.
  return store.entries
    .withKey(project, key)
    .map(toEntry)
    .filter((entry) => entry.key === key && entry.project === project)
}

/** The living entry with this key; null when there is none. */
export function entryOfKey(store: KnowledgeStore, project: string | null, key: string): Entry | null {
  return entriesOfKey(store, project, key).find(isLiving) ?? null
}

/**
 * Id of the living entry with this key, or with one that differs only in case or hyphens; else of the last entry that
 * had it; null when no entry ever had it.
 */
export function idOfKey(store: KnowledgeStore, project: string | null, key: string): string | null {
  const isOne = (name: string) => looseKey(name) === looseKey(key)
  const own = entriesOfKey(store, project, key)
  const all =
    own.length > 0
      ? own
      : entriesOfKey(store, project, store.entries.names("key", project).find(isOne) ?? key)
  return (all.find(isLiving) ?? all.at(-1))?.id ?? null
}

/**
 * The living entry (neither deleted nor superseded) with the same text in the same topic; null when there is none. An
 * entry does not count as the same if it has another author or time, is at another place of a conversation, has ceased
 * to be valid, or has an id in `excluded`.
 */
export function findSameEntry(
  store: KnowledgeStore,
  { fields, recordedAt }: CheckedEntry,
  now: string,
  excluded: ReadonlySet<string>,
): Entry | null {
  const { project, topic, text, session, ordinal, author, key } = fields
  const isSame = (entry: Entry): boolean =>
    isLiving(entry) &&
    !excluded.has(entry.id) &&
    (!hasEnded(entry, recordedAt ?? now) || entry.validUntil === fields.validUntil) &&
    entry.text.trim() === text.trim() &&
    entry.session === session &&
    entry.author === author &&
    entry.key === key &&
    (ordinal === null || entry.ordinal === ordinal) &&
    (recordedAt === null || entry.recordedAt === recordedAt)
  const candidates = store.entries.withText(project, comparable(topic), textHash(text))
  return candidates.map(toEntry).find(isSame) ?? null
}

/** True when the entry was no longer valid at that instant. */
export function hasEnded({ validUntil }: Entry, at: string): boolean {
  return validUntil !== null && firstMoment(validUntil) <= at
}

/** Min Jaccard index of the words of two texts that count as nearly the same. */
const WORDS_ALIKE = 0.7
/**
 * Min number of words for the comparison by words. With fewer, a single different word weighs too much, so only the
 * vectors decide.
 */
const MIN_WORDS = 6
/**
 * Min cosine of the built-in static768 vectors for near-duplicates. In 6,400 lines of five change logs, 0.02 % of all
 * pairs reach it without reaching WORDS_ALIKE, nearly all of them the same sentence with another number or name. Typos,
 * another word order and other spellings of an identifier score .87 to 1. Most pairs that differ only in a value score
 * lower (.64 to .73), so a fact and its replacement are not near-duplicates.
 */
const VECTORS_ALIKE = 0.85
/** With a lower Jaccard index, no pair of vectors comes near VECTORS_ALIKE, so the vectors are not computed. */
const MIN_JACCARD_TO_EMBED = 0.25
/** Max characters that are compared of a text; the rest of a longer text is ignored. */
const MAX_CHARACTERS = 20_000

/** The data of a text that comparisons use. */
type ComparableText = { readonly text: string; readonly words: ReadonlySet<string> }

export function comparableText(text: string): ComparableText {
  const head = text.slice(0, MAX_CHARACTERS)
  return { text: head, words: distinctWords(head) }
}

/** Similarity of two texts and how it was found; null when they are not nearly the same. */
export function nearDuplicate(
  a: ComparableText,
  b: ComparableText,
): Pick<SimilarEntry, "score" | "reason"> | null {
  const score = jaccard(a.words, b.words)
  const isByWords = Math.min(a.words.size, b.words.size) >= MIN_WORDS && score > WORDS_ALIKE
  if (isByWords) return { score, reason: "words" }
  if (score < MIN_JACCARD_TO_EMBED) return null
  const cosine = similarity(a.text, b.text)
  return cosine >= VECTORS_ALIKE ? { score: Math.min(1, cosine), reason: "vector" } : null
}

/**
 * Hashes of words, with project and topic, of which every near-duplicate of the text contains at least one. Prefix
 * filter (Chaudhuri et al. 2006): when all sets are sorted the same way, two sets with a Jaccard index above t share
 * one of the first n − ⌈t·n⌉ + 1 words. The longest words come first because they are the rarest.
 */
export function similarityKeys(project: string | null, topic: string, { words }: ComparableText): number[] {
  const sorted = [...words].sort((a, b) => b.length - a.length || compareTexts(a, b))
  const prefix = sorted.slice(0, sorted.length - Math.ceil(WORDS_ALIKE * sorted.length) + 1)
  const place = JSON.stringify([project, comparable(topic)])
  return prefix.map((word) => Number(hashTerm(place + word) & 0xffff_ffffn))
}

function distinctWords(text: string): Set<string> {
  const words = PLAIN.test(text) ? (text.toLowerCase().match(PLAIN_WORDS) ?? []) : unicodeWords(text)
  return new Set(words.filter((word) => word.length >= 3 || isUnspaced(word)))
}

const PLAIN = /^[\x00-\x7f]*$/
const PLAIN_WORDS = /[a-z0-9_]{3,}/g

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

function similarity(a: string, b: string): number {
  embedStatic768(a, left)
  embedStatic768(b, right)
  let sum = 0
  for (let i = 0; i < STATIC768_DIMENSIONS; i++) sum += left[i]! * right[i]!
  return sum
}

const left = new Float32Array(STATIC768_DIMENSIONS)
const right = new Float32Array(STATIC768_DIMENSIONS)
