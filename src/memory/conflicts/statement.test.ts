import { expect, test } from "bun:test"
import { readSentence } from "./sentences.ts"
import { factsOf } from "./statement.ts"

test.each([
  ["We migrated the queue to Kafka.", true],
  ["Ben wrote the importer.", true],
  ["We use Redis for shared sessions", false],
  ["We use Memcached for shared sessions", false],
  ["A hundred jobs at full speed need hosted runners", false],
  ["The embedded runner takes a hundred jobs", false],
])("tells of something that happened: %s %p", (sentence, isEvent) => {
  expect(factsOf(readSentence(sentence), []).isEvent).toBe(isEvent)
})
