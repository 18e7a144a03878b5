import type { Found } from "./found.ts"

const COMMENT = String.raw`//|/\*|\*|--|;;|#(?!!?\[)|<!--`
const IMPORT = String.raw`import\b|package\b|from\s+\S+\s+import\b|using\s+[\w.]+;|use\s+[\w:\\{}, ]+;|require\b|@file:|"use strict"|'use strict'|<\?php`
const LINE = new RegExp(`^\\s*(?:$|${COMMENT}|${IMPORT})`)
const COMMENTED = new RegExp(`^\\s*(?:${COMMENT})`)

/** A head that is a licence more than it is imports: words of a task in that say nothing of where it is done. */
export function isPreamble({ symbol, startLine, body }: Found): boolean {
  if (symbol !== null || startLine !== 1 || !body.every(({ text }) => LINE.test(text))) return false
  return body.filter(({ text }) => COMMENTED.test(text)).length * 2 >= body.length
}
