import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

const IMPORTS = 300
/** One import more than the limit for one file. */
const TOO_MANY = 5_001

const each = (of: number, line: (at: number) => string) => Array.from({ length: of }, (_, at) => line(at))

const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    each(IMPORTS, String).map((at) => [`shop/m${at}.py`, `def view${at}():\n    return ${at}\n`]),
  ),
  "urls.py": `${each(IMPORTS, (at) => `from shop.m${at} import view${at}\n`).join("")}\n\ndef urls():\n    return [\n${each(
    IMPORTS,
    (at) => `        view${at}(),\n`,
  ).join("")}    ]\n`,
  "web/wrap.ts": "export function wrap(): void {}\n",
  "web/many.ts": `${each(TOO_MANY, (at) => `import "big/m${at}"\n`).join("")}import { wrap } from "./wrap"\nwrap()\n`,
}

const space = indexedOnce(FILES)

test.each([0, 63, 64, IMPORTS - 1])("binds import %i of a file with 300 imports", async (at) => {
  const { related, unresolved } = await space().json(["symbol", `view${at}`, "--callers"])
  expect(related).toMatchObject([{ path: "urls.py", name: "urls", certainty: "certain" }])
  expect(unresolved.total).toBe(0)
})

test("reports that a file has more imports than are read", async () => {
  const { notices, unresolved } = await space().json(["symbol", "wrap", "--callers"])
  expect(notices).toContain("in web/many.ts, only the first 5000 imports are read: there may be further uses")
  expect(unresolved.places).toMatchObject([{ path: "web/many.ts", line: TOO_MANY + 2 }])
  const { stdout, stderr } = await space().run(["status"])
  expect(stdout + stderr).toContain("in 1 file, only the first 5000 imports are read")
})
