import { expect, test } from "bun:test"
import type { CodeSymbol } from "../parsed-file.ts"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "./parse.ts"
import { docParagraph } from "./symbols.ts"

async function symbolsOf(path: string, text: string): Promise<Record<string, CodeSymbol>> {
  const { chunks } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  const symbols = chunks.flatMap((chunk) => chunk.symbols)
  return Object.fromEntries(symbols.map((symbol) => [symbol.name, symbol]))
}

test("gives a Go method its receiver as owner, and a field its struct", async () => {
  const found = await symbolsOf(
    "a.go",
    "package a\n\n// Stack holds\n// values.\ntype Stack struct {\n\tsize int\n}\n\nfunc (s *Stack) Push(v int) error {\n\treturn nil\n}\n",
  )
  expect(found["Stack"]).toEqual({
    name: "Stack",
    kind: "struct",
    signature: "type Stack struct",
    startLine: 5,
    endLine: 7,
    owner: null,
    isLocal: false,
    doc: "Stack holds values.",
  })
  expect(found["Push"]).toMatchObject({
    kind: "method",
    owner: "Stack",
    signature: "func (s *Stack) Push(v int) error",
  })
  expect(found["size"]).toMatchObject({ kind: "field", owner: "Stack" })
})

test("gives a function in a Rust impl its type as owner, with or without attributes below its doc", async () => {
  const found = await symbolsOf(
    "a.rs",
    "impl<T> Stack<T> {\n    /// Adds one.\n    #[inline(\n        always\n    )]\n    pub fn push(&mut self, value: T) {\n        todo!()\n    }\n}\n\n/// Free.\nfn free() {}\n",
  )
  expect(found["push"]).toMatchObject({ kind: "method", owner: "Stack", doc: "Adds one." })
  expect(found["push"]?.signature).toBe("pub fn push(&mut self, value: T)")
  expect(found["free"]).toMatchObject({ kind: "function", owner: null, doc: "Free." })
})

test("assigns a Python doc string to the definition it begins", async () => {
  const found = await symbolsOf(
    "a.py",
    'class A:\n    """Is an A.\n\n    More.\n    """\n\n    def run(self):\n        """Runs it."""\n\n    def stop(self):\n        # not a doc\n        pass\n',
  )
  expect(found["A"]?.doc).toBe("Is an A.")
  expect(found["run"]).toMatchObject({ kind: "method", owner: "A", doc: "Runs it." })
  expect(found["stop"]?.doc).toBeNull()
})

test("ignores a comment at the end of the line above; across a blank line only a doc comment counts", async () => {
  const found = await symbolsOf(
    "a.js",
    "let x = 1 // about x\nfunction one() {}\n\n/**\n * Two it is.\n */\n\nfunction two() {}\n\n// Loose words.\n\nfunction three() {}\n",
  )
  expect(found["one"]?.doc).toBeNull()
  expect(found["two"]?.doc).toBe("Two it is.")
  expect(found["three"]?.doc).toBeNull()
})

test("limits signatures to one line of 300 characters", async () => {
  const parameters = Array.from({ length: 60 }, (_, at) => `  parameter${at}: string,\n`).join("")
  const found = await symbolsOf("a.ts", `export async function many(\n${parameters}) {\n  return 1\n}\n`)
  expect(found["many"]?.signature).toHaveLength(300)
  expect(found["many"]?.signature).toStartWith("export async function many( parameter0: string, parameter1")
})

test("leaves preprocessor lines out of signatures, except for a macro itself", async () => {
  const signatures = async (path: string, text: string) =>
    Object.values(await symbolsOf(path, text)).map((symbol) => symbol?.signature)
  expect(
    await signatures(
      "a.cs",
      "class A\n{\n#pragma warning disable CS1\n    public int Run(int a)\n#pragma warning restore CS1 // again\n    {\n        return a;\n    }\n}\n",
    ),
  ).toContain("public int Run(int a)")
  expect(
    await signatures("a.c", "int run(int a,\n#ifdef WIDE\n  long b\n#endif\n) {\n  return a;\n}\n"),
  ).toEqual(["int run(int a, long b )"])
  expect(await signatures("b.c", "#define LIMIT 3\n")).toEqual(["#define LIMIT 3"])
})

test("gives each of thousands of declarations on one line its own signature", async () => {
  const { chunks } = await parseFile("a.c", "static async ".repeat(4000), DEFAULT_PARSE_OPTIONS)
  const signatures = chunks.flatMap(({ symbols }) => symbols.map(({ signature }) => signature))
  expect(signatures.length).toBeGreaterThan(1000)
  expect(signatures.slice(100).filter((signature) => signature.length > 40)).toEqual([])
})

test("merges a C type with the struct of the same name and keeps differently named ones apart", async () => {
  const text =
    "typedef struct node {\n  int a;\n} node;\ntypedef enum color { RED } color;\ntypedef struct one_ { int b; } one;\ntypedef struct deep { int c; } *deep;\nnode first(node *n) { return *n; }\n"
  for (const path of ["a.c", "a.cpp", "a.m"]) {
    const { chunks, uses } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
    const symbols = chunks.flatMap((chunk) => chunk.symbols)
    const types = symbols.filter(({ kind }) => kind === "struct" || kind === "enum" || kind === "type")
    expect(types.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      "struct node",
      "enum color",
      "struct one",
      "struct one_",
      "type deep",
      "struct deep",
    ])
    expect(symbols.find(({ name }) => name === "a")?.owner).toBe("node")
    expect(uses!().flatMap(({ name, line }) => (name === "node" ? [line] : []))).toEqual([7, 7])
  }
})

test("keeps the name in a signature and removes comments and decorators of any depth", async () => {
  const c = await symbolsOf("a.c", "typedef struct {\n  int a;\n} list;\ntypedef enum kind_ { ONE } kind;\n")
  expect(c["list"]?.signature).toBe("typedef struct list")
  expect(c["kind"]?.signature).toBe("typedef enum kind_ kind")
  const options = Array.from(
    { length: 40 },
    (_, at) => `@option("--o${at}", call=lambda c: c.get(f(g(h(${at})))))\n`,
  )
  const py = await symbolsOf(
    "a.py",
    `@command(\n    name="x",\n)\n${options.join("")}def worker(ctx, name=None):  # runs\n    """Starts it."""\n    def inner():\n        return 1\n    return inner\n`,
  )
  expect(py["worker"]).toMatchObject({ signature: "def worker(ctx, name=None)", doc: "Starts it." })
  const rb = await symbolsOf("a.rb", "class Process # :nodoc:\n  # @api private\n  def run\n  end\nend\n")
  expect(rb["Process"]?.signature).toBe("class Process")
  const spread = await symbolsOf(
    "b.c",
    "int add(int a, /* first */\n        int b) // second\n{\n  return a + b;\n}\n",
  )
  expect(spread["add"]?.signature).toBe("int add(int a, int b)")
})

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
  test(`${name}: returns the first paragraph without comment markers`, () => {
    expect(docParagraph(comment)).toBe(doc)
  })
}

test("cuts a long paragraph at a word, within 300 characters", () => {
  const doc = docParagraph(`// ${"words and words ".repeat(40)}`)
  expect(doc?.length).toBeLessThanOrEqual(300)
  expect(doc).toMatch(/(words|and)…$/)
})
