import { AmanError } from "../../base/index.ts"
import { type CheckOptions, checkFields, withoutPrivate } from "../entries/check-entry.ts"
import type { Entry } from "../entries/entry.ts"
import { looseName, tidyLabel } from "../entries/labels.ts"
import type { StoreFilter } from "../entries/list-entries.ts"
import { changeEntries } from "../entries/write-entries.ts"
import type { Knowledge } from "../knowledge.ts"

export type MovedTopic = { readonly from: string; readonly into: string; readonly entries: number }

/** Renames a topic. Throws USAGE when the name is taken (merge the topics instead), CREDENTIAL for a secret. */
export function renameTopic(
  knowledge: Knowledge,
  projects: Projects,
  from: string,
  given: string,
  options: CheckOptions = {},
): MovedTopic {
  const to = withoutPrivate(given)
  checkFields({ topic: to }, options)
  if (looseName(from) !== looseName(to) && topicEntries(knowledge, projects, to).length > 0) {
    throw new AmanError("USAGE", `the topic ${JSON.stringify(to)} already exists`, {
      hint: `to merge them: aman memory merge ${JSON.stringify(from)} ${JSON.stringify(to)}`,
    })
  }
  return move(knowledge, projects, from, to)
}

/** Moves all entries of one topic to another; throws NOT_FOUND when either has none. */
export function mergeTopics(
  knowledge: Knowledge,
  projects: Projects,
  from: string,
  into: string,
): MovedTopic {
  const target = topicEntries(knowledge, projects, into)[0]
  if (target === undefined)
    throw unknownTopic(
      into,
      `to rename it: aman memory rename ${JSON.stringify(from)} ${JSON.stringify(into)}`,
    )
  if (looseName(from) === looseName(into)) {
    throw new AmanError("USAGE", `${JSON.stringify(from)} cannot be merged into itself`, {
      hint: "give two topics",
    })
  }
  return move(knowledge, projects, from, target.topic)
}

type Projects = StoreFilter["projects"]

function move(knowledge: Knowledge, projects: Projects, from: string, into: string): MovedTopic {
  const topic = tidyLabel(into)
  if (topic === "") throw new AmanError("USAGE", "a topic needs a name", { hint: "give one word or a few" })
  const ids = topicEntries(knowledge, projects, from).map(({ id }) => id)
  if (ids.length === 0) throw unknownTopic(from, "see: aman memory topics")
  knowledge.write((writer) =>
    changeEntries(writer, ids, (entry: Entry) =>
      entry.topic === topic
        ? null
        : { type: "revised", fields: { topic }, reason: `topic ${entry.topic} became ${topic}` },
    ),
  )
  return { from, into: topic, entries: ids.length }
}

function topicEntries(knowledge: Knowledge, projects: Projects, topic: string): Entry[] {
  return knowledge.list({ topic, ...(projects !== undefined && { projects }) }).entries
}

function unknownTopic(topic: string, hint: string): AmanError {
  return new AmanError("NOT_FOUND", `unknown topic ${JSON.stringify(topic)}`, { hint })
}
