/**
 * Code between backticks, what stands in single quotes, as messages and names do, and flags of commands. Double quotes
 * are left: what somebody said stands in them.
 */
const QUOTED =
  /`[^`\n]{1,200}`|(?<![\p{L}\p{N}])'(?!\p{N}\p{N}(?:s|(?!\p{N})))[^'\n]{1,120}'(?![\p{L}\p{N}])|(?<![\p{L}\p{N}-])--?[\p{L}][\p{L}\p{N}-]*/gu
/** Stressed, not quoted: «are `not` cached». */
const STRESSED = /^[`'](?:not|never|no|cannot|\p{L}+n['’]t)[`']$/iu
/** An item of a list without its blank: «-Never retry». */
const ITEM = /^-\p{Lu}\p{Ll}/u

/**
 * A text without what it only quotes, in spaces: «--no-edit» denies nothing, and nor does the message 'no fetch'. A year
 * ('90s) opens no quotation.
 */
export function unquoted(text: string): string {
  return text.replace(QUOTED, (quoted, at: number) => {
    const isSaid = STRESSED.test(quoted) || (text.slice(0, at).trim() === "" && ITEM.test(quoted))
    return isSaid ? quoted : " ".repeat(quoted.length)
  })
}
