import { expect, test } from "bun:test"
import { docParagraph } from "./doc-comment.ts"

const EXAMPLES: [name: string, comment: string, doc: string | null][] = [
  [
    "Go",
    "// Use appends a handler\n// to the stack.\n//\n// More about it.",
    "Use appends a handler to the stack.",
  ],
  ["JSDoc", "/**\n * Send a response.\n *\n * Examples:\n * @param {string} body\n */", "Send a response."],
  ["one line", "/** The limit. */", "The limit."],
  ["Rust", "/// A **map**.\n///\n/// # Examples", "A **map**."],
  ["Rust, inner", "//! Crate docs.", "Crate docs."],
  ["Python", '"""Return the sum.\n\n    :param a: one\n    """', "Return the sum."],
  ["Python, raw", 'r"""\n    Match it.\n    """', "Match it."],
  ["Elixir", '@doc """\n  Routes a request.\n  """', "Routes a request."],
  ["Ruby", "# Finds a record.\n# Raises if there is none.", "Finds a record. Raises if there is none."],
  ["Haskell", "-- | Parse a value.", "Parse a value."],
  ["Haskell, block", "{-| Parse a value. -}", "Parse a value."],
  ["OCaml", "(** Fold it. *)", "Fold it."],
  ["Lua", "--- Opens the picker\n---@param opts table", "Opens the picker"],
  ["C#", '/// <summary>\n/// Maps a row.\n/// </summary>\n/// <param name="x">x</param>', "Maps a row."],
  ["Solidity", "/// @notice Pays for it.\n/// @param amount in wei", "Pays for it."],
  ["HTML", "<!-- The front page. -->", "The front page."],
  ["Julia", '"""\n    total(order)\n\nAdds up an order.\n"""', "Adds up an order."],
  ["a name alone", "// total", "total"],
  ["only tags", "/**\n * @param a one\n */", null],
  ["only a rule", "// -----------------", null],
]

for (const [name, comment, doc] of EXAMPLES) {
  test(`${name}: the first paragraph without markers`, () => {
    expect(docParagraph(comment)).toBe(doc)
  })
}

test("a long paragraph ends at a word, within 300 characters", () => {
  const doc = docParagraph(`// ${"words and words ".repeat(40)}`)
  expect(doc?.length).toBeLessThanOrEqual(300)
  expect(doc).toMatch(/(words|and)…$/)
})
