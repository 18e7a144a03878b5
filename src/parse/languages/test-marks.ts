/*
 * Recognises tests in the text of a file: functions that a runner takes for tests, and calls with a title.
 */

/**
 * How the head of a function shows that a runner takes it for a test: the lines of its annotations and its first line.
 * `isMarked`: the mark makes it one in any file, not only in files of tests.
 */
type FunctionRule = { readonly head: RegExp; readonly isMarked?: true }

const FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  js: { head: /^\s*@test\b/m },
  go: { head: /^func (?:\([^)]*\) )?(?:Test|Example|Fuzz)(?!\p{Ll})/mu },
  python: { head: /\bdef test/ },
  rust: { head: /#\[\s*(?:\w+::)*(?:test|rstest|test_case|wasm_bindgen_test|quickcheck)\b/, isMarked: true },
  jvm: {
    head: /@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b|\bvoid test[A-Z_]\w*\(/,
    isMarked: true,
  },
  csharp: {
    head: /\[\s*(?:\w+\s*,\s*)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Property)\b/,
    isMarked: true,
  },
  php: { head: /\bfunction test|@test\b|#\[\s*(?:\w+\\)*Test\b/ },
  ruby: { head: /\bdef test_/ },
  swift: { head: /\bfunc test|@Test\b/ },
  elixir: { head: /^\s*(?:test|property)\s/m },
  c: { head: /^\s*TEST(?:_[A-Z]+)?\s*\(/m },
}

const ANY_FUNCTION: FunctionRule = {
  head: /\b(?:def|defn|fun|func|function|fn|sub|proc|void|let|deftest)\s+test|\(deftest\b/,
}

/** True if runners of the language take a function with this head for a test. `isTestFile`: its file is one of tests. */
export function isTestFunction(family: string, head: string, isTestFile: boolean): boolean {
  const rule = FUNCTIONS[family] ?? ANY_FUNCTION
  return (isTestFile || rule.isMarked === true) && rule.head.test(head)
}

type TestBlock = { readonly title: string; readonly line: number; readonly isGroup: boolean }

const GROUPS = "describe|context|suite|feature|group"
/** A call with a title: `it("adds", …)`, `RSpec.describe Cart do`, `@testset "adds" begin`. */
const BLOCK = new RegExp(
  `^\\s*@?(?:(?:await|void|return) )?(?:RSpec\\.|QUnit\\.|Deno\\.|t\\.)?[fx]?(${GROUPS}|it|its|test|testset|testWidgets|specify|scenario|example|property)(?:\\.\\w+)*(?:\\s*\\(\\s*|\\s+)(?:(["'\`])((?:\\\\.|(?!\\2)[^\\\\]){1,300})\\2|([A-Z][\\w:.]*))`,
)
/** The end of a table of cases, after which the title follows: `])("adds %i", …)`. */
const AFTER_TABLE = /^\s*(?:\]|`|\[.*\]|.*\.each\(.*\))\)?\(\s*(["'`])((?:\\.|(?!\1)[^\\]){1,300})\1/
const IS_GROUP = new RegExp(`^(?:${GROUPS})$`)

/**
 * Calls with titles around a line, the innermost first, by their indentation; none before the line `first`. A line that
 * is such a call itself counts.
 */
export function testBlocksAround(line: number, lines: readonly string[], first: number): TestBlock[] {
  const blocks: TestBlock[] = []
  let indent = Number.POSITIVE_INFINITY
  for (let at = line; at >= first && indent > 0; at--) {
    const text = lines[at - 1] ?? ""
    const own = text.search(/\S/)
    if (own < 0 || own >= indent) continue
    indent = own
    const block = blockAt(text, at)
    if (block !== null && (blocks.length === 0 || block.isGroup)) blocks.push(block)
  }
  return blocks
}

function blockAt(text: string, line: number): TestBlock | null {
  if (text.length > 1_000) return null
  const [, word, , quoted, constant] = BLOCK.exec(text) ?? []
  if (word !== undefined)
    return { title: plainTitle(quoted ?? constant!), line, isGroup: IS_GROUP.test(word) }
  const title = AFTER_TABLE.exec(text)?.[2]
  return title === undefined ? null : { title: plainTitle(title), line, isGroup: false }
}

function plainTitle(quoted: string): string {
  return quoted.replace(/\\(.)/g, "$1")
}
