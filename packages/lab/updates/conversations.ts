import { randomFrom } from "../../../test/random.ts"
import { type Attribute, FIELDS, FILLER, type Field } from "./facts.ts"

/** Content of a generated entry: a value of an attribute, or null if the entry only mentions the attribute. */
export type Fact = { readonly subject: string; readonly attribute: Attribute; readonly value: string | null }

export type GeneratedEntry = {
  readonly id: string
  readonly text: string
  readonly recordedAt: string
  readonly session: string | null
  readonly ordinal: number | null
  readonly fact: Fact | null
}

export type GeneratedQuestion = {
  readonly text: string
  readonly subject: string
  readonly attribute: Attribute
  /** True when the question asks how things were before. */
  readonly asksPast: boolean
}

export type Conversation = {
  readonly entries: readonly GeneratedEntry[]
  readonly questions: readonly GeneratedQuestion[]
}

/**
 * A store of notes (one sentence each) or of messages (several sentences), in which some facts are stated once,
 * some change, some are repeated and some are only mentioned. The same seed gives the same conversation.
 */
export function generateConversation(seed: number): Conversation {
  const random = randomFrom(seed)
  const pick = <T>(among: readonly T[]): T => among[Math.floor(random() * among.length)]!
  const [field, other] = [FIELDS[seed % FIELDS.length]!, FIELDS[(seed + 1) % FIELDS.length]!]
  const isChat = random() < 0.6
  const topics = [...chosen(field, 6, 4, random), ...chosen(other, 3, 2, random)]
  const said = topics.flatMap(([subject, attribute]) => storyOf(subject, attribute, random))
  said.sort((a, b) => a.at - b.at)
  const entries = said.map(({ text, fact, at }, order): GeneratedEntry => {
    const day = Math.floor(at * 120)
    return {
      id: `e${order}`,
      text: isChat ? padded(text, pick, random) : text,
      recordedAt: new Date(Date.UTC(2025, 0, 1) + day * 86_400_000 + order * 60_000).toISOString(),
      session: isChat ? `day ${day}` : null,
      ordinal: isChat ? order : null,
      fact,
    }
  })
  const questions = topics.flatMap(([subject, attribute]) => {
    const now = filled(pick(attribute.asks), subject)
    const asked = [{ text: now, subject, attribute, asksPast: false }]
    if (random() < 0.2) asked.push({ text: `${pick(PAST)} ${now}`, subject, attribute, asksPast: true })
    return asked
  })
  return { entries, questions }
}

const PAST = ["before the change:", "originally,", "in the past,", "historically,"]

function chosen({ subjects, attributes }: Field, things: number, each: number, random: () => number) {
  const few = <T>(list: readonly T[], count: number): readonly T[] =>
    list
      .map((value) => ({ value, order: random() }))
      .sort((a, b) => a.order - b.order)
      .slice(0, count)
      .map(({ value }) => value)
  return few(subjects, things).flatMap((subject) =>
    few(attributes, each).map((attribute) => [subject, attribute] as const),
  )
}

type Said = { readonly text: string; readonly fact: Fact; readonly at: number }

/** All statements about one attribute of one subject, with times from 0 to 1. */
function storyOf(subject: string, attribute: Attribute, random: () => number): Said[] {
  const pick = <T>(among: readonly T[]): T => among[Math.floor(random() * among.length)]!
  const say = (form: string, value: string | null, at: number): Said => ({
    text: filled(form, subject, value ?? ""),
    fact: { subject, attribute, value },
    at,
  })
  const first = random() * 0.4
  const old = pick(attribute.values)
  const said = [say(pick(attribute.states), old, first)]
  const isChanged = random() < 0.45
  const value = isChanged ? pick(attribute.values.filter((each) => each !== old)) : old
  if (isChanged) {
    const at = 0.45 + random() * 0.4
    said.push(say(pick(random() < 0.7 ? attribute.changes : attribute.states), value, at))
  }
  if (random() < 0.25) said.push(say(pick(attribute.states), value, 0.86 + random() * 0.1))
  if (random() < 0.4) said.push(say(pick(attribute.mentions), null, random()))
  if (random() < 0.12) said.push(say(pick(DOUBTS), null, random()))
  return said
}

/** Sentences about a subject that deny or ask something but change no value. */
const DOUBTS = [
  "I have never understood the $s.",
  "I don't think the $s is the problem.",
  "What do we know about the $s?",
  "Maybe the $s could be left out, but nothing is decided.",
  "The $s is not what this is about.",
]

function padded(text: string, pick: <T>(among: readonly T[]) => T, random: () => number): string {
  const filler = Array.from({ length: Math.floor(random() * 7) }, () => pick(FILLER))
  const at = Math.floor(random() * (filler.length + 1))
  return filler.toSpliced(at, 0, text).join(" ")
}

function filled(form: string, subject: string, value = ""): string {
  const text = form.replaceAll("$s", subject).replaceAll("$v", value)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
