/**
 * Code between backticks, what stands in single quotes, as messages and names do, and flags of commands. Double quotes
 * are left: what somebody said stands in them.
 */
const QUOTED =
  /`[^`\n]{1,200}`|(?<![\p{L}\p{N}])'[^'\n]{1,120}'(?![\p{L}\p{N}])|(?<![\p{L}\p{N}-])--?[\p{L}][\p{L}\p{N}-]*/gu

/** A text without what it only quotes, in spaces: «--no-edit» denies nothing, and nor does the message 'no fetch'. */
export function unquoted(text: string): string {
  return text.replace(QUOTED, (quoted) => " ".repeat(quoted.length))
}
