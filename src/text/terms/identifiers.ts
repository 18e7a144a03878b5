import { ASCII, ASCII_WORDS, unicodeWords } from "./unicode.ts"

/** The words of an identifier in lower case: http and server for HTTPServer; web, socket and 2 for web_socket2. */
export function splitIdentifier(identifier: string): string[] {
  return words(identifier)
}

/**
 * All words of a text in order and in lower case, with identifiers split. The tokenizer finds the same words and stems
 * them.
 */
export function words(text: string): string[] {
  if (!ASCII.test(text)) return unicodeWords(text)
  return (text.match(ASCII_WORDS) ?? []).map((word) => word.toLowerCase())
}
