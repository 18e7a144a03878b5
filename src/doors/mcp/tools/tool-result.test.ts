import { expect, test } from "bun:test"
import { join } from "node:path"
import { AGENT_ACTIONS } from "../../../memory/use/actions/actions.ts"
import { agentHint } from "./tool-result.ts"

test.each([
  ["run: aman memory list", 'run: manage {"action":"list"}'],
  ["run: aman memory restore 01ab", 'run: manage {"action":"restore","ids":["01ab"]}'],
  [
    'to merge them: aman memory merge "a b" "c\\"d"',
    'to merge them: manage {"action":"merge","from":"a b","into":"c\\"d"}',
  ],
  ["see: aman memory topics", 'see: manage {"action":"topics"}'],
  ["run: aman memory entities", 'run: manage {"action":"entities"}'],
  [
    'to rename it: aman memory rename "a b" "c"',
    'to rename it: manage {"action":"rename","topic":"a b","to":"c"}',
  ],
  ['run: aman memory related "api"', 'run: manage {"action":"related","entity":"api"}'],
  ["see: aman projects list", 'see: manage {"action":"projects"}'],
  ["run: aman index --force", "run: aman index --force"],
  ["run: aman index", 'the server is indexing: try again shortly, or call manage {"action":"status"}'],
  [
    "run: aman repos sync owner/name",
    'run: manage {"tool":"repositories","action":"sync","repository":"owner/name"}',
  ],
  [
    "the next sync tries again; to try now: aman repos sync",
    'the next sync tries again; to try now: manage {"tool":"repositories","action":"sync"}',
  ],
  ["for example: aman symbol parseConfig", 'for example: symbol {"name":"parseConfig"}'],
  ['to find the text: aman search "a b"', 'to find the text: search {"query":"a b"}'],
  ['aman search "cut \\ … "', 'search {"query":"\\"cut \\\\ … \\""}'],
  [
    'this is a file; to list its symbols: aman symbol --outline "src/a b.ts"',
    'this is a file; to list its symbols: symbol {"relation":"outline","path":"src/a b.ts"}',
  ],
  [
    "for example: aman symbol --outline src/main.ts",
    'for example: symbol {"relation":"outline","path":"src/main.ts"}',
  ],
  ["or store it anyway with --force", "or store it anyway with force: true"],
  ["aman config set ui.record_calls true", "aman config set ui.record_calls true"],
])("%s", (hint, expected) => {
  expect(agentHint(hint)).toBe(expected)
})

const SOURCES = join(import.meta.dir, "..", "..", "..")

/** All lines of hints that name a command of `aman memory`, with every inserted value replaced by x. */
async function hints(): Promise<(readonly [hint: string, action: string])[]> {
  const files = new Bun.Glob("**/memory/**/*.ts").scanSync(SOURCES)
  const sources = [...files].filter((file) => !file.endsWith(".test.ts"))
  const texts = await Promise.all(sources.map((file) => Bun.file(join(SOURCES, file)).text()))
  return texts
    .flatMap((text) => [...text.matchAll(/^.*(?:hint|missing\(|`to ).*aman memory ([a-z-]+).*$/gm)])
    .map(([line, action]) => [
      line.replace(/\$\{JSON\.stringify\([^)]*\)\}/g, '"x"').replace(/\$\{[^}]*\}/g, "x"),
      action!,
    ])
}

test("replaces a command in a hint by the tool call for it", async () => {
  const concerned = (await hints()).filter(
    ([hint, action]) =>
      (AGENT_ACTIONS as readonly string[]).includes(action) && !hint.includes("a person can"),
  )
  expect(concerned.length).toBeGreaterThan(5)
  expect(concerned.filter(([hint]) => agentHint(hint) === hint)).toEqual([])
})
