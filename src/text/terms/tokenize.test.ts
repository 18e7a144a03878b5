import { expect, test } from "bun:test"
import fc from "fast-check"
import { termOf } from "./abbreviations.ts"
import { hashTerm } from "./hash.ts"
import { splitIdentifier, words } from "./identifiers.ts"
import { createTermBuffer } from "./term-buffer.ts"
import { MAX_IDENTIFIER_LENGTH, tokenize } from "./tokenize.ts"

function termsOf(text: string, start = 0, end = text.length): { hashes: bigint[]; words: number } {
  const buffer = createTermBuffer(1)
  tokenize(text, start, end, buffer)
  const hashes = Array.from(
    { length: buffer.count },
    (_, i) => (BigInt(buffer.hi[i]!) << 32n) | BigInt(buffer.lo[i]!),
  )
  return { hashes, words: buffer.words }
}

const hashesOf = (terms: readonly string[]) => terms.map((term) => hashTerm(termOf(term)))

test("returns the stemmed words of an identifier, then its compound", () => {
  expect(termsOf("webSockets").hashes).toEqual(hashesOf(["web", "sockets", "websockets"]))
  expect(termsOf("web_socket").hashes.at(-1)).toBe(hashTerm("websocket"))
  expect(termsOf("web-socket").hashes.at(-1)).toBe(hashTerm("websocket"))
  expect(termsOf("websocket").hashes).toEqual([hashTerm("websocket")])
})

test.each([
  ["IPv4Address", "ipv4"],
  ["GraphQLSchema", "graphql"],
  ["newGitHubClient", "github"],
  ["gRPCServer", "grpc"],
  ["isNaNValue", "nan"],
  ["LaTeXDocument", "latex"],
  ["WiFiManager", "wifi"],
  ["p2pNode", "p2p"],
  ["i18nLoader", "i18n"],
  ["computeMD5Hash", "md5"],
  ["MAX_UTF8_SIZE", "utf8"],
  ["NoSQLTable", "nosql"],
])("adds to %s the compound %s inside it", (name, compound) => {
  expect(termsOf(name).hashes).toContain(hashTerm(compound))
})

test("adds no compound where the words of an identifier are plain", () => {
  for (const name of ["get_user_by_id", "getUserById", "base64StreamReader", "HTTPServerPool"])
    expect(termsOf(name).hashes.length).toBeLessThanOrEqual(splitIdentifier(name).length + 2)
  expect(termsOf("get_user_by_id").hashes).toEqual(hashesOf(["get", "user", "by", "id", "getuserbyid"]))
})

test("counts compounds as terms but not as words", () => {
  expect(termsOf("getUserById(x)").words).toBe(5)
  expect(termsOf("getUserById(x)").hashes.length).toBe(6)
})

test("joins words at a dash, but not numbers or operands", () => {
  expect(termsOf("2024-01-31").hashes).toEqual(hashesOf(["2024", "01", "31"]))
  expect(termsOf("left - right").hashes).toEqual(hashesOf(["left", "right"]))
  expect(termsOf("p->next").hashes).toEqual(hashesOf(["p", "next"]))
})

test("adds forms with and without accents for words beyond ASCII", () => {
  expect(termsOf("Café").hashes).toEqual([hashTerm("café"), hashTerm(termOf("cafe"))])
  expect(termsOf("caféNoir").hashes).toContain(hashTerm(termOf("cafénoir")))
  expect(termsOf("it’s “new”—yes").hashes).toEqual(hashesOf(["it", "s", "new", "yes"]))
  expect(termsOf("Cafe\u0301").hashes[0]).toBe(hashTerm("café"))
})

test("splits scripts without spaces into pairs, and adds single Chinese characters", () => {
  expect(termsOf("数据库").hashes).toEqual(["数据", "据库", "数", "据", "库"].map(hashTerm))
  expect(termsOf("数据库").words).toBe(2)
  expect(termsOf("数える").hashes).toEqual(["数え", "える", "数"].map(hashTerm))
  expect(termsOf("数").hashes).toEqual([hashTerm("数")])
  expect(termsOf("サーバー").hashes).toEqual(["サー", "ーバ", "バー"].map(hashTerm))
  expect(termsOf("ｻｰﾊﾞｰ").hashes).toEqual(termsOf("サーバー").hashes)
  expect(termsOf("연결을").hashes).toEqual(["연결", "결을"].map(hashTerm))
  expect(termsOf("ชื่อที่").hashes).toEqual(["ชื่อ", "อที่"].map(hashTerm))
})

test.each([
  ["Straße", "strasse"],
  ["İstanbul", "istanbul"],
  ["ısı", "isi"],
  ["smørrebrød", "smorrebrod"],
  ["Łódź", "lodz"],
  ["ﬁlter", "filter"],
  ["Ｄａｔａ", "data"],
  ["ёлка", "елка"],
  ["όνομα", "ονομα"],
  ["ΟΔΟΣ", "οδοσ"],
  ["الكتاب", "كتاب"],
  ["أحمد", "احمد"],
  ["שָׁלוֹם", "שלום"],
  ["Việt", "viet"],
])("%s is found as %s", (written, typed) => {
  expect(termsOf(written).hashes).toContain(hashTerm(termOf(typed)))
})

test("keeps vowel marks of scripts whose letters carry them", () => {
  expect(termsOf("हिन्दी").hashes).toEqual([hashTerm("हिन्दी")])
})

test("leaves out runs that are too long for a name", () => {
  const name = "x".repeat(MAX_IDENTIFIER_LENGTH)
  expect(termsOf(`a ${name} b`).hashes.length).toBe(3)
  expect(termsOf(`a ${name}x b`).hashes).toEqual(hashesOf(["a", "b"]))
})

test("reads only the given range", () => {
  expect(termsOf("alpha beta gamma", 6, 10).hashes).toEqual(hashesOf(["beta"]))
})

const identifierText = fc
  .array(
    fc.constantFrom(
      ..."aZsS9_-. \n".split(""),
      "Http",
      "URLs",
      "foo",
      "é",
      "Ö",
      "数",
      "’",
      "ß",
      "ﬁ",
      "İ",
      "ก",
      "ي",
      "™",
      "½",
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(""))

test("returns the words of the plain splitter in order", () => {
  fc.assert(
    fc.property(identifierText, (text) => {
      const found = new Set(termsOf(text).hashes)
      for (const word of words(text)) expect(found.has(hashTerm(termOf(word)))).toBe(true)
      expect(termsOf(text).words).toBe(words(text).length)
    }),
    { numRuns: 500 },
  )
})

test("returns the words, at most four inner compounds and the compound of an ASCII identifier", () => {
  const identifier = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,30}$/)
  fc.assert(
    fc.property(identifier, (name) => {
      const parts = splitIdentifier(name)
      const { hashes } = termsOf(name)
      const compound = parts.length > 1 ? [parts.join("")] : []
      expect(hashes.slice(0, parts.length)).toEqual(hashesOf(parts))
      expect(hashes.slice(parts.length).slice(-1)).toEqual(hashesOf(compound))
      expect(hashes.length - parts.length - compound.length).toBeLessThanOrEqual(4)
    }),
    { numRuns: 500 },
  )
})

test("reads random texts to the end without failing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const { hashes, words: count } = termsOf(text)
      expect(hashes.length).toBeGreaterThanOrEqual(count)
    }),
  )
})
