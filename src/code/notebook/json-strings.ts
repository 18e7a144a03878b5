/** A string value of a JSON text; `end` is past its closing quote. */
export type JsonString = { readonly path: JsonPath; readonly start: number; readonly end: number }

/** Keys and positions from the outermost in. */
export type JsonPath = readonly string[]

type Frame = { readonly isArray: boolean; key: string; position: number; isAtKey: boolean }

/** What stands deeper is passed over. */
const MAX_DEPTH = 6
const MAX_KEY_CHARS = 64

/**
 * The string values of a JSON text with their places, which JSON.parse does not tell. Linear, without recursion, and
 * indifferent to whether the text is valid: whoever needs to know parses it.
 */
export function* jsonStrings(text: string): Generator<JsonString> {
  const frames: Frame[] = []
  const tokens = /["{}[\],:]/g
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const start = token.index
    if (token[0] !== '"') {
      punctuate(token[0], frames)
      continue
    }
    const end = stringEnd(text, start)
    tokens.lastIndex = end
    const frame = frames.at(-1)
    if (frame?.isAtKey) frame.key = text.slice(start + 1, Math.min(end - 1, start + MAX_KEY_CHARS))
    else if (frames.length <= MAX_DEPTH) yield { path: frames.map(stepOf), start, end }
  }
}

function punctuate(token: string, frames: Frame[]): void {
  const frame = frames.at(-1)
  if (token === "{" || token === "[") {
    frames.push({ isArray: token === "[", key: "", position: 0, isAtKey: token === "{" })
  } else if (token === "}" || token === "]") {
    frames.pop()
  } else if (frame) {
    frame.isAtKey = token === "," && !frame.isArray
    if (token === ",") frame.position++
  }
}

function stepOf({ isArray, key, position }: Frame): string {
  return isArray ? String(position) : key
}

/** Past the closing quote; the end of the text where there is none. */
function stringEnd(text: string, start: number): number {
  const stops = /["\\]/g
  stops.lastIndex = start + 1
  for (let stop = stops.exec(text); stop; stop = stops.exec(text)) {
    if (stop[0] === '"') return stop.index + 1
    stops.lastIndex = stop.index + 2
  }
  return text.length
}
