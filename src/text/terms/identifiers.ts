import { unicodeWords } from "./unicode.ts"

/** HTTPServer → http, server; web_socket2 → web, socket, 2: the lower-cased words of an identifier. */
export function splitIdentifier(identifier: string): string[] {
  return words(identifier)
}

/** All words of a text in order, identifiers split. The tokenizer finds the same words, stemmed. */
export function words(text: string): string[] {
  if (!ASCII.test(text)) return unicodeWords(text)
  return (text.match(ASCII_WORDS) ?? []).map((word) => word.toLowerCase())
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what ASCII is
const ASCII = /^[\x00-\x7f]*$/

// In turn: URLs, HTTP|Server, Server or server, a lone capital, digits.
const ASCII_WORDS = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g
