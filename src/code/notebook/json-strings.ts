/** A string value of a JSON text; `end` is past its closing quote. */
export type JsonString = { readonly path: JsonPath; readonly start: number; readonly end: number }

/** Keys and positions from the outermost in. */
export type JsonPath = readonly string[]

type Frame = { readonly isArray: boolean; key: string; position: number; isAtKey: boolean }

/** What stands deeper is passed over. */
const MAX_DEPTH = 6
const MAX_KEY_CHARS = 64

/**
 * The string values of a JSON text with their places, which JSON.parse does not tell, but for lists and objects of the
 * keys that are `passed` over. Linear, without recursion, and indifferent to whether the text is valid: whoever needs to
 * know parses it.
 */
export function* jsonStrings(text: string, passed: ReadonlySet<string>): Generator<JsonString> {
  const frames: Frame[] = []
  const tokens = /["{}[\],:]/g
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const start = token.index
    if (token[0] !== '"') {
      if (isPassed(token[0], frames.at(-1), passed)) tokens.lastIndex = valueEnd(text, start)
      else punctuate(token[0], frames)
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

function isPassed(token: string, frame: Frame | undefined, passed: ReadonlySet<string>): boolean {
  return (token === "{" || token === "[") && frame?.isArray === false && passed.has(frame.key)
}

/** Past the list or object that begins here; the end of the text where nothing closes it. */
function valueEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at) - 1
    else if (code === BRACE || code === BRACKET) depth++
    else if ((code === BRACE + 2 || code === BRACKET + 2) && --depth === 0) return at + 1
  }
  return text.length
}

const [QUOTE, BACKSLASH, BRACE, BRACKET] = [34, 92, 123, 91]

/** Past the closing quote; the end of the text where there is none. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (before > start + 1 && text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end + 1
  }
  return text.length
}
