import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const project = join(import.meta.dir, "..")

/** Receivers whose content is not from outside, or bounded before. */
const BOUNDED = [
  // Files of aman itself and of the user.
  /\bBun\.file\([^()]*\)$|\bfile\.slice\([^()]*\)$|#file\.slice\([^()]*(?:\([^()]*\))?[^()]*\)$/,
  // `listen` requires the server's limit for requests.
  /\brequest$/,
  // Not a stream: the reader of SCIP's wire format, and the page that the build bundles.
  /\b(?:reader|this)$/,
  /\boutputs\.find\(.*\)\?$/,
]
const WHOLE = /\.(?:json|text|arrayBuffer|bytes|blob|formData)\(\)/g

function unbounded(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, row) => {
    const code = line.replace(/\/\/.*$|^\s*\*.*$/, "")
    return [...code.matchAll(WHOLE)].flatMap(({ index, 0: call }) => {
      const before = code
        .slice(0, index)
        .replace(/^.*(?:await|return|=|\(\()\s/, "")
        .trim()
      return BOUNDED.some((each) => each.test(before)) ? [] : [`${path}:${row + 1} ${before}${call}`]
    })
  })
}

test("every answer from outside is read by readBounded", () => {
  const sources = [...new Bun.Glob("{src,packages/page,packages/team}/**/*.ts").scanSync(project)]
    .map((path) => path.replaceAll("\\", "/"))
    // Tests, and the page in the browser, which asks only the server that delivered it.
    .filter((path) => !path.endsWith(".test.ts") && !path.startsWith("packages/page/browser/"))
  const found = sources.flatMap((path) => unbounded(path, readFileSync(join(project, path), "utf8")))
  expect(found).toEqual([])
})

test.each([
  "const answer = await response.json()",
  "return response.bytes()",
  "  new Response(child.stdout).text(),",
  "const all = await (await fetch(url)).arrayBuffer()",
])("the check itself finds %j", (line) => {
  expect(unbounded("src/app/a.ts", line)).toHaveLength(1)
})
