import fc from "fast-check"
import type { Sketch } from "./keyword-files.ts"

// Few words, so that files share them; some are compounds of others.
const WORDS = [
  ..."alpha beta gamma delta parser parsing socket web websocket webSocket web_socket HTTPServer getUserById".split(
    " ",
  ),
  ..."i 42 x2 the cities Größe café 数据库 a.b -> foo-bar URLs // {".split(" "),
]

const word = fc.constantFrom(...WORDS)
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(" "))
const name = fc.constantFrom(
  "alpha",
  "webSocket",
  "HTTPServer.getUserById",
  "a::parser",
  "x2",
  "operator+",
  "+",
  "websocket",
)

const chunk = fc.record({ doc: text, body: text, names: fc.array(name, { maxLength: 4 }) })
const segmentName = fc.constantFrom("src", "web", "socket", "http-server", "parser.test", "index")
const path = fc
  .array(segmentName, { minLength: 1, maxLength: 4 })
  .chain((parts) => fc.nat(3).map((n) => `${parts.join("/")}${n === 0 ? "" : n}.ts`))

/** Up to eight files under different paths, of up to five chunks each. */
export const sketches: fc.Arbitrary<Sketch[]> = fc.uniqueArray(
  fc.record({ path, chunks: fc.array(chunk, { maxLength: 5 }), flags: fc.nat(7) }),
  { maxLength: 8, selector: (sketch) => sketch.path },
)

export const someQuery: fc.Arbitrary<string> = fc
  .array(word, { maxLength: 6 })
  .map((words) => words.join(" "))
