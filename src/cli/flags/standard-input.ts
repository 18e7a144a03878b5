import { AmanError } from "../../base/errors.ts"
import { decodeText } from "../../text/files/decode.ts"

const MAX_BYTES = 256 * 1024 * 1024

/** All of stdin as text, in any encoding; can be aborted while it waits for input. */
export async function standardInput(signal: AbortSignal): Promise<string> {
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
  })
  const bytes = await Promise.race([allBytes(), ended])
  return decodeText(bytes)?.text ?? new TextDecoder().decode(bytes)
}

async function allBytes(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > MAX_BYTES) {
      throw new AmanError("USAGE", "stdin is larger than 256 MiB", { hint: "search it in parts" })
    }
  }
  return Buffer.concat(chunks)
}
