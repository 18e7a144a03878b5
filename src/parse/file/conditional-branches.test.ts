import { expect, test } from "bun:test"
import { withoutBrokenBranches } from "./syntax-tree.ts"

test("keeps the first of the branches that open the same bracket, and all rows", () => {
  const text = "#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n    go();\n  }\n"
  expect(withoutBrokenBranches(text)).toBe(
    "        \n  if (a) {\n     \n          \n      \n    go();\n  }\n",
  )
})

test("keeps the branch after #else where the first is never compiled", () => {
  const text = "#if 0\nif (a) {\n#else\nif (b) {\n#endif\n}\n"
  expect(withoutBrokenBranches(text)).toBe("     \n        \n     \nif (b) {\n      \n}\n")
})

test("blanks only the directives of a branch that opens what a later one closes", () => {
  const text = "#ifdef A\nif (a) {\n#endif\ngo();\n#ifdef A\n}\n#endif\n"
  expect(withoutBrokenBranches(text)).toBe("        \nif (a) {\n      \ngo();\n        \n}\n      \n")
})

test.each([
  ["balanced branches", "#ifdef A\nint a(void) { return 1; }\n#else\nint a(void) { return 2; }\n#endif\n"],
  ["brackets in strings and comments", "#ifdef A\nputs(\"{\"); /* ( */ // [\nc = '{';\n#endif\n"],
  ["a guard around a file", "#ifndef A_H\n#define A_H\nstruct a { int b; };\n#endif\n"],
  ["C linkage", '#ifdef __cplusplus\nextern "C" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif\n'],
  ["a directive without its group", "#endif\n#else\n{\n#if A\n"],
])("changes nothing in %s", (_, text) => {
  expect(withoutBrokenBranches(text)).toBe(text)
})

test("takes linear time for many groups in each other", () => {
  const text = `${"#if A\n{\n".repeat(20_000)}${"#else\n{\n#endif\n".repeat(20_000)}`
  expect(withoutBrokenBranches(text)).toHaveLength(text.length)
})
