import { describe, expect, test } from "bun:test"
import { answerOf, candidateOf } from "../../../test/sketches.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { coverage, parseQuery, scaleOf } from "../query/query.ts"
import { type CandidateFile, FEATURE_NAMES, featuresOf, strangenessOf } from "./features.ts"
import weights from "./weights.json" with { type: "json" }

const GATE = "symbol_query:"
const question = parseQuery("retry broken uploads")
/** Rarities of retry, broken and uploads. */
const IDF = [1, 2, 5]
const scale = scaleOf(question, answerOf(IDF))

function featureOf(name: string, candidate: CandidateFile, of = scale): number {
  const index = FEATURE_NAMES.indexOf(name)
  if (index < 0) throw new Error(`no feature ${name}`)
  return featuresOf(candidate, of)[index]!
}

describe("each weight table", () => {
  const tables = ["aman512", "keyword"] as const
  test.each(tables.flatMap((table) => [table, `${table}:task`, `${table}:guessed`] as const))(
    "%s weighs every feature and nothing else",
    (table) => {
      expect(Object.keys(weights[table]).sort()).toEqual([...FEATURE_NAMES].sort())
      for (const weight of Object.values(weights[table])) expect(Number.isFinite(weight)).toBe(true)
    },
  )

  test("cosines have no weight in the table without vectors", () => {
    const cosines = Object.entries(weights.keyword).filter(([name]) => name.startsWith("cosine"))
    expect(cosines.length).toBeGreaterThan(0)
    for (const [, weight] of cosines) expect(weight).toBe(0)
  })

  test("no feature is listed twice", () => {
    expect(new Set(FEATURE_NAMES).size).toBe(FEATURE_NAMES.length)
  })
})

test("a task ranks tests, pages and settings lower, and a file that its text names higher", () => {
  const named = { name: 1, path: 1 }
  const task = scaleOf(parseQuery("Fix retry of broken uploads in net/retry.ts"), answerOf(IDF))
  const test = candidateOf({}, { flags: FILE_FLAG.test })
  const page = candidateOf({}, { content: "docs" })
  expect(featureOf("task:test", test, task)).toBe(1)
  expect(featureOf("docs", page, task)).toBe(1)
  expect(featureOf("task:named_path", { ...page, named }, task)).toBe(1)
  for (const name of FEATURE_NAMES.filter((each) => each.startsWith("task:")))
    expect(featureOf(name, { ...test, named })).toBe(0)
  for (const table of ["aman512:task", "keyword:task"] as const) {
    for (const name of ["task:test", "docs", "data"] as const) expect(weights[table][name]).toBeLessThan(-0.5)
    expect(weights[table]["task:named"]).toBeGreaterThan(1)
  }
})

test("pages, message catalogs and translations have features of their own, unless the query asks for them", () => {
  const page = candidateOf({}, { content: "docs", isTranslation: true })
  const catalog = candidateOf({}, { content: "data", isCatalog: true, isTranslation: true })
  const of = (query: string) => scaleOf(parseQuery(query), answerOf([1, 1, 1, 1]))
  expect(["docs", "catalog", "translation"].map((name) => featureOf(name, page))).toEqual([1, 0, 1])
  expect(["docs", "catalog", "translation"].map((name) => featureOf(name, catalog))).toEqual([0, 1, 1])
  expect(featureOf("docs", page, of("guide to retries"))).toBe(0)
  expect(featureOf("catalog", catalog, of("translations of the menu"))).toBe(0)
  expect(featureOf("translation", catalog, of("translations of the menu"))).toBe(0)
})

test("a query in other words than the project's has a high strangeness, which gives features a second weight", () => {
  const chunk = { ordinal: 0, startLine: 1, endLine: 2, score: 1, body: 0b111, doc: 0b111, names: 0 }
  const terms = question.stems.map((term) => ({ term, stemIdf: 1, pathIdf: 1 }))
  const own = candidateOf({ chunks: [chunk] }, { pathTerms: terms })
  const other = candidateOf({ chunks: [{ ...chunk, doc: 0 }] }, { pathTerms: [] })
  expect(strangenessOf([other, own], scale)).toBeCloseTo(0, 5)
  expect(strangenessOf([other], scale)).toBe(1)
  const symbol = scaleOf(parseQuery("loadUser"), answerOf([1, 1, 1]))
  expect(strangenessOf([other], symbol)).toBe(0)
  expect(featureOf("strange:body_chunk", own, { ...scale, strangeness: 0.5 })).toBeCloseTo(0.5, 5)
  expect(featureOf("strange:body_chunk", own)).toBe(0)
})

test("coverage is the share of the query's summed IDF, not of its words", () => {
  expect(coverage(0b000, scale)).toBe(0)
  expect(coverage(0b011, scale)).toBeCloseTo(3 / 8, 5)
  expect(coverage(0b111, scale)).toBeCloseTo(1, 5)
})

test("the mask bits of names do not count for coverage", () => {
  const asked = parseQuery("where is load_user")
  expect(asked.terms.length).toBeGreaterThan(asked.scored)
  const idf = Array<number>(asked.terms.length).fill(1)
  expect(coverage(-1, scaleOf(asked, answerOf(idf)))).toBeCloseTo(1, 5)
})

test("the words of a path count by their position in it", () => {
  const inStem = candidateOf({ masks: { body: 0, doc: 0, names: 0, stem: 0b100, dirs: 0, head: 0 } })
  const inFolder = candidateOf({ masks: { body: 0, doc: 0, names: 0, stem: 0, dirs: 0b100, head: 0 } })
  expect(featureOf("stem", inStem)).toBeCloseTo(5 / 8, 5)
  expect(featureOf("dirs", inStem)).toBe(0)
  expect(featureOf("dirs", inFolder)).toBeCloseTo(5 / 8, 5)
  expect(featureOf("stem", inFolder)).toBe(0)
})

test("a file name that the query contains completely counts more than one it contains in part", () => {
  const masks = { body: 0, doc: 0, names: 0, stem: 0b011, dirs: 0, head: 0 }
  expect(featureOf("stem_share", candidateOf({ masks, stemWords: 2 }))).toBe(1)
  expect(featureOf("stem_share", candidateOf({ masks, stemWords: 4 }))).toBe(0.5)
})

test("a word of a path counts by its rarity, in any form that the query has", () => {
  const stemTerms = [
    { term: question.stems[2]!, stemIdf: 6, pathIdf: 3 },
    { term: "manager", stemIdf: 2, pathIdf: 9 },
  ]
  expect(featureOf("stem_idf_share", candidateOf({}, { stemTerms }))).toBeCloseTo(0.75, 5)
  expect(featureOf("path_idf_share", candidateOf({}, { pathTerms: stemTerms }))).toBeCloseTo(0.25, 5)
  expect(featureOf("folder_share", candidateOf({}, { folderTerms: [question.stems[0]!, "x"] }))).toBe(0.5)
})

test("the beginning of a word counts from three letters on", () => {
  const prefix = (word: string) => featureOf("stem_prefix", candidateOf({}, { stemWords: [word] }))
  expect(prefix("upl")).toBeCloseTo(5 / 8, 5)
  expect(prefix("brokenness")).toBeCloseTo(2 / 8, 5)
  expect(prefix("up")).toBe(0)
  expect(prefix("retry")).toBe(0)
})

test("a definition's name counts by the words it shares with the query, less by the words it has besides", () => {
  const named = (terms: number, extra: number) =>
    featureOf("name_f1", candidateOf({ symbols: [{ ordinal: 0, index: 0, terms, extra }] }))
  expect(named(0b111, 0)).toBeCloseTo(1, 5)
  expect(named(0b111, 3)).toBeLessThan(named(0b111, 1))
  expect(named(0b100, 0)).toBeGreaterThan(named(0b001, 0))
})

test("a file's best chunk counts, not the sum of its chunks", () => {
  const chunk = { ordinal: 0, startLine: 1, endLine: 2, score: 1, body: 0b011, doc: 0, names: 0 }
  const both = candidateOf({ chunks: [chunk, { ...chunk, ordinal: 1, body: 0b100 }] })
  expect(featureOf("body_chunk", both)).toBeCloseTo(5 / 8, 5)
})

test("priors follow the file's flags and content", () => {
  const test = candidateOf({}, { flags: FILE_FLAG.test })
  const vendored = candidateOf({}, { flags: FILE_FLAG.vendored })
  expect(["test", "example"].map((name) => featureOf(name, test))).toEqual([1, 0])
  expect(["test", "example"].map((name) => featureOf(name, vendored))).toEqual([0, 1])
  expect(featureOf("generated", candidateOf({}, { flags: FILE_FLAG.generated }))).toBe(1)
  expect(featureOf("declaration", candidateOf({}, { flags: FILE_FLAG.declaration }))).toBe(1)
  expect(featureOf("data", candidateOf({}, { content: "data" }))).toBe(1)
  expect(featureOf("named_as_project", candidateOf({}, { isNamedAsProject: true }))).toBe(1)
  expect(featureOf("generic_stem", candidateOf({}, { stem: "utils" }))).toBe(1)
})

test("code in a documentation folder is an example, prose there is not", () => {
  expect(featureOf("example", candidateOf({}, { flags: FILE_FLAG.docs, content: "code" }))).toBe(1)
  expect(featureOf("example", candidateOf({}, { flags: FILE_FLAG.docs, content: "docs" }))).toBe(0)
  expect(featureOf("example", candidateOf({}, { flags: FILE_FLAG.vendored, content: "docs" }))).toBe(1)
})

test("licences and change logs rank low unless the query asks for them", () => {
  const named = (stem: string, content = "docs") => candidateOf({}, { stem, content })
  const records = [
    "license",
    "changelog",
    "copying.lesser",
    "license-mit",
    "code_of_conduct",
    "release-notes",
  ]
  for (const stem of records) expect(featureOf("record", named(stem))).toBe(1)
  for (const stem of ["readme", "licensing", "historical"]) expect(featureOf("record", named(stem))).toBe(0)
  expect(featureOf("record", named("history", "code"))).toBe(0)
  const asked = scaleOf(parseQuery("what changed in uploads"), answerOf(IDF))
  expect(featureOf("record", named("changelog"), asked)).toBe(0)
})

test("a query for tests or examples does not rank them lower", () => {
  const value = (name: string, query: string, flags: number) =>
    featureOf(name, candidateOf({}, { flags }), scaleOf(parseQuery(query), answerOf([1, 1, 1, 1])))
  for (const query of ["tests of uploads", "upload specs", "mocked fixtures"])
    expect(value("test", query, FILE_FLAG.test)).toBe(0)
  expect(value("example", "examples of uploads", FILE_FLAG.example)).toBe(0)
  expect(value("example", "uploads", FILE_FLAG.example)).toBe(1)
  expect(value("test", "fast uploads", FILE_FLAG.test)).toBe(1)
})

test("mentions is the share of the query's names that the file contains completely", () => {
  const asked = parseQuery("does load_user call saveUser")
  const of = scaleOf(asked, answerOf(Array<number>(asked.terms.length).fill(1)))
  const first = 1 << asked.scored
  const held = (body: number) =>
    featureOf("mentions", candidateOf({ masks: { body, doc: 0, names: 0, stem: 0, dirs: 0, head: 0 } }), of)
  expect(held(first)).toBe(0.5)
  expect(held(first | (first << 1))).toBe(1)
  expect(held(first - 1)).toBe(0)
})

test("features for symbol queries repeat the plain ones, and are 0 for questions", () => {
  const gates = FEATURE_NAMES.filter((name) => name.startsWith(GATE))
  expect(gates.length).toBeGreaterThan(0)
  const candidate = candidateOf({ score: 1, topChunks: 1 }, { flags: FILE_FLAG.test, depth: 3 }, { exact: 1 })
  const symbol = scaleOf(parseQuery("loadUser"), answerOf([1, 1, 1]))
  for (const gate of gates) {
    expect(featureOf(gate, candidate, symbol)).toBe(featureOf(gate.slice(GATE.length), candidate, symbol))
    expect(featureOf(gate, candidate)).toBe(0)
  }
  expect(featureOf(`${GATE}defines_exact`, candidate, symbol)).toBe(1)
})

test("an answer that found nothing leaves every feature finite", () => {
  const nothing = scaleOf(parseQuery("???"), { ...answerOf([]), maxScore: 0, maxChunk: 0, maxTopChunks: 0 })
  for (const value of featuresOf(candidateOf({ stemWords: 0, lines: 0 }), nothing))
    expect(Number.isFinite(value)).toBe(true)
})

test("a definition counts that has three words of the query and most of their weight", () => {
  const of = (query: string) => scaleOf(parseQuery(query), answerOf([1, 3, 3, 3]))
  const named = (terms: number, extra = 1) =>
    candidateOf({ symbols: [{ ordinal: 0, index: 0, terms, extra }] })
  const asked = of("generate random secret key")
  expect(featureOf("carries_words", named(0b1110), asked)).toBeGreaterThan(0.8)
  expect(featureOf("carries_words", named(0b0110), asked)).toBe(0)
  expect(featureOf("carries_words", named(0b11, 0), of("secret key"))).toBe(0)
  for (const table of ["aman512", "keyword", "aman512:task"] as const)
    expect(weights[table]["carries_words"]).toBeGreaterThan(0)
})

test("a task that mentions tests has less against them", () => {
  const file = candidateOf({}, { flags: FILE_FLAG.test })
  const of = (query: string) => scaleOf(parseQuery(query), answerOf([1, 1, 1, 1, 1]))
  expect(featureOf("task:test", file, of("Fix slow redirect of the client"))).toBe(1)
  expect(featureOf("task:test", file, of("Fix flaky redirect test of the client"))).toBeLessThan(0.5)
})
