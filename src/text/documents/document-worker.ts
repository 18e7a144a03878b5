import { decodeText } from "../files/decode.ts"
import type { DocumentTask } from "./document-text.ts"
import { officeText } from "./office-text.ts"
import { isSvg } from "./svg-file.ts"
import { svgText } from "./svg-text.ts"

declare const self: Worker

// The thread reads one document at a time, because the sender waits for each answer.
self.onmessage = async ({ data }: MessageEvent<DocumentTask>) => {
  const { path, bytes, maxChars, port, signal } = data
  port.postMessage(await extractText(path, bytes, maxChars).catch(() => "binary" as const))
  const state = new Int32Array(signal)
  Atomics.store(state, 0, 1)
  Atomics.notify(state, 0)
}

async function extractText(path: string, bytes: Uint8Array, maxChars: number) {
  if (isSvg(path)) {
    const decoded = decodeText(bytes)
    return decoded === null ? "binary" : svgText(decoded.text, maxChars)
  }
  if (!/\.pdf$/i.test(path)) return officeText(path, bytes, maxChars)
  const { pdfText } = await import("./pdf-text.ts")
  return pdfText(bytes, maxChars)
}
