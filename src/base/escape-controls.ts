/**
 * DEL, C1 control characters, line separators, and characters that change the direction of text. JSON does
 * not escape them, but a terminal interprets them.
 */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Escapes characters that a terminal interprets as \uXXXX, in JSON or in a text with escapes like JSON's. */
export function escapeControls(json: string): string {
  return json.replace(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
