import { expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import { textLines } from "../text-lines.ts"
import { embeddedNames } from "./templates.ts"
import type { Use } from "./use-code.ts"

/** Kinds of templates with pieces of their syntax. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "a.erb": ["<%=", "<%", "%>", "<%#", "<%--", " -%>"],
  "a.heex": ["<%=", "%>", "{", "}", "<.row", "</.row>", "<Shop.Row"],
  "a.haml": ["= ", "- ", "%p=", "#{", "}", ".row", "~ ", "&= "],
  "a.twig": ["{{", "}}", "{%", "%}", "{#", "#}", "|"],
  "a.blade.php": ["{!!", "!!}", "{{", "}}", "@if(", "@foreach (", ")", "{{--"],
  "a.cshtml": ["@model ", "@(", "@{", "}", '@Html.Row("', 'asp-for="', '"'],
  "a.astro": ["---\n", "{", "}", "<Row ", "/>"],
  "a.html": ['(click)="', '[value]="', '*ngIf="', '@click="', '"', "@if (", "@for (", ") {", "{{", "}}"],
}
const WORDS = ["shown", "total(", ")", "item", ".", ",", " ", "\n", "'quoted'", '"', "'", "\\", "é", "0", "𝒙"]
const LANGUAGES: Readonly<Record<string, string>> = { "a.astro": "astro", "a.html": "html" }

/** Every use is a name that stands on its line. */
function expectOnLines(uses: readonly Use[], text: string): void {
  const lines = text.split("\n")
  for (const { name, line } of uses) expect(lines[line - 1]).toContain(name)
}

test.each(Object.keys(TEMPLATES))("%s: every name of a random template stands on its line", (path) => {
  const pieces = fc.array(fc.constantFrom(...TEMPLATES[path]!, ...WORDS), { maxLength: 60 })
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join("")
      expectOnLines(embeddedNames(path, LANGUAGES[path] ?? "template", textLines(text)), text)
    }),
    { numRuns: 200 },
  )
})

test.each(Object.keys(TEMPLATES))("%s: a long run of any piece is read in bounded time", (path) => {
  for (const piece of TEMPLATES[path]!) {
    for (const filler of ["", "shown ", "\n"]) {
      const lines = textLines(`${piece}${filler}`.repeat(20_000))
      const started = cpuTime()
      embeddedNames(path, LANGUAGES[path] ?? "template", lines)
      expect({ piece, filler, isSlow: cpuTime() - started > 3000 }).toEqual({ piece, filler, isSlow: false })
    }
  }
})

/** Pieces of code that bind values, by language. */
const CODE: Readonly<Record<string, readonly string[]>> = {
  "a.ts": [
    "const ",
    "let ",
    "{ a, b: c } = ",
    "[d, e] = ",
    "await ",
    "new Store()",
    "open(",
    ")",
    "=> ",
    "as Store",
    ": Store",
    " instanceof Store",
    "\n",
    "if (",
    "{",
    "}",
    "?.",
    "x.run()",
  ],
  "a.go": [
    "x, err := ",
    "var (\n",
    ")",
    "range ",
    "switch y := x.(type) {\n",
    "case *Store:\n",
    "New()",
    "}",
    "\n",
    "x.Run()",
    "func ",
    "= ",
  ],
  "a.py": [
    "with open() as ",
    "x = ",
    "(y := run())",
    "match x:\n",
    "    case Store():\n",
    "for a, b in ",
    "x.run()",
    "\n",
    "    ",
    ": Store",
    "*rest, last = ",
    "isinstance(x, Store)",
  ],
  "a.rs": [
    "let ",
    "Some(x)",
    " = ",
    "else {",
    "}",
    "match ",
    "=> ",
    "if let ",
    "&mut ",
    "open()?",
    ";\n",
    "x.run()",
    ": Store",
    "|",
    "@ ",
  ],
}

test.each(Object.keys(CODE))(
  "%s: every use in random code that binds values stands on its line",
  async (path) => {
    const pieces = fc.array(fc.constantFrom(...CODE[path]!, ...WORDS), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const text = parts.join("")
        const { uses } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
        expectOnLines(uses?.() ?? [], text)
      }),
      { numRuns: 100 },
    )
  },
)
