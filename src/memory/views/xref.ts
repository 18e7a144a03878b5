import { compareTexts } from "../../base/compare-texts.ts"
import { words } from "../../text/terms/identifiers.ts"
import { stem } from "../../text/terms/stem.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"

import { byNewest } from "./order.ts"

export type Mention = {
  readonly entry: Entry
  /** Kind of the mention: by the topic's name, by an id or a key of its entries, or by a common entity. */
  readonly by: "topic" | "id" | "key" | "entity"
  /** The name of the topic, id, key or entity that was found. */
  readonly name: string
}

export type CrossReference = { readonly topic: string; readonly mentions: readonly Mention[] }

/** Other topics that mention a topic, most mentions first. */
export function xref(entries: readonly Entry[], topic: string): CrossReference[] {
  const own = entries.filter((entry) => comparable(entry.topic) === comparable(topic))
  const others = entries.filter((entry) => comparable(entry.topic) !== comparable(topic)).sort(byNewest)
  const names = topicNames(topic, own)
  const mentions = others.flatMap((entry) => mentionIn(entry, names))
  return [...Map.groupBy(mentions, ({ entry }) => comparable(entry.topic)).values()]
    .map((all) => ({ topic: all[0]!.entry.topic, mentions: all }))
    .sort((a, b) => b.mentions.length - a.mentions.length || compareTexts(a.topic, b.topic))
}

type TopicNames = {
  readonly topic: { readonly name: string; readonly stems: string }
  readonly ids: ReadonlySet<string>
  readonly keys: ReadonlyMap<string, string>
  readonly entities: ReadonlyMap<string, string>
}

function topicNames(topic: string, own: readonly Entry[]): TopicNames {
  const keys = own.flatMap(({ key }) => (key === null ? [] : [key]))
  return {
    topic: { name: topic, stems: stemmed(topic) },
    ids: new Set(own.map(({ id }) => id)),
    keys: new Map(keys.map((key) => [stemmed(key), key])),
    entities: new Map(own.flatMap(({ entities }) => entities).map((name) => [comparable(name), name])),
  }
}

/** The strongest mention in an entry, at most one. */
function mentionIn(entry: Entry, names: TopicNames): Mention[] {
  const id = (entry.text.match(/\b[0-9a-z]{20}\b/gi) ?? []).find((found) => names.ids.has(found))
  if (id !== undefined) return [{ entry, by: "id", name: id }]
  const text = stemmed(entry.text)
  if (names.topic.stems !== " " && text.includes(names.topic.stems))
    return [{ entry, by: "topic", name: names.topic.name }]
  const key = [...names.keys].find(([stems]) => stems !== " " && text.includes(stems))
  if (key !== undefined) return [{ entry, by: "key", name: key[1] }]
  const entity = entry.entities
    .map((name) => names.entities.get(comparable(name)))
    .find((name) => name !== undefined)
  return entity === undefined ? [] : [{ entry, by: "entity", name: entity }]
}

/** The stems of a text, each between two spaces, so that searching for such a text finds whole words in order. */
function stemmed(text: string): string {
  return ` ${words(text).map(stem).join(" ")}${text === "" ? "" : " "}`
}
