import { openEncoder, openMemoryEncoder, openReader, toRow } from "../../../packages/encoder/index.ts"
import type { EncodeReply, EncodeTask } from "./encode-texts.ts"

/**
 * The program of the process that encodes texts and reads pairs of notes. It ends when its parent ends; its memory is
 * returned with it.
 */
process.on("message", async (task: EncodeTask) => process.send?.(await replyTo(task)))
process.on("disconnect", () => process.exit(0))

async function replyTo(task: EncodeTask): Promise<EncodeReply> {
  if ("pairs" in task) {
    const reader = await openReader()
    return { rows: [], odds: task.pairs.map(([older, newer]) => reader.odds(older, newer)) }
  }
  const encoder = await (task.of === "code" ? openEncoder() : openMemoryEncoder())
  return { rows: task.texts.map((text) => toRow(encoder.encode(text, task.tokens))), odds: [] }
}
