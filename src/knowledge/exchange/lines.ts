import { AmanError } from "../../base/errors.ts"

/** A line with something on it; 1 is the first of its file. */
export type Line = { readonly number: number; readonly text: string }

const LONGEST_LINE = 64 << 20

/**
 * The lines of a stream of bytes as they come in, without byte-order mark and line ends; empty ones are left out.
 * UTF-8, or UTF-16 behind its mark, as PowerShell writes it.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let decoder: TextDecoder | null = null
  let rest = ""
  let number = 0
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue
    decoder ??= new TextDecoder(encodingOf(chunk))
    const text = rest + decoder.decode(chunk, { stream: true })
    const lines = text.split("\n")
    rest = lines.pop()!
    if (rest.length > LONGEST_LINE) throw tooLong(number + lines.length + 1)
    for (const line of lines) {
      number++
      if (line.trim() !== "") yield { number, text: withoutReturn(line) }
    }
  }
  rest += decoder?.decode() ?? ""
  if (rest.trim() !== "") yield { number: number + 1, text: withoutReturn(rest) }
}

/** The same of a text that is there. */
export function linesIn(text: string): Line[] {
  const lines = (text.startsWith("\ufeff") ? text.slice(1) : text).split("\n")
  return lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [{ number: index + 1, text: withoutReturn(line) }],
  )
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}

function tooLong(number: number): AmanError {
  return new AmanError("USAGE", `line ${number} is longer than 64 million characters`, {
    hint: "a file of JSON Lines has one object a line",
  })
}
