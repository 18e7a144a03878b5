import { openEncoder, openMemoryEncoder, toRow } from "../../../packages/encoder/index.ts"
import type { EncodeReply, EncodeTask } from "./encode-texts.ts"

/**
 * The program of the process that encodes texts. It ends when its parent ends; its memory is returned with it.
 */
process.on("message", async ({ texts, tokens, of }: EncodeTask) => {
  const encoder = await (of === "code" ? openEncoder() : openMemoryEncoder())
  process.send?.({ rows: texts.map((text) => toRow(encoder.encode(text, tokens))) } satisfies EncodeReply)
})
process.on("disconnect", () => process.exit(0))
