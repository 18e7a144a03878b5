import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AmanError } from "../src/base/errors.ts"
import { type KeywordPart, openKeywordIndex } from "../src/index/keyword/keyword-index.ts"
import { mergeSegments } from "../src/index/keyword/merge.ts"
import { ExactIndex } from "../src/index/vector/exact.ts"
import { FlatWriter, openFlat } from "../src/index/vector/flat-file.ts"
import { openGraph, saveGraph } from "../src/index/vector/graph-file.ts"
import { newGraph, searchGraph } from "../src/index/vector/graphs.ts"
import { loadNative } from "../src/index/vector/native.ts"
import { toScanRows } from "../src/index/vector/rows.ts"
import { deltaTable, toVectorsRow } from "../src/index/vector/set.ts"
import { packUses, StoredUses, USE } from "../src/parse/references/use-code.ts"
import { hashFile, verifyDerived } from "../src/store/derived/derived-files.ts"
import { queryTerms } from "../src/text/terms/query-terms.ts"
import { packScan, unpackScan } from "../src/tree/scan/scan-snapshot.ts"
import { keywordFile } from "./contracts/keyword-files.ts"
import { segmentOf } from "./contracts/keyword-subjects.ts"
import { clusteredVectors, rowOf } from "./contracts/vectors.ts"
import { noteFigures } from "./figures.ts"
import { randomFrom } from "./random.ts"

// `bun run soak --formats 20000` tries more.
const COUNT = Number(process.env["AMAN_TEST_FORMATS"] ?? 120)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 1)

const folder = mkdtempSync(join(tmpdir(), "aman-formats-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const DIMENSIONS = 24
const ROWS = 300
const vectors = clusteredVectors(ROWS, DIMENSIONS, 3)
const native = loadNative()

/**
 * One of our file formats: valid bytes, and a function that uses them as a program does. For any bytes the
 * function must return or throw an AmanError. A checksum detects most damage first, but not in a file that
 * was altered after the check, and not in a row of the database.
 */
type Format = { readonly valid: () => Uint8Array; readonly read: (bytes: Uint8Array) => void }

const FORMATS: Readonly<Record<string, Format>> = {
  "a keyword segment in a row": {
    valid: () => segment,
    read: (bytes) => queryAll([{ bytes, dead: NONE }]),
  },
  "a keyword segment whose checksum is known": {
    valid: () => segment,
    read: (bytes) => queryAll([{ bytes, dead: NONE, isVerified: true }]),
  },
  "a keyword segment in a file": {
    valid: () => segment,
    read: (bytes) =>
      queryAll([{ bytes: { path: fileOf(bytes), size: bytes.length }, dead: NONE, isVerified: true }]),
  },
  "a keyword segment that is merged": {
    valid: () => segment,
    read: (bytes) => {
      const merged = mergeSegments([
        { bytes, dead: new Set([2]) },
        { bytes: other, dead: NONE },
      ])
      queryAll([{ bytes: merged, dead: NONE }])
    },
  },
  "a table of vectors": {
    valid: () => flatFile(),
    read: (bytes) => searchTable(bytes, {}),
  },
  "a table of vectors that is read in parts": {
    valid: () => flatFile(),
    read: (bytes) => searchTable(bytes, { mappedBytes: 0 }),
  },
  "vectors in a row": {
    valid: () => Buffer.concat([delta.ordinals, delta.rows]),
    read: (bytes) => {
      const ordinals = bytes.slice(0, delta.ordinals.length)
      const rows = bytes.slice(delta.ordinals.length)
      search(new ExactIndex(deltaTable([{ fileId: 7, ordinals, rows }], DIMENSIONS)))
    },
  },
  "the uses of a file": {
    valid: () => uses.places,
    read: (bytes) => {
      const stored = new StoredUses(bytes)
      for (const name of ["alpha", "nn.Module", "missing"]) stored.of(name)
      stored.typeUses()
      stored.between(1, 50, () => true)
      stored.check()
    },
  },
  "the snapshot of a scan": {
    valid: () => snapshot,
    read: (bytes) => void unpackScan(bytes),
  },
}
const GRAPH: Format = {
  valid: () => graphFile(),
  read: (bytes) => {
    const path = fileOf(bytes)
    for (const isMapped of [true, false]) {
      using graph = openGraph(path, DIMENSIONS, isMapped)
      if (graph !== null) searchGraph(graph, rowOf(vectors, 3, DIMENSIONS), 20)
    }
  },
}

test.each(Object.entries(native === null ? FORMATS : { ...FORMATS, "a graph": GRAPH }))(
  `%s ends in an answer or an error of ours for ${COUNT} damages`,
  (name, { valid, read }) => {
    const random = randomFrom(SEED)
    const sound = Uint8Array.from(valid())
    read(sound.slice())
    let refused = 0
    for (let round = 0; round < COUNT; round++) {
      const bytes = damaged(sound, random)
      try {
        read(bytes)
      } catch (error) {
        if (!(error instanceof AmanError))
          throw new Error(`damage ${round} of seed ${SEED}: ${error}`, { cause: error })
        refused++
      }
    }
    noteFigures(name, { damages: COUNT, refused })
  },
  60_000 + COUNT * 1_000,
)

test("a checksum notices every damage of a file", () => {
  const random = randomFrom(SEED)
  const name = "keyword-1.seg"
  const path = join(folder, name)
  writeFileSync(path, segment)
  const row = { name, ...hashFile(path), inode: "", times: "" }
  for (let round = 0; round < COUNT; round++) {
    const bytes = damaged(segment, random)
    writeFileSync(path, bytes)
    expect(verifyDerived(folder, row) !== null).toBe(Buffer.compare(bytes, segment) === 0)
  }
})

/** A copy with one to three damages: bits, numbers, ranges, or its end. */
function damaged(sound: Uint8Array, random: () => number): Uint8Array {
  const pick = (below: number) => Math.floor(random() * below)
  let bytes = sound.slice()
  for (let left = 1 + pick(3); left > 0 && bytes.length > 8; left--) {
    const at = pick(bytes.length)
    const length = Math.min(1 + pick(64), bytes.length - at)
    switch (pick(7)) {
      case 0:
        bytes[at]! ^= 1 << pick(8)
        break
      case 1:
        bytes[at] = pick(256)
        break
      // Headers and footers contain the offsets of everything else.
      case 2:
        setNumber(bytes, pick(2) === 0 ? pick(64) * 4 : bytes.length - 4 - pick(16) * 4, pick)
        break
      case 3:
        setNumber(bytes, at & ~3, pick)
        break
      case 4:
        bytes.fill(pick(2) === 0 ? 0 : 255, at, at + length)
        break
      case 5:
        bytes.copyWithin(pick(bytes.length), at, at + length)
        break
      default:
        bytes = pick(4) === 0 ? Uint8Array.from([...bytes, ...bytes.subarray(at)]) : bytes.slice(0, at)
    }
  }
  return bytes
}

function setNumber(bytes: Uint8Array, at: number, pick: (below: number) => number): void {
  if (at < 0 || at + 4 > bytes.length) return
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const old = view.getUint32(at, true)
  const numbers = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, old + 1, old - 1, old * 2, bytes.length]
  view.setUint32(at, numbers[pick(numbers.length)]! >>> 0, true)
}

const NONE: ReadonlySet<number> = new Set()
const WORDS = "alpha beta parser socket web_socket HTTPServer getUserById the queue retry lock 42".split(" ")

function segmentFrom(id: number, files: number): Uint8Array {
  const random = randomFrom(id)
  const word = () => WORDS[Math.floor(random() * WORDS.length)]!
  const text = () => Array.from({ length: Math.floor(random() * 40) }, word).join(" ")
  return segmentOf(
    Array.from({ length: files }, (_, i) =>
      keywordFile(id + i, {
        path: `src/${word()}/${word()}${i}.ts`,
        chunks: Array.from({ length: 1 + (i % 4) }, () => ({
          doc: text(),
          // Posting lists of more than 255 bytes are stored in another form.
          body: `${text()} common`.repeat(1 + (i % 3)),
          names: [word(), word()],
        })),
      }),
    ),
  )
}

const segment = segmentFrom(1, 150)
const other = segmentFrom(1_000, 5)

function queryAll(parts: readonly KeywordPart[]): void {
  const index = openKeywordIndex(parts)
  for (const text of ["alpha", "common web_socket the", WORDS.join(" ")]) {
    index.query({ terms: queryTerms(text), files: 20 })
    for (const { variants } of queryTerms(text)) {
      for (const { hash } of variants) {
        index.holding(hash)
        index.holders(hash)
        index.someHolders(hash, 5)
        index.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
      }
    }
  }
}

let names = 0
function fileOf(bytes: Uint8Array): string {
  const path = join(folder, `${names++ % 4}.bin`)
  rmSync(path, { force: true })
  writeFileSync(path, bytes)
  return path
}

function flatFile(): Uint8Array {
  const path = join(folder, "flat.vec")
  const writer = new FlatWriter(path, DIMENSIONS)
  writer.add(
    Float64Array.from({ length: ROWS }, (_, i) => 65_536 * (1 + i)),
    toScanRows(vectors, DIMENSIONS),
  )
  writer.finish()
  return new Uint8Array(readFileSync(path))
}

function graphFile(): Uint8Array {
  const path = join(folder, "1.graph")
  const graph = newGraph(native!, DIMENSIONS)
  graph.add(
    BigUint64Array.from({ length: ROWS }, (_, i) => BigInt(65_536 * (1 + i))),
    toScanRows(vectors, DIMENSIONS),
    1,
  )
  saveGraph(graph, path)
  return new Uint8Array(readFileSync(path))
}

const delta = toVectorsRow(
  7,
  Array.from({ length: 20 }, (_, i) => i),
  vectors.slice(0, 20 * DIMENSIONS),
  DIMENSIONS,
)

const uses = packUses(
  Array.from({ length: 400 }, (_, i) => ({
    name: i % 9 === 0 ? "nn.Module" : `name${i % 31}`,
    line: 1 + i,
    flags: [USE.call, USE.import, USE.base, USE.member, USE.declares][i % 5]!,
    qualifier: [null, "this", "?", `other${i % 7}`][i % 4]!,
  })),
)

const snapshot = packScan({
  files: Array.from({ length: 60 }, (_, i) => ({
    path: `src/f${i}.ts`,
    size: i,
    mtimeMs: 1e12 + i,
    ...(i % 7 === 0 && { attributeFlags: 1 }),
  })),
  folders: ["", "src"].map((path) => ({
    path,
    mtimeMs: 1e12,
    isRepository: path === "",
    hasRules: true,
    skipped: { link: 2, unreadable: 1 },
  })),
  skipped: { link: 2 },
  tooLarge: [{ path: "big.bin", size: 1e9, mtimeMs: 1e12 }],
  rules: [{ path: "/p/.gitignore", size: -1, mtimeMs: 0 }],
  options: "key",
  startedAtMs: 1e12,
})

function searchTable(bytes: Uint8Array, options: { readonly mappedBytes?: number }): void {
  const table = openFlat(fileOf(bytes), DIMENSIONS, options)
  if (table === null) return
  using index = new ExactIndex(table)
  search(index)
}

function search(index: ExactIndex): void {
  const query = rowOf(vectors, 3, DIMENSIONS)
  index.search(query, 20)
  index.search(query, 5, (key) => key % 3 === 0)
  const score = index.scorer(query)
  for (let key = 0; key < 20 * 65_536; key += 65_536) score(key)
  index.get(65_536 * 4)
}
