import { describe, expect, test } from "bun:test"
import { noteFigures } from "../figures.ts"
import { type Finding, judge } from "./judge.ts"
import { LANGUAGES } from "./languages/languages.ts"
import { type Language, programFor } from "./programs.ts"

/** Number of programs in all languages together. */
const COUNT = Number(process.env["AMAN_TEST_PROGRAMS"] ?? 3 * LANGUAGES.length)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 1)
/** Programs in one tree. In every other tree, all programs choose from the same names. */
const IN_A_TREE = 25

/** Permille of the right references that may be wrong and certain, or missing without a notice; 0 where not listed. */
const MAX_FAILURES: Readonly<Record<string, number>> = {
  java: 21,
  rust: 7,
  php: 15,
}

describe("small programs whose references are known", () => {
  for (const [at, language] of LANGUAGES.entries())
    test(`${language.name}: no certain reference is wrong, and none is missing without a notice`, async () => {
      const findings: Finding[] = []
      const count = Math.floor((COUNT + at) / LANGUAGES.length)
      for (let first = 0; first < count; first += IN_A_TREE)
        findings.push(...(await judge(programsFrom(first, count, language), language.tree)))
      const right = findings.filter(({ outcome }) => outcome === "right").length
      const failures = findings.filter(({ outcome }) => outcome === "wrong" || outcome === "silent")
      noteFigures(`programs ${language.name}`, { programs: count, right, failures: failures.length })
      expect(right).toBeGreaterThan(count)
      if (failures.length * 1000 > right * (MAX_FAILURES[language.name] ?? 0))
        expect([`${failures.length} failures, ${right} right`, ...failures.map(described)]).toEqual([])
    })
})

/** Constructs, with the forms of reaching a package, of which an answer was wrong or incomplete. */
const ONCE_WRONG: Readonly<Record<string, readonly (readonly [piece: string, form: string])[]>> = {
  python: [
    ["both types", "wildcard"],
    ["construction", "dotted module"],
  ],
  rust: [["both types", "glob"]],
  php: [
    ["variable named like a function", "same namespace"],
    ["documented property", "use"],
    ["documented parameter", "fully qualified"],
    ["instanceof", "namespace alias"],
  ],
  csharp: [
    ["property named like its type", "using"],
    ["result", "namespace alias"],
  ],
}

test.each(LANGUAGES.filter(({ name }) => ONCE_WRONG[name] !== undefined))(
  "$name: constructs that were answered wrongly once are answered right",
  async (language) => {
    const programs = ONCE_WRONG[language.name]!.flatMap(([pieceName, formName]) => {
      const form = language.forms.find(({ name }) => name === formName)!
      const piece = language.pieces.find(({ name }) => name === pieceName)!
      // The other package is reached in a form that depends on the seed.
      return Array.from({ length: piece.code.includes("‹y.") ? 12 : 1 }, (_, seed) => {
        const root = `p${piece.name.length}${form.name.length}${seed}`
        return programFor({ language, seed, root, tag: root, only: { form, piece, package: "b" } })
      })
    })
    const findings = await judge(programs, language.tree)
    expect(findings.filter(({ outcome }) => outcome === "right").length).toBeGreaterThan(programs.length)
    const failures = findings.filter(({ outcome }) => outcome === "wrong" || outcome === "silent")
    expect(failures.map(described)).toEqual([])
  },
)

function programsFrom(first: number, count: number, language: Language) {
  const isMixed = (first / IN_A_TREE) % 2 === 1
  return Array.from({ length: Math.min(IN_A_TREE, count - first) }, (_, at) => {
    const number = first + at
    const tag = isMixed ? "" : `${number}`
    return programFor({ language, seed: SEED * 1_000_003 + number, root: `p${number}`, tag })
  })
}

function described({ outcome, id, path, line, label, program }: Finding): string {
  const text = program.files.get(path)?.split("\n")[line - 1]?.trim()
  return `${outcome}: ${id} at ${path}:${line}: ${text} [${label}]`
}
