import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { SearchAnswer, SearchRequest } from "../src/base/answers.ts"
import type { ProjectOptions } from "../src/index/open/open-project.ts"
import { searchProject } from "../src/search/answer/search-project.ts"
import { SHOP } from "./e2e/sample.ts"
import { REQUEST, TempProject } from "./temp-project.ts"

// One class among forty functions. All contain the query's word, so the class is not among the few best
// chunks.
const CROWD = [
  ...Array.from(
    { length: 40 },
    (_, i) =>
      `export function parcel${i}(parcel: string): string {\n${"  parcel = parcel + parcel\n".repeat(60)}  return parcel\n}\n`,
  ),
  `export class Depot {\n${'  note = "a long way from any"\n'.repeat(80)}  parcel = ""\n}\n`,
].join("\n")

let shop: TempProject
beforeAll(async () => {
  shop = new TempProject(SHOP)
  await shop.index()
})
afterAll(() => shop[Symbol.dispose]())

const paths = (query: string, request: Partial<SearchRequest> = {}) => shop.paths(query, request)

describe("operators filter results:", () => {
  test.each<[string, string[]]>([
    ["refund file:billing", ["billing/refund.go", "billing/refund_test.go"]],
    ["refund file:billing -file:_test", ["billing/refund.go"]],
    ["refund -file:*_test.go lang:go", ["billing/refund.go"]],
    ["login hash lang:ts file:/web", ["web/hash.ts", "web/login.ts"]],
    ["kind:class login", ["web/login.ts"]],
    ["sym:LoginForm", ["web/login.ts"]],
    ["sym:Ledger.RefundPayment customer", ["billing/refund.go"]],
    ["sym:loginform", ["web/login.ts"]],
    ["sym:refundpayment kind:class", []],
    ['"too late for a REFUND"', ["billing/refund.go"]],
    ['refund "three days"', ["README.md"]],
    ['refund payment -"package billing"', ["README.md"]],
    ["kind:class file:web", ["web/login.ts"]],
    ["lang:python kind:function", ["tools/report.py"]],
  ])("%s", async (query, expected) => {
    expect((await paths(query, { mode: "keyword" })).sort()).toEqual(expected)
    const hybrid = await paths(query)
    expect(hybrid.filter((path) => expected.includes(path)).sort()).toEqual(expected)
  })
})

test("the query of an answer is the typed one", async () => {
  expect((await shop.search("refund file:billing -file:_test")).query).toBe("refund file:billing -file:_test")
})

test("finds a kind even if other chunks of its file match better", async () => {
  using project = new TempProject({ "crowd.ts": CROWD })
  await project.index()
  const { results } = await project.search("parcel", { kinds: ["class"], mode: "keyword" })
  expect(results).toMatchObject([{ symbol: "Depot", kind: "class", also: [] }])
  expect((await project.search("parcel kind:class")).results).toMatchObject([{ symbol: "Depot" }])
})

test("kinds follow changes of files while a project stays open", async () => {
  using project = new TempProject({ "a.ts": "export class Parcel {}\n" })
  await project.index()
  const open = project.open()
  const ask = async () => {
    const request = { ...REQUEST, query: "parcel", kinds: ["class"] }
    return (await searchProject(open, request, { refresh: false })).results.map(({ path }) => path)
  }
  expect(await ask()).toEqual(["a.ts"])
  project.write("b.ts", "export class ParcelBox {}\n")
  project.write("a.ts", "export const parcel = 1\n")
  await project.index()
  expect(await ask()).toEqual(["b.ts"])
})

test("shows the place that contains the phrase", async () => {
  const [first] = (await shop.search('"failures >= MAX_ATTEMPTS"')).results
  expect(first).toMatchObject({ path: "web/login.ts" })
  expect(first!.text).toContain("failures >= MAX_ATTEMPTS")
})

test("searches the words of a phrase that occurs nowhere", async () => {
  const asked = await shop.search('"monthly sums" report')
  expect(asked.results[0]!.path).toBe("tools/report.py")
  expect(asked.notices).toEqual(['nothing contains "monthly sums"; searched for its words'])
  const sentence = await shop.search('where is the "monthly sums" report')
  expect(sentence.results[0]!.path).toBe("tools/report.py")
  expect(sentence.notices).toEqual(['"monthly sums" was searched as text: the query reads as a sentence'])
  const alone = await shop.search('"monthly sums"')
  expect([alone.results[0]!.path, alone.notices]).toEqual(["tools/report.py", asked.notices])
  const nowhere = await shop.search('"zorblax quuxly"')
  expect([nowhere.results, nowhere.notices]).toEqual([[], ['nothing contains "zorblax quuxly"']])
  // A phrase may begin inside a word, whatever else is asked.
  expect((await shop.search('refund "undPayment(id"')).notices).toEqual([])
})

test("finds a phrase that is wrapped, also in a comment, but not over other text", async () => {
  using project = new TempProject({
    "a.ts": "/**\n * Gives up after the third\n * failed attempt.\n */\nexport const tries = 3\n",
    "b.md": "It waits until the\r\n  tide is\n> low.\n",
    "c.py": "# the third\n# time failed\n",
  })
  await project.index()
  for (const [query, path] of [
    ['"after the third failed attempt"', "a.ts"],
    ['"until  the tide is low"', "b.md"],
    ['tries "third failed"', "a.ts"],
  ] as const) {
    const { results, notices } = await project.search(query)
    expect([results.map((result) => result.path), notices], query).toEqual([[path], []])
  }
})

test.each([
  ['"=> {"', "none"],
  ['"(l *Ledger)"', "billing/refund.go"],
  ['"undPayment(id"', "billing/refund.go"],
  ['"ash(text: str"', "web/hash.ts"],
  ['"=== nowhere"', "none"],
])("a phrase may be punctuation, or begin inside a word: %s", async (query, path) => {
  for (const mode of ["keyword", "hybrid", "semantic"] as const) {
    const paths = await shop.paths(query, { mode })
    expect(paths[0] ?? "none").toBe(path)
  }
})

test("an unknown kind is an error that lists the known ones", async () => {
  await expect(shop.search("refund", { kinds: ["klass"] })).rejects.toMatchObject({
    code: "USAGE",
    hint: expect.stringContaining("function, method, class"),
  })
})

test("the second page of a phrase contains no results for its words", async () => {
  const query = '"refund" payment'
  const count = (await shop.search(query, { limit: 50 })).results.length
  const { results, notices } = await shop.search(query, { offset: count })
  expect([results, notices]).toEqual([[], [`there are no results at offset ${count}; start at offset 0`]])
})

test.each([
  ["refund file:nowhere -file:x lang:go", "file:nowhere", ["billing/refund.go", "billing/refund_test.go"]],
  ['refund "three days" file:billing', '"three days"', ["billing/refund.go", "billing/refund_test.go"]],
  ["refund file:web lang:go -file:nowhere", "file:web", ["billing/refund.go", "billing/refund_test.go"]],
  ["refund file:nowhere lang:rust", "file:nowhere lang:rust", ["README.md", "billing/refund.go"]],
])(
  "an operator that excludes everything of %s is ignored with a notice",
  async (query, ignored, expected) => {
    const { results, notices } = await shop.search(query, { mode: "keyword" })
    expect(results.map(({ path }) => path)).toEqual(expect.arrayContaining(expected))
    expect(notices).toEqual([expect.stringContaining(ignored)])
    expect(notices[0]).toMatch(/; searched (without (it|them)|for its words)$/)
  },
)

test("an empty answer names the operators, or the words that occur nowhere", async () => {
  const alone = await shop.search("file:nowhere lang:go", { mode: "keyword" })
  expect([alone.results, alone.notices]).toEqual([[], ["nothing was found with file:nowhere lang:go"]])
  const unknown = await shop.search("qqqq file:billing", { mode: "keyword" })
  expect([unknown.results, unknown.notices]).toEqual([[], ["nothing was found with file:billing"]])
})

test("an answer emptied by a filter of the request names it", async () => {
  const request = { mode: "keyword", paths: ["web"], languages: ["go", "ts"] } as const
  expect(await shop.search("refund", request)).toMatchObject({
    results: [],
    notices: ['nothing found with path "web"; without it there are results'],
  })
  expect(await shop.search("refund file:nowhere", { ...request, paths: ["billing"] })).toMatchObject({
    results: [{ path: "billing/refund.go" }, { path: "billing/refund_test.go" }],
  })
})

test("a pasted issue is text: its quotations and operators filter nothing", async () => {
  const issue = [
    "Refund is refused",
    "",
    'The page says "nothing of the kind" when I run -customer file:web lang:ts kind:class sym:Login like: web/login.ts:1',
    "refund payment ledger",
  ].join("\n")
  const { results, notices } = await shop.search(issue, { mode: "keyword" })
  expect(results.map(({ path }) => path)).toContain("billing/refund.go")
  expect(notices).toEqual([
    '"nothing of the kind" and 6 more were searched as text: the query has several lines',
  ])
})

test.each([
  "file: lang: kind: sym:",
  '"',
  '""',
  "refund --dry-run",
  "-refund",
  "http://refund",
  "std::hash",
  "a -> b",
  "\0",
])("text that is no operator is searched: %j", async (query) => {
  const { notices, results } = await shop.search(query)
  expect(notices.filter((notice) => !/^no word|^the query has no words/.test(notice))).toEqual([])
  expect(results.length > 0).toBe(/[a-z]/.test(query))
})

describe("finds words of any script:", () => {
  let texts: TempProject
  beforeAll(async () => {
    texts = new TempProject({
      "drinks.ts": "export const Café = 'a cup'\n",
      "cafe\u0301 au lait.md": "# Milk\n",
      "streets.py": "# Die längste Straße der Größe nach\ndef Straßenlänge(): pass\n",
      "turkish.md": "# İstanbul'un ısısı\n",
      "chinese.go": "package db\n\n// 连接数据库，失败时重试。\nfunc Open() {}\n",
      "japanese.md": "# サーバーの設定ファイルを読み込む\n",
      "korean.md": "# 데이터베이스에서 사용자를 찾습니다\n",
      "thai.md": "# การเชื่อมต่อฐานข้อมูลล้มเหลว\n",
      "arabic.md": "# الاتصال بقاعدة البيانات\n",
      "russian.md": "# Ёлка и подключение к базе\n",
      "greek.md": "# Σύνδεση με τη βάση\n",
      "hindi.md": "# डेटाबेस से जुड़ना\n",
    })
    await texts.index()
  })
  afterAll(() => texts[Symbol.dispose]())

  test.each([
    ["cafe", ["cafe\u0301 au lait.md", "drinks.ts"]],
    ["CAFÉ", ["cafe\u0301 au lait.md", "drinks.ts"]],
    ["cafe\u0301 file:café", ["cafe\u0301 au lait.md"]],
    ['"CAFE\u0301 ="', ["drinks.ts"]],
    ["strasse", ["streets.py"]],
    ["laengste Grösse", ["streets.py"]],
    ["groesse grosse", ["streets.py"]],
    ["sym:straßenlänge", ["streets.py"]],
    ["istanbul", ["turkish.md"]],
    ["ISISI", ["turkish.md"]],
    ["数据库", ["chinese.go"]],
    ["库", ["chinese.go"]],
    ["数据库连接", ["chinese.go"]],
    ["設定", ["japanese.md"]],
    ["サーバ", ["japanese.md"]],
    ["사용자", ["korean.md"]],
    ["ฐานข้อมูล", ["thai.md"]],
    ["قاعدة", ["arabic.md"]],
    ["بيانات", ["arabic.md"]],
    ["елка", ["russian.md"]],
    ["БАЗЕ", ["russian.md"]],
    ["συνδεση", ["greek.md"]],
    ["ΒΑΣΗ", ["greek.md"]],
    ["डेटाबेस", ["hindi.md"]],
    ["データ", []],
  ])("%s", async (query, expected) => {
    expect((await texts.paths(query, { mode: "keyword" })).sort()).toEqual(expected)
  })
})

describe("pages", () => {
  const page = (offset: number, limit: number) => shop.search("refund payment login hash", { offset, limit })

  test.each([1, 2, 3])("of %d contain every result once, in the order of the whole", async (limit) => {
    const whole = await page(0, 50)
    expect([whole.offset, whole.next_offset]).toEqual([0, null])
    const paths: string[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const answer: SearchAnswer = await page(offset, limit)
      paths.push(...answer.results.map((result) => result.path))
      expect(answer.results.length).toBeLessThanOrEqual(limit)
      offset = answer.next_offset
    }
    expect(paths).toEqual(whole.results.map((result) => result.path))
  })

  test("beyond the last one say so", async () => {
    expect(await page(500, 5)).toMatchObject({
      results: [],
      next_offset: null,
      notices: ["there are no results at offset 500; start at offset 0"],
    })
  })
})

describe("code like that at a place", () => {
  const COPY = SHOP["web/hash.ts"]!.replace("hash(text", "digest(words").replaceAll("letter", "character")

  test("is found without the place itself", async () => {
    using project = new TempProject({ ...SHOP, "other/digest.ts": COPY })
    await project.index()
    for (const mode of ["hybrid", "keyword", "semantic"] as const) {
      const { results } = await project.search("", { like: "web/hash.ts:3", mode })
      expect(results[0]!.path).toBe("other/digest.ts")
      expect(results.map(({ path }) => path)).not.toContain("web/hash.ts")
    }
    const { results } = await project.search("like: ./web/hash.ts:1-5 lang:ts", { explain: true })
    expect(results[0]).toMatchObject({ path: "other/digest.ts", score: 1 })
    for (const { explanation } of results) {
      const sum = explanation!.features.reduce((total, { contribution }) => total + contribution, 0)
      expect(sum).toBeCloseTo(explanation!.sum, 9)
    }
  })

  test.each([
    ["web/nowhere.ts:3", "NOT_FOUND"],
    ["web/hash.ts:300", "USAGE"],
    ["web/hash.ts", "USAGE"],
    ["", "USAGE"],
    ["../../etc/passwd:1", "NOT_FOUND"],
  ])("is refused for an invalid place: %j", async (like, code) => {
    await expect(shop.search("", { like })).rejects.toMatchObject({ code })
  })
})

describe("a setting changes its part of the answer:", () => {
  const ask = (settings: Partial<ProjectOptions>, query: string) =>
    searchProject(
      shop.open(settings),
      { ...REQUEST, limit: undefined, explain: true, query },
      { refresh: false },
    )
  test("search.limit", async () => {
    expect((await ask({ "search.limit": 2 }, "refund payment login")).results).toHaveLength(2)
  })
})

describe("an unknown word", () => {
  test("is replaced by one that differs by a letter, and the answer says so", async () => {
    const { results, notices, query } = await shop.search("Refnud payment")
    expect(query).toBe("Refnud payment")
    expect(results[0]!.path).toBe("billing/refund.go")
    expect(notices).toEqual(["nothing contains `refnud`; searched for `refund`"])
    const named = await shop.search("RefudnPayment")
    expect(named.results[0]!.symbol).toBe("Ledger.RefundPayment")
  })

  test("stays as it is in a phrase", async () => {
    expect((await shop.search('"Refnud payment"')).notices).toEqual([
      'nothing contains "Refnud payment"; searched for its words',
    ])
  })
})
