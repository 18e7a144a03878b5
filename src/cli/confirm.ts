import { createInterface } from "node:readline/promises"

/** Asks a question on the terminal; only "y" and "yes" return true. End of input or Ctrl-C returns false. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")))
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } catch {
    return false
  } finally {
    lines.close()
  }
}
