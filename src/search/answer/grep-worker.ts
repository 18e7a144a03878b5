import { errorFields } from "../../base/index.ts"
import { FROM_ROOT } from "../../index/index.ts"
import { GrepMemory } from "./grep-memory.ts"
import { grepAnswer, SHARED } from "./grep-project.ts"
import type { GrepReply, GrepTask } from "./grep-threads.ts"

declare const self: Worker

const memory = new GrepMemory()

// The thread runs one search at a time and posts its replies.
self.onmessage = async ({ data }: MessageEvent<GrepTask>) => {
  const { root, config, question, timeoutMs } = data
  const shared = new Int32Array(data.shared)
  try {
    const place = { root, config, reader: () => null, pathRule: FROM_ROOT }
    const answer = await grepAnswer(place, question, {
      memory,
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
