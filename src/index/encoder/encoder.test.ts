import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import {
  chunkText,
  ENCODER_SPACE,
  MEMORY_SPACE,
  openEncoder,
  openMemoryEncoder,
  openReader,
  READER,
  SCALE,
  toRow,
} from "../../../packages/encoder/index.ts"
import { sha256 } from "../../base/index.ts"

// A machine that does something else takes seconds for the first text.
setDefaultTimeout(30_000)

const MODELS = join(import.meta.dir, "../../../models")
const GOLDEN = join(import.meta.dir, "../../../test/golden/encoder.json")
const TEXTS = [
  "",
  "stop writing to people whose mailbox does not exist",
  "app / models / blocklist. Addresses that get no mail. block address, is blocked",
  "draw a chart",
  "Größe 大小 \u0301 ###",
]

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

test("each model has the checksum by which its vectors are known", async () => {
  for (const [name, space] of [
    ["encoder", ENCODER_SPACE] as const,
    ["memory-layers", MEMORY_SPACE] as const,
  ]) {
    const checksum = (await Bun.file(join(MODELS, `${name}.json`)).json()).sha256
    expect(sha256(await Bun.file(join(MODELS, `${name}.bin`)).bytes())).toBe(checksum)
    expect(space.model).toContain(`@${checksum.slice(0, 12)}`)
  }
  const { sha256: checksum } = await Bun.file(join(MODELS, "reader.json")).json()
  expect(sha256(await Bun.file(join(MODELS, "reader.bin")).bytes())).toBe(checksum)
  expect(READER).toBe(checksum.slice(0, 12))
})

test("two notes have the same odds, bit for bit, on every system; any text is read in little time", async () => {
  const reader = await openReader()
  const pairs = [
    ["The timeout is 30 seconds.", "The timeout is 60 seconds."],
    ["タイムアウトは30秒", "タイムアウトは60秒に変更"],
    ["Server A has 16 cores.", "Server B has 32 cores."],
    ["", "\u0301 \0 ### 🦊"],
  ] as const
  const odds = pairs.map(([older, newer]) => reader.odds(older, newer))
  const file = GOLDEN.replace("encoder.json", "reader.json")
  if (process.env["UPDATE_GOLDEN"]) await Bun.write(file, `${JSON.stringify(odds, null, 2)}\n`)
  expect(odds).toEqual(await Bun.file(file).json())
  expect(odds[0]!).toBeGreaterThan(odds[2]!)
  const hostile = fc.array(fc.constantFrom("a", " ", "▁", "中", "\u0301", "\n", "🦊", "<s>"), {
    minLength: 20_000,
    maxLength: 20_000,
  })
  const read = (parts: readonly string[]) => Number.isFinite(reader.odds(parts.join(""), parts.join("")))
  fc.assert(fc.property(hostile, read), { numRuns: 3 })
})

test("a text has the same vector, bit for bit, on every system", async () => {
  const encoder = await openEncoder()
  const found = [encoder, await openMemoryEncoder()].flatMap((each) =>
    TEXTS.map((text) => {
      const vector = each.encode(text, 32)
      return { text, first: [...vector.slice(0, 4)], sha256: sha256(new Uint8Array(vector.buffer)) }
    }),
  )
  if (process.env["UPDATE_GOLDEN"]) await Bun.write(GOLDEN, `${JSON.stringify(found, null, 2)}\n`)
  expect(found).toEqual(await Bun.file(GOLDEN).json())
  // Also once the engine has compiled the kernel anew, with more optimisation.
  const long = TEXTS.join(" ").repeat(3)
  const first = encoder.encode(long, 96)
  for (let i = 0; i < 40; i++) expect(encoder.encode(long, 96)).toEqual(first)
})

test("a question is nearest to the file that answers it, also by the stored row", async () => {
  const encoder = await openEncoder()
  const [question, answer, other] = TEXTS.slice(1, 4).map((text) => encoder.encode(text, 32))
  expect(dot(question!, answer!)).toBeGreaterThan(dot(question!, other!) + 0.1)
  const row = new Int8Array(toRow(answer!).buffer)
  const product = row.reduce((sum, value, i) => sum + value * question![i]!, 0)
  expect(product / SCALE).toBeCloseTo(dot(question!, answer!), 2)
})

test("the text of a chunk is its path, names and documentation, and its strings and comments of several words", () => {
  const text = `
    /** Stops mail to people who have left. */
    import { x } from "./not-this/path"
    throw new Error("this address gets no mail: \${key}") // after three failures
    label("fooBar", 'y', <p>Write to them again</p>)`
  expect(
    chunkText("app/mail/bounceList.ts", { names: ["isBlocked"], docs: ["Addresses\n that failed."], text }),
  ).toBe(
    "app / mail / bounce list. is blocked. Addresses that failed.. this address gets no mail key. foo bar. write to them again. stops mail to people who have left. after three failures",
  )
  expect(chunkText("a.ts", { names: ["x"], docs: [], text: 'import "./a/b c"\nx("one")' })).toBe("")
})

test("the text of a chunk is found in time that grows with its length, whatever it contains", () => {
  const hostile = fc.array(fc.constantFrom('"', "'", "`", ">", "<", "\\", "/*", "// ", " ", "\n", "a b"), {
    minLength: 20_000,
    maxLength: 20_000,
  })
  fc.assert(
    fc.property(hostile, (parts) => {
      const said = chunkText("a.ts", { names: [], docs: [], text: parts.join("") })
      expect(said.length).toBeLessThan(2_000)
    }),
    { numRuns: 3 },
  )
})
