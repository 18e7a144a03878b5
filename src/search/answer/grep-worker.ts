import { LRUCache } from "lru-cache"
import { type Config, errorFields } from "../../base/index.ts"
import { FROM_ROOT } from "../../index/index.ts"
import { GrepMemory } from "./grep-memory.ts"
import { grepAnswer, SHARED } from "./grep-project.ts"
import type { GrepReply, GrepTask } from "./grep-threads.ts"

declare const self: Worker

/** What is known of the files of each root; the next search of a root beyond this size reads its files. */
const memories = new LRUCache<string, { config: Config; memory: GrepMemory }>({
  maxSize: 128 << 20,
  sizeCalculation: (held) => held.memory.bytes,
})

function memoryOf({ root, config, isFixed }: GrepTask): GrepMemory {
  let held = memories.get(root)
  if (!held || !Bun.deepEquals(held.config, config)) held = { config, memory: new GrepMemory(isFixed) }
  memories.delete(root)
  memories.set(root, held)
  return held.memory
}

// The thread runs one search at a time and posts its replies.
self.onmessage = async ({ data }: MessageEvent<GrepTask>) => {
  const { root, config, question, timeoutMs } = data
  const shared = new Int32Array(data.shared)
  try {
    const place = { root, config, reader: () => null, pathRule: FROM_ROOT }
    const answer = await grepAnswer(place, question, {
      memory: memoryOf(data),
      timeoutMs,
      isCancelled: () => Atomics.load(shared, SHARED.cancelled) !== 0,
      onProgress: ({ files, matches, searched }, result) => {
        Atomics.store(shared, SHARED.files, files)
        Atomics.store(shared, SHARED.matches, matches)
        Atomics.store(shared, SHARED.searched, searched)
        if (result !== null) reply({ result })
      },
    })
    reply({ answer })
  } catch (error) {
    reply({ error: errorFields(error) })
  }
}

function reply(message: GrepReply): void {
  self.postMessage(message)
}
