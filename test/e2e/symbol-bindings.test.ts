import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { indexedOnce } from "./opened.ts"

/**
 * Files with all ways in which each language binds names; each binding is followed by a call of `flush` on
 * the name. A mark at the end of the line says what the graph must find: `//=` a certain call of Store's
 * flush, `//?` only a possible one.
 */
const ROOT = join(import.meta.dir, "../fixtures/bindings")
const PATHS = [...new Bun.Glob("**/*").scanSync(ROOT)].sort()
const FILES = Object.fromEntries(PATHS.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]))
const LANGUAGES = [...new Set(PATHS.map((path) => path.slice(0, path.indexOf("/"))))]

const space = indexedOnce(FILES)
type Place = { path: string; line: number }
const placeOf = ({ path, line }: Place) => `${path}:${line}`

/** The lines in files of a language that match a pattern. */
function linesWith(language: string, pattern: RegExp): string[] {
  return PATHS.filter((path) => path.startsWith(`${language}/`)).flatMap((path) =>
    FILES[path]!.split("\n").flatMap((text, row) => (pattern.test(text) ? [`${path}:${row + 1}`] : [])),
  )
}

test.each(LANGUAGES)(
  "%s: a name's type is known however it is bound, and no use is lost",
  async (language) => {
    const name = language === "go" || language === "cs" ? "Store.Flush" : "Store.flush"
    const answer = await space().json(["symbol", name, "--references", "--path", language, "--limit", "500"])
    const found = new Set<string>(answer.references.map(placeOf))
    const known = linesWith(language, /(?:\/\/|#)=$/)
    expect(known.length).toBeGreaterThan(1)
    expect(known.filter((line) => !found.has(line))).toEqual([])
    const listed = new Set<string>(answer.unresolved.places.map(placeOf))
    const rest = linesWith(language, /(?:\/\/|#)\?$/).filter((line) => !found.has(line) && !listed.has(line))
    const counted = answer.unresolved.total - listed.size + answer.other_uses
    expect(rest.length).toBeLessThanOrEqual(counted)
  },
)
