/**
 * Divides the texts of pairs into word pieces for train-encoder.py:
 *
 *   bun packages/lab/train/encoder-ids.ts --vocabulary vocab.txt --out DIR PAIRS...
 *
 * Writes DIR/ids.u16 (all texts one after another), DIR/ends.u32 (end of each text) and DIR/pairs.u32 (left, right, kind,
 * repository of each pair), DIR/names.json (kinds and repositories).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { WordPieces } from "../../encoder/word-pieces.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { vocabulary: { type: "string" }, out: { type: "string" } },
})
const pieces = new WordPieces(readFileSync(values.vocabulary!, "utf8").trimEnd().split("\n"))
const LEFT = 48
/** As src/index/encoder reads files and chunks. */
const OF_FILE = 96
const OF_CHUNK = 64
const ids: number[] = []
const ends: number[] = []
const known = new Map<string, number>()
const kinds: string[] = []
const repos: string[] = []
const pairs: number[] = []
const seen = new Set<string>()
for (const file of positionals)
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { kind, left, right, repo } = JSON.parse(line)
    const key = `${left}\0${right}`
    if (seen.has(key)) continue
    seen.add(key)
    const limit = kind.endsWith("to chunk") ? OF_CHUNK : OF_FILE
    pairs.push(text(left, LEFT), text(right, limit), place(kinds, kind), place(repos, repo))
  }
mkdirSync(values.out!, { recursive: true })
writeFileSync(join(values.out!, "ids.u16"), Uint16Array.from(ids))
writeFileSync(join(values.out!, "ends.u32"), Uint32Array.from(ends))
writeFileSync(join(values.out!, "pairs.u32"), Uint32Array.from(pairs))
writeFileSync(join(values.out!, "names.json"), JSON.stringify({ kinds, repos }))
console.log(
  `${ends.length} texts, ${(ids.length / ends.length).toFixed(1)} pieces each; ${pairs.length / 4} pairs, ${repos.length} repositories`,
)

function text(value: string, limit: number): number {
  const found = known.get(value)
  if (found !== undefined) return found
  for (const id of pieces.idsOf(value, limit)) ids.push(id)
  known.set(value, ends.length)
  ends.push(ids.length)
  return ends.length - 1
}

function place(list: string[], name: string): number {
  const at = list.indexOf(name)
  return at === -1 ? list.push(name) - 1 : at
}
