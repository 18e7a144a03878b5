/**
 * Writes vectors of the messages and questions of conversations for message-questions.py:
 *
 *   bun packages/lab/train/message-questions.ts --conversations DIR --out DIR
 *
 * --conversations  as for the bench (packages/lab/bench/conversations.ts), with the open conversations alone
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { sentenceEncoder } from "../../../src/index/index.ts"
import { sentencesOf } from "../../../src/memory/recall/index/analyse.ts"
import { publicSets } from "../bench/conversations.ts"

const { values } = parseArgs({ options: { conversations: { type: "string" }, out: { type: "string" } } })
if (values.conversations === undefined || values.out === undefined) {
  console.error("message-questions: --conversations DIR and --out DIR are needed")
  process.exit(2)
}
const vectors: Uint8Array[] = []
const add = async (text: string) => {
  const { buffer } = await sentenceEncoder.embedQuery(text)
  vectors.push(new Uint8Array(buffer))
}
const stores = []
for (const { name, conversations } of publicSets(values.conversations))
  for (const { notes, questions } of conversations) {
    const sentences = notes.flatMap(({ text }, note) =>
      sentencesOf(text).map(({ start, end }) => ({ note, text: text.slice(start, end).trim() })),
    )
    for (const { text } of sentences) await add(text)
    for (const { question } of questions) await add(question)
    const numbers = new Map(notes.map(({ ref }, note) => [ref, note]))
    const answers = questions.map((each) => each.answers.map((ref) => numbers.get(ref)!))
    stores.push({ set: name, notes: sentences.map(({ note }) => note), answers })
  }
mkdirSync(values.out, { recursive: true })
writeFileSync(join(values.out, "vectors.f32"), Buffer.concat(vectors))
writeFileSync(join(values.out, "stores.json"), JSON.stringify(stores))
