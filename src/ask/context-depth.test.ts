import { afterAll, beforeAll, expect, test } from "bun:test"
import { TempProject } from "../../test/temp-project.ts"
import type { ContextFile, ContextRequest } from "../context/bundle.ts"
import { contextOf } from "../context/context-project.ts"

/** Source of methods that make a class long, each with a word that occurs nowhere else. */
const filler = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const n = from + i
    return `  step${n}(input: string): string {\n    const kept = input.slice(${n})\n    return kept.padEnd(${n}, "-")\n  }\n`
  }).join("\n")

const FILES = {
  "src/desk.ts": `/** Where money is taken. */
export class BillingDesk {
${filler(0, 20)}
  settle(invoice: number): number {
    const rounded = Math.round(invoice)
    return rounded === 0 ? this.refuse(invoice) : rounded
  }

${filler(20, 40)}
  refuse(amount: number): never {
    throw new Error("nothing to take: " + amount)
  }
}
`,
  "src/queue.ts": `export function enqueueParcel(parcel: string): void {
  pending.push(parcel)
}

const pending: string[] = []

export function waitingParcels(): number {
  const labels = pending.map((each) => {
    const trimmed = each.trim()
    return trimmed.toUpperCase()
  })
  return labels.length
}
${Array.from({ length: 8 }, (_, i) => `\nexport function sort${i}(rows: string[]): string[] {\n  const copy = [...rows]\n  copy.sort()\n  return copy.slice(${i})\n}\n`).join("")}`,
  "CHANGELOG.md": `# Changelog\n\n## 1.2\n\n- The billing desk settles an invoice that is rounded.\n- A parcel is enqueued.\n\n## 1.1\n\n- The desk.\n`,
  "docs/desk.md": "# The billing desk\n\nIt settles an invoice, rounded.\n\nSee the desk.\n",
}

let space: TempProject
beforeAll(async () => {
  space = new TempProject(FILES)
  await space.index()
})
afterAll(() => space[Symbol.dispose]())

const ask = (query: string, maxTokens: number, more: Partial<ContextRequest> = {}) =>
  contextOf(
    space.open(),
    { query, maxTokens, paths: [], related: true, tests: true, memories: false, ...more },
    { refresh: false, memories: null },
  )
const snippetsOf = ({ files }: { files: readonly ContextFile[] }, path: string) =>
  files.find((file) => file.path === path)?.snippets ?? []

test("shows the matching parts of a class that is too long to show whole, and names the class", async () => {
  const snippets = snippetsOf(await ask("billing desk settles a rounded invoice", 1500), "src/desk.ts")
  const part = snippets.find(({ text }) => text.includes("const rounded = Math.round(invoice)"))
  expect(part?.text).toContain("return rounded === 0")
  for (const { why, lines } of snippets.filter(({ why }) => why.includes("part of"))) {
    // The class begins one line earlier, because its comment belongs to it.
    const [start, end] = lines.split("-").map(Number)
    const [first, last] = / part of (\d+)-(\d+)/.exec(why)!.slice(1).map(Number)
    expect([start! >= first! - 1, end! <= last!, end! - start! < last! - first!]).toEqual([true, true, true])
  }
})

test("treats operators in a task as plain text", async () => {
  for (const query of [
    'Fix settle: "no such text anywhere" for an -invoice',
    "settle lang:zig -invoice of the desk",
  ]) {
    const { files } = await ask(query, 1000)
    expect(files.map(({ path }) => path)).toContain("src/desk.ts")
  }
})

test("only names a changelog, unless the task mentions it", async () => {
  const fix = snippetsOf(await ask("the billing desk settles an invoice", 8000), "CHANGELOG.md")
  expect(fix.some(({ text }) => text.includes("\n"))).toBe(false)
  const entry = snippetsOf(await ask("changelog entry for the billing desk", 8000), "CHANGELOG.md")
  expect(entry.some(({ text }) => text.includes("\n"))).toBe(true)
})
