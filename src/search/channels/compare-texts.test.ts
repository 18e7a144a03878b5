import { describe, expect, test } from "bun:test"
import { answerOf, candidateOf, chunksIn, hitOf } from "../../../test/sketches.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import type { ChunkHit, FileHit } from "../../index/keyword/port.ts"
import { parseQuery, type Scale, scaleOf } from "../query/query.ts"
import { chunkReader, exactWords, type Verbatim, verbatimIn, WordRuns } from "./compare-texts.ts"

const ALL_WORDS = 0xff_ff_ff

function chunkOf(ordinal: number, startLine = 1, endLine = 99, body = ALL_WORDS): ChunkHit {
  return { ordinal, startLine, endLine, score: 1, body, doc: 0, names: 0 }
}

/** A scale for the query in which all its words are equally rare. */
function scaleFor(query: string, files: readonly FileHit[]): Scale {
  const parsed = parseQuery(query)
  return scaleOf(parsed, answerOf(Array<number>(parsed.scored).fill(1), files))
}

function verbatimOf(query: string, text: string | null, body = ALL_WORDS): Verbatim | undefined {
  const scale = scaleFor(query, [hitOf({ id: 7, chunks: [chunkOf(0, 1, 99, body)] })])
  return verbatimIn(
    query,
    scale,
    chunksIn(() => text),
  ).get(7)
}

/**
 * The share of the query that a file with this text contains word for word; its one chunk has the words of
 * the mask `body`.
 */
function share(query: string, text: string | null, body = ALL_WORDS): number {
  return verbatimOf(query, text, body)?.share ?? 0
}

/** The shares of the file's chunks: one, or none if the chunk is not listed. */
function shares(query: string, text: string, body = ALL_WORDS): number[] {
  return [...(verbatimOf(query, text, body)?.chunks.values() ?? [])]
}

describe("the share of a query that a file contains word for word", () => {
  test.each([
    ["cannot renew an expired session token", 'throw new Error("Cannot renew an expired session token!")', 1],
    ["cannot renew an expired session token", 'fail("cannot renew an " +\n     "expired session token")', 1],
    ["Error: cannot renew expired session token", 'fail("cannot renew expired session token")', 5 / 6],
    // The pasted message has values where the code has placeholders.
    [
      'Failed to renew session "abc" of user "ines": the token has expired',
      `\`Failed to renew session "\${id}" of user "\${name}": the token has expired\``,
      8 / 12,
    ],
    // The line has five of seven words of the query, so the part above half counts; a line with less than
    // half counts 0.
    ["run cache\ncannot renew an expired session token", "cannot renew an expired session token", 3 / 7],
    ["run the cache again and build\nrenew an expired token", "renew an expired token", 0],
    ["cannot renew an expired session token\r\n".repeat(9), "cannot renew an expired session token", 1],
    // A hyphenated key is a line of its own, and counts only if it is complete.
    ["what does lazyfree-lazy-eviction do", "lazyfree-lazy-expire yes\nlazyfree-lazy-eviction no", 1],
    ["lazyfree-lazy-eviction", "lazyfree-lazy-expire", 0],
    ["read-only", "read-only", 0],
    // The words in another order; too few words in a row; stop words only; an unreadable file.
    ["cannot renew an expired session token", "a token of the session expired, renew it: cannot", 0],
    ["renew session token", "renew session token", 0],
    ["what is it that they do", "what is it that they do", 0],
    ["cannot renew an expired session token", null, 0],
  ])("%s | %s", (query, text, wanted) => {
    expect(share(query, text)).toBeCloseTo(wanted, 5)
  })

  test("is marked if it is a hyphenated key, which settings and pages define and do not merely quote", () => {
    expect(verbatimOf("what is proto-max-bulk-len", "proto-max-bulk-len 512mb")?.isKey).toBe(true)
    expect(verbatimOf("cannot renew an expired token", "cannot renew an expired token")?.isKey).toBe(false)
  })

  test("is not read in a chunk with few of the words", () => {
    expect(share("cannot renew an expired session token", "cannot renew an expired session token", 3)).toBe(0)
  })

  test("is read in a chunk with the words of one line, even if it has few of the whole query's", () => {
    const lines = [
      "cannot renew an expired session token",
      "thread worker panicked while indexing old files again",
    ]
    const [first] = lines
    expect(shares(lines.join("\n"), first!, 0b11111)).toHaveLength(1)
    expect(shares(lines.join("\n"), first!, 0b11 | (0b11 << 5))).toEqual([])
  })

  test("of less than half a paste counts for chunks only, so that a line common to all such pastes lifts no file", () => {
    const note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
    const panic = "thread 'main' panicked at src/session.rs\ncannot renew session 4711 of ines"
    expect(share(`${panic}\n${note}`, note)).toBe(0)
    expect(shares(`${panic}\n${note}`, note)[0]).toBeLessThan(0.5)
    const trace = "Traceback (most recent call last):"
    const message = "ValueError: cannot renew expired session token"
    expect(share(`${trace}\n  main()\n${message}`, trace)).toBe(0)
    expect(share(`${trace}\n  main()\n${message}`, message)).toBeGreaterThan(0)
  })

  test("is read in the index's lines, which a lone carriage return does not end", () => {
    const text = `${"progress\r".repeat(50)}\nnone\ncannot renew an expired session token\n`
    const query = "cannot renew an expired session token"
    const scale = scaleFor(query, [hitOf({ id: 7, chunks: [chunkOf(0, 1, 2), chunkOf(1, 3, 3)] })])
    expect([
      ...verbatimIn(
        query,
        scale,
        chunksIn(() => text),
      )
        .get(7)!
        .chunks.keys(),
    ]).toEqual([1])
  })
})

describe("for a paste of any length,", () => {
  const message = "cannot renew an expired session token"

  /**
   * How many of `files` files are read that have one chunk each with all words of the query, and how often
   * `check` is called.
   */
  function readOf(query: string, files: number, text: string) {
    const hits = Array.from({ length: files }, (_, at) => hitOf({ id: at + 1, chunks: [chunkOf(0)] }))
    let reads = 0
    let checks = 0
    const read = () => {
      reads++
      return text
    }
    verbatimIn(query, scaleFor(query, hits), chunksIn(read), () => checks++)
    return { reads, checks }
  }

  test("few files are read, fewer if their chunks are long, with a check before each", () => {
    expect(readOf(message, 99, message)).toEqual({ reads: 16, checks: 16 })
    const long = `${message} `.repeat(30_000)
    expect(readOf(message, 99, long).reads).toBe(16)
    const hit = (id: number) => hitOf({ id, chunks: [0, 1, 2, 3].map((ordinal) => chunkOf(ordinal)) })
    let reads = 0
    const scale = scaleFor(
      message,
      Array.from({ length: 16 }, (_, at) => hit(at + 1)),
    )
    const read = () => {
      reads++
      return long
    }
    verbatimIn(message, scale, chunksIn(read))
    // A file's four chunks are read to 8,000 characters each; the limit of 200,000 characters ends the
    // seventh file.
    expect(reads).toBe(7)
  })

  test("the beginning of a long chunk is read, and only the nearest of a file's chunks", () => {
    expect(share(message, `${" ".repeat(7_000)}${message}`)).toBeCloseTo(1, 5)
    expect(share(message, `${" ".repeat(8_000)}${message}`)).toBe(0)
    const chunks = [1, 2, 3, 4, 5].map((line) => chunkOf(line, line, line))
    const scale = scaleFor(message, [hitOf({ id: 7, chunks })])
    const found = verbatimIn(
      message,
      scale,
      chunksIn(() => Array(5).fill(message).join("\n")),
    ).get(7)!
    expect([...found.chunks.keys()]).toEqual([1, 2, 3, 4])
  })

  test("office documents and PDF files are not read, because their text would have to be extracted", () => {
    const read: string[] = []
    const hits = ["a.pdf", "b.DOCX", "c.md"].map((path, id) => hitOf({ id, path, chunks: [chunkOf(0)] }))
    const reader = chunksIn((path) => {
      read.push(path)
      return message
    })
    verbatimIn(message, scaleFor(message, hits), reader)
    expect(read).toEqual(["c.md"])
  })

  test("the lines with the rarest words count", () => {
    const lines = Array.from({ length: 16 }, (_, at) => `renew expired session token ${at}`)
    const query = `${lines.join("\n")}\nsession token expired renew`
    expect(shares(query, "renew expired session token 3")).toHaveLength(1)
    expect(shares(query, "session token expired renew")).toEqual([])
    expect(shares(`${lines[0]}\n`.repeat(99) + lines[1], lines[1]!)).toHaveLength(1)
  })
})

const wordsOf = (text: string) => text.split(" ")

test.each([
  ["a b c d e", "x a b c d e y", [[0, 5]]],
  [
    "a b c 1 d e f g",
    "a b c id d e f g",
    [
      [0, 3],
      [4, 8],
    ],
  ],
  [
    "a b c d e f",
    "d e f a b c",
    [
      [0, 3],
      [3, 6],
    ],
  ],
  ["a b c d", "a b x c d", []],
  ["a b", "a b", []],
  ["a a a a", "a a a", [[0, 4]]],
  ["a b c", "", []],
])("runs of %p in %p", (line, text, wanted) => {
  expect(new WordRuns([wordsOf(line)]).in(text)).toEqual([wanted as [number, number][]])
})

test("finds the same runs in a text with letters beyond ASCII and in one without", () => {
  const runs = new WordRuns([wordsOf("could not open the_file 2"), wordsOf("öffne die datei")])
  const text = "Could NOT open the_file 2!"
  expect(runs.in(text)).toEqual([[[0, 5]], []])
  expect(runs.in(`${text} Öffne die Datei`)).toEqual([[[0, 5]], [[0, 3]]])
  expect(runs.in("could not_open the_file2")).toEqual([[], []])
})

test("finds the runs of several lines in one pass", () => {
  const runs = new WordRuns([wordsOf("a b c"), wordsOf("c d e f"), wordsOf("b c d")])
  expect(runs.in("c d e f a b c")).toEqual([[[0, 3]], [[0, 4]], []])
})

const scale = scaleOf(parseQuery("colour of a contributor"), answerOf([2, 2]))
/** A hit whose one chunk is the whole file and contains both words. */
function hit(id: number, path: string) {
  const chunk = { ordinal: 0, startLine: 1, endLine: 999, score: 1, body: 0b11, doc: 0, names: 0 }
  return { id, path, masks: { ...hitOf().masks, body: 0b11 }, chunks: [chunk] }
}
const candidates = [
  candidateOf(hit(1, "src/contributing.ts")),
  candidateOf(hit(2, "src/authors.ts")),
  candidateOf(hit(3, "src/gone.ts")),
  candidateOf(hit(4, "src/authors.test.ts"), { flags: FILE_FLAG.test }),
  candidateOf(hit(5, "docs/authors.md"), { content: "docs" }),
]
const TEXTS: Readonly<Record<string, string>> = {
  "src/contributing.ts": "how contributing changes the colours",
  "src/authors.ts": "the colour of each contributor",
  "src/authors.test.ts": "the colour of each contributor",
  "docs/authors.md": "the colour of each contributor",
}
const read = chunksIn((path) => TEXTS[path] ?? null)

test("a file with the words as typed is above one with other forms of them", () => {
  const scores = exactWords(candidates, scale, read)
  expect(scores.get(2)).toBeGreaterThan(0)
  expect(scores.get(1)).toBe(0)
})

test("pages have a value; tests have one if the query asks for them; files that cannot be read have none", () => {
  expect([...exactWords(candidates, scale, read).keys()]).toEqual([1, 2, 5])
  const forTests = scaleOf(parseQuery("tests of the contributor"), answerOf([2, 2]))
  expect([...exactWords(candidates, forTests, read).keys()]).toEqual([1, 2, 4, 5])
})

test("words that stand close together count more than the same words far apart", () => {
  const far = `colour\n${"other lines\n".repeat(200)}contributor`
  const near = `${"other lines\n".repeat(200)}colour contributor`
  const texts = chunksIn((path) => (path === "src/authors.ts" ? near : far))
  const scores = exactWords(candidates.slice(0, 2), scale, texts)
  expect(scores.get(1)! / scores.get(2)!).toBeLessThan(0.8)
})

test("reads at most sixteen files, in the given order", () => {
  const many = Array.from({ length: 40 }, (_, i) => candidateOf(hit(i + 1, `src/${i}.ts`)))
  const paths: string[] = []
  const read = chunksIn((path) => {
    paths.push(path)
    return ""
  })
  exactWords(many, scale, read)
  expect(paths).toEqual(many.slice(0, 16).map(({ hit }) => hit.path))
})

const FIRST = { ordinal: 0, startLine: 1, endLine: 2 }
const SECOND = { ordinal: 1, startLine: 3, endLine: 4 }
const FILE = { id: 7, path: "src/a.ts" }

test("reads each chunk once for all searches, and gives the texts in the order asked for", async () => {
  using project = new TempProject({ "src/a.ts": "" })
  await project.index()
  const { store } = project.open().reader()!
  const read: number[][] = []
  const reader = () =>
    chunkReader(store, (_, ranges) => {
      read.push(ranges.map(({ first }) => first))
      return ranges.map(({ first, last }) => `${first}-${last}`)
    })
  expect(reader()(FILE, [SECOND])).toEqual(["3-4"])
  expect(reader()(FILE, [SECOND, FIRST])).toEqual(["3-4", "1-2"])
  expect(reader()(FILE, [FIRST, SECOND])).toEqual(["1-2", "3-4"])
  expect(reader()({ ...FILE, id: 8 }, [SECOND, FIRST])).toEqual(["3-4", "1-2"])
  expect(read).toEqual([[3], [1], [1, 3]])
})

test("returns null for a file that cannot be read, and tries again in the next search", async () => {
  using project = new TempProject({ "src/a.ts": "" })
  await project.index()
  const { store } = project.open().reader()!
  const answers = [null, ["text"]]
  const reader = chunkReader(store, () => answers.shift()!)
  expect(reader(FILE, [FIRST])).toBeNull()
  expect(reader(FILE, [FIRST])).toEqual(["text"])
})
