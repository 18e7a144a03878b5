/**
 * A process that stores `count` entries one by one and prints the id of each as soon as it is acknowledged:
 *
 *   bun test/knowledge-writer.ts PATH WRITER FIRST COUNT
 */
import { Knowledge } from "../src/memory/knowledge.ts"

const [path, writer, first, count] = process.argv.slice(2) as [string, string, string, string]
using knowledge = new Knowledge({ path, now: Date.now })
for (let i = Number(first); i < Number(count); i++) {
  const [made] = knowledge.remember([
    { text: `entry ${i} of writer ${writer}`, topic: "all", tags: [`w${writer}`] },
  ])
  process.stdout.write(`${i} ${made!.id}\n`)
}
