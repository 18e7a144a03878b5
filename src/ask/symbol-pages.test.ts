import { afterAll, beforeAll, expect, test } from "bun:test"
import { TempProject } from "../../test/temp-project.ts"
import type { SymbolAnswer } from "../symbols/answer/symbol-answer.ts"
import { symbolOf } from "../symbols/answer/symbol-project.ts"

const USERS = 90
/** Max files that are read for a page of references. */
const MAX_FILES = 64

/**
 * A file with a function that calls `method` on a value of known type (if `isTyped`) and on `unknown` values of
 * unknown type.
 */
function userOf(method: string, at: number, { unknown, isTyped }: { unknown: number; isTyped: boolean }) {
  const typed = isTyped ? `  north.${method}()\n` : ""
  const others = Array.from({ length: unknown }, (_, other) => `  any${other}.${method}()\n`).join("")
  return `import { North } from "../poles"\nexport function ${method}${at}(north: North): void {\n${typed}${others}}\n`
}

function usersOf(method: string, uses: (at: number) => { unknown: number; isTyped: boolean }) {
  return Object.fromEntries(
    Array.from({ length: USERS }, (_, at) => [
      `${method}/user${String(at).padStart(2, "0")}.ts`,
      userOf(method, at, uses(at)),
    ]),
  )
}

const pole = (name: string) => `export class ${name} {\n  plain(): void {}\n  tangled(): void {}\n}\n`
const project = new TempProject({
  "poles.ts": pole("North") + pole("South"),
  ...usersOf("plain", (at) => ({ unknown: 1, isTyped: at === 0 })),
  ...usersOf("tangled", () => ({ unknown: 30, isTyped: true })),
})

beforeAll(() => project.index())
afterAll(() => project[Symbol.dispose]())

test("fills a page up to its limit of files when each file is cheap", async () => {
  const first = await new Asker().page("plain", 0)
  expect(first.total).toBe(1)
  expect(first.unseen_files).toBe(USERS - MAX_FILES)
})

test("ends pages earlier for an expensive name; all pages together are complete, without repeats", async () => {
  const asker = new Asker()
  const pages: SymbolAnswer[] = []
  for (let offset: number | null = 0; offset !== null; offset = pages.at(-1)!.next_offset)
    pages.push(await asker.page("tangled", offset))
  expect(pages[0]!.unseen_files).toBeGreaterThan(USERS / 2)
  expect(pages[0]!.references.length).toBeGreaterThan(2)
  expect(pages.length).toBeGreaterThan(4)
  const paths = pages.flatMap(({ references }) => references.map(({ path }) => path))
  expect(paths).toEqual(
    Array.from({ length: USERS }, (_, at) => `tangled/user${String(at).padStart(2, "0")}.ts`),
  )
})

test("returns the same page whatever was asked before", async () => {
  const asker = new Asker()
  const { took_ms: _, ...first } = await new Asker().page("tangled", 0)
  for (const relation of ["callees", "callers"] as const) await asker.ask("tangled0", relation)
  await asker.page("plain", 0)
  expect(await asker.page("tangled", 0)).toMatchObject(first)
})

/** A caller with a freshly opened project, without anything cached. */
class Asker {
  readonly #project = project.open()

  ask(name: string, relation: "references" | "callees" | "callers", offset = 0): Promise<SymbolAnswer> {
    return symbolOf(this.#project, { name, relation, limit: 50, offset }, { refresh: false })
  }

  page(name: string, offset: number): Promise<SymbolAnswer> {
    return this.ask(name, "references", offset)
  }
}
