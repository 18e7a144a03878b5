import { AmanError } from "../../base/index.ts"

/** A non-blank line and its number, from 1. */
export type InputLine = { readonly number: number; readonly text: string }

const MAX_LINE = 64 << 20

/**
 * The non-blank lines of a stream of bytes, without byte-order mark and line ends. The encoding is UTF-8, or
 * UTF-16 after its byte-order mark, as PowerShell writes it.
 */
export async function* readInputLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<InputLine> {
  let decoder: TextDecoder | null = null
  let rest = ""
  let number = 0
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue
    decoder ??= new TextDecoder(encodingOf(chunk))
    const text = rest + decoder.decode(chunk, { stream: true })
    const lines = text.split("\n")
    rest = lines.pop()!
    if (rest.length > MAX_LINE) {
      throw new AmanError("USAGE", `line ${number + lines.length + 1} is longer than 64 million characters`, {
        hint: "a JSON Lines file has one object per line",
      })
    }
    for (const line of lines) {
      number++
      if (line.trim() !== "") yield { number, text: line.replace(/\r$/, "") }
    }
  }
  rest += decoder?.decode() ?? ""
  if (rest.trim() !== "") yield { number: number + 1, text: rest.replace(/\r$/, "") }
}

/** The non-blank lines of a text. */
export function linesIn(text: string): InputLine[] {
  const lines = (text.startsWith("\ufeff") ? text.slice(1) : text).split("\n")
  return lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [{ number: index + 1, text: line.replace(/\r$/, "") }],
  )
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

/** A line that cannot be read, and why. */
export type BadLine = { readonly line: number; readonly message: string }

const MAX_LISTED = 10

/** A USAGE error with the first bad lines. `isSkippable`: false for notes, whose lines --skip-bad cannot skip. */
export function badLines(file: string, bad: readonly BadLine[], isSkippable = true): AmanError {
  const shown = bad.slice(0, MAX_LISTED).map(({ line, message }) => `\n  line ${line}: ${message}`)
  const more = bad.length > MAX_LISTED ? `\n  and ${bad.length - MAX_LISTED} more` : ""
  const count = bad.length === 1 ? "a line" : `${bad.length} lines`
  return new AmanError("USAGE", `${file}: ${count} cannot be read:${shown.join("")}${more}`, {
    hint: `nothing was stored; repair those lines${isSkippable ? ", or skip them with --skip-bad" : ""}`,
  })
}
