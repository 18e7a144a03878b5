import { errorFields } from "../../base/index.ts"
import { FROM_ROOT, packedTree } from "../../index/index.ts"
import { GrepMemories } from "./grep-memory.ts"
import { type GrepLimits, grepAnswer, SHARED } from "./grep-project.ts"
import type { GrepReply, GrepTask } from "./grep-threads.ts"

declare const self: Worker

const memories = new GrepMemories()

// The thread runs one search at a time and posts its replies.
self.onmessage = async ({ data }: MessageEvent<GrepTask>) => {
  const { root, config, question, timeoutMs } = data
  using _pack = data.isFixed ? packedTree.use(root) : null
  const shared = new Int32Array(data.shared)
  try {
    const place = { root, config, reader: () => null, pathRule: FROM_ROOT }
    const limits: GrepLimits = {
      timeoutMs,
      isCancelled: () => Atomics.load(shared, SHARED.cancelled) !== 0,
      onProgress: ({ files, matches, searched }, result) => {
        Atomics.store(shared, SHARED.files, files)
        Atomics.store(shared, SHARED.matches, matches)
        Atomics.store(shared, SHARED.searched, searched)
        if (result !== null) reply({ result })
      },
    }
    const answer = await memories.use(data, (memory) => grepAnswer(place, question, { ...limits, memory }))
    reply({ answer })
  } catch (error) {
    reply({ error: errorFields(error) })
  }
}

const reply = (message: GrepReply) => self.postMessage(message)
