/** More is no call of an agent, or one with a whole file in it: what it is about cannot be worth reading it. */
const MOST_BYTES = 8 << 20

/**
 * All of stdin as text; null where it is too much. That is read all the same: who writes to a pipe that nobody reads
 * fails, and agents take that for a failure of the hook.
 */
export async function readInput(): Promise<string | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of Bun.stdin.stream()) {
    bytes += part.length
    if (bytes <= MOST_BYTES) parts.push(part)
  }
  return bytes > MOST_BYTES ? null : Buffer.concat(parts).toString("utf8")
}
