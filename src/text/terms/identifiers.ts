import { ASCII, ASCII_WORDS, unicodeWords } from "./unicode.ts"

/** The lower-cased words of an identifier: HTTPServer → http, server; web_socket2 → web, socket, 2. */
export function splitIdentifier(identifier: string): string[] {
  return words(identifier)
}

/** All words of a text in order, lower-cased, identifiers split. The tokenizer finds the same words and stems them. */
export function words(text: string): string[] {
  if (!ASCII.test(text)) return unicodeWords(text)
  return (text.match(ASCII_WORDS) ?? []).map((word) => word.toLowerCase())
}
