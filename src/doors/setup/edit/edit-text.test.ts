import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Change } from "../planned-change.ts"
import { apply, revert } from "./edit-text.ts"

const program = {
  command: "/opt/my tools/aman",
  isAbsolute: true,
  isSame: (other: string) => other === "/opt/my tools/aman",
}
const server: Change = { kind: "server", key: "mcpServers", shape: "typed", program }
const hooks: Change = { kind: "hook", dialect: "claude-code", program, platform: "linux" }
const cursorHooks: Change = { kind: "hook", dialect: "cursor", program, platform: "linux" }
const allow: Change = {
  kind: "permissions",
  path: ["permissions", "allow"],
  values: ["mcp__aman__search", "Bash(aman search:*)"],
}
const table: Change = { kind: "server", key: "mcp_servers", shape: null, program }
const section: Change = { kind: "section", text: "## aman\n\nAsk it.\n" }

const CHANGES = [[server], [hooks], [cursorHooks], [allow], [server, hooks, allow]] as const

/** JSON with comments and trailing commas, as people write it. */
const space = fc.constantFrom(
  "",
  " ",
  "  ",
  "\n",
  "\n  ",
  "\n\t",
  "\r\n    ",
  " /* note */ ",
  "\n  // note\n",
  " // at the end\n ",
)
const scalar = fc.oneof(
  fc.constantFrom("1", "true", "null", "-2.5e3"),
  fc.string().map((text) => JSON.stringify(text)),
)
const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, tie("object"), tie("array")),
  object: container(
    "{",
    "}",
    fc.tuple(key(), space, tie("value")).map(([name, gap, inner]) => `${name}:${gap}${inner}`),
  ),
  array: container("[", "]", tie("value")),
}))

function key() {
  return fc.oneof(
    fc.constantFrom('"env"', '"command"'),
    fc.string().map((text) => JSON.stringify(`x${text}`)),
  )
}

function container(open: string, close: string, item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const items = fc.array(fc.tuple(space, item, space), { maxLength: 4 })
  return fc.tuple(items, fc.boolean(), space).map(([list, isTrailing, end]) => {
    const inner = list.map((parts) => parts.join("")).join(",")
    return open + inner + (isTrailing && list.length > 0 ? "," : "") + end + close
  })
}

/**
 * Documents in which the members that we edit are absent, empty or filled, with other members before and inside
 * them.
 */
const known = fc.record({
  before: fc.array(fc.tuple(key(), value), { maxLength: 2 }),
  servers: fc.option(
    container(
      "{",
      "}",
      fc.tuple(key(), value).map(([name, inner]) => `${name}: ${inner}`),
    ),
  ),
  hooks: fc.option(
    container(
      "[",
      "]",
      fc.constantFrom('{"hooks":[{"type":"command","command":"other hook x"}]}', '{"command": "./audit.sh"}'),
    ),
  ),
  allow: fc.option(container("[", "]", fc.constantFrom('"Bash(ls)"', '"Read"'))),
  gap: space,
  end: space,
})
const document = known.map(({ before, servers, hooks, allow, gap, end }) => {
  const members = [
    ...before.map(([name, inner], index) => `${name.slice(0, -1)}${index}":${gap}${inner}`),
    ...(servers === null ? [] : [`"mcpServers":${gap}${servers}`]),
    ...(hooks === null ? [] : [`"hooks": {${gap}"PreToolUse"${gap}:${hooks}}`]),
    ...(allow === null ? [] : [`"permissions":${gap}{"allow":${gap}${allow}${gap}}`]),
  ]
  return `${end}{${gap}${members.join(`${gap},${gap}`)}${end}}${end}`
})

describe("JSON", () => {
  test.each(CHANGES.map((changes) => [changes.map(({ kind }) => kind).join(" and "), changes] as const))(
    "%s: inserts the change once, and reverting it restores the text byte for byte",
    (_, changes) => {
      fc.assert(
        fc.property(document, (text) => {
          const { text: with_, filled } = apply(text, changes)
          expect(with_).not.toBe(text)
          expect(apply(with_, changes).text).toBe(with_)
          expect(revert(with_, changes, filled)).toBe(text)
          expect(isSubsequence(text, with_)).toBe(true)
        }),
        { numRuns: 100 },
      )
    },
  )

  test("keeps what a person wrote around our entry meanwhile", () => {
    fc.assert(
      fc.property(document, (text) => {
        // Not for an empty object: there the comma after the new text would belong to our entry.
        fc.pre(text.includes('"'))
        const { text: with_, filled } = apply(text, [server, allow])
        const edited = with_.replace(/\{/, '{ "mine": [1], /* kept */')
        expect(revert(edited, [server, allow], filled)).toBe(text.replace(/\{/, '{ "mine": [1], /* kept */'))
      }),
      { numRuns: 100 },
    )
  })
})

/** Lines of TOML that may occur in any order before the tables. */
const tomlLine = fc.constantFrom(
  'model = "gpt-5"   # the model',
  "# [mcp_servers.aman]",
  "",
  "\t",
  "a.b = 1_000",
  'text = """\nmany\n  lines\n"""',
  "when = 2026-01-02T03:04:05Z",
  "list = [\n  1,\n  2, # two\n]",
)
const tomlTable = fc.constantFrom(
  '[mcp_servers.context7]\ncommand = "npx"\nargs = ["-y",   "@upstash/context7-mcp",]',
  "[tui]\ntheme = 'dark'",
  '[projects."/home/me/x"]\ntrust_level = "trusted"\n\n# trusted',
  "[[profiles]]\nname = 'x'",
)
const toml = fc
  .tuple(
    fc.uniqueArray(tomlLine, { selector: (line) => line.split(/[ .]/)[0]! }),
    fc.uniqueArray(tomlTable),
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\n", "\n\n", " \n"),
  )
  .map(([lines, tables, lineEnd, end]) => ([...lines, ...tables].join("\n") + end).replaceAll("\n", lineEnd))

const markdown = fc
  .tuple(
    fc.array(
      fc.constantFrom("# Project", "", "- a list", "```sh", "aman search", "<!-- a note -->", "text  "),
    ),
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\n", "\n\n\n"),
  )
  .map(([lines, lineEnd, end]) => lines.join(lineEnd) + end.replaceAll("\n", lineEnd))

describe.each([
  ["TOML", toml, table],
  ["Markdown", markdown, section],
] as const)("%s", (_, texts, change) => {
  test("reverts a change byte for byte and applies it only once", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: with_ } = apply(text, [change])
        expect(with_).toContain("aman")
        expect(apply(with_, [change]).text).toBe(with_)
        expect(revert(with_, [change], [])).toBe(text)
      }),
    )
  })

  test("keeps what a person wrote before or after our section meanwhile", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: with_ } = apply(text, [change])
        const end = with_.includes("\r\n") ? "\r\n" : "\n"
        fc.pre(text.endsWith("\n"))
        const mine = `${end}[mine]${end}a = 1${end}`
        expect(revert(`# mine${end}${with_}${mine}`, [change], [])).toBe(`# mine${end}${text}${mine}`)
      }),
    )
  })
})

test("changes an entry that starts another aman to this one and keeps what a person added", () => {
  const text =
    '{"mcpServers": {"aman": {"command": "/old/aman", "args": ["serve", "--root", "/x"], "env": {"A": "1"}}}}'
  expect(apply(text, [server]).text).toBe(text.replace("/old/aman", program.command))
  const npx = '{"mcpServers":{"aman":{"command":"npx","args":["-y","aman","serve"]}}}'
  expect(apply(npx, [server]).text).toBe(npx)
  const codex =
    '[mcp_servers.aman]\ncommand = "/old/aman" # mine\nargs = ["serve"]\nstartup_timeout_sec = 30\n'
  expect(apply(codex, [table]).text).toBe(codex.replace("/old/aman", program.command))
  const hook =
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/old/aman hook stop --agent claude-code","timeout":9}]}]}}'
  const after = apply(hook, [hooks]).text
  expect(after).toContain(
    `{"type":"command","command":"'/opt/my tools/aman' hook stop --agent claude-code","timeout":9}`,
  )
  expect(after).not.toContain("/old/aman")
})

test("removes permissions for another aman or an earlier path of this one, and no others", () => {
  const text =
    '{"permissions":{"allow":["Bash(/old/aman search:*)","mcp__aman__read","Bash(aman index:*)","mcp__aman__remember"]}}'
  expect(revert(text, [allow], [])).toBe(
    '{"permissions":{"allow":["Bash(aman index:*)","mcp__aman__remember"]}}',
  )
})

function isSubsequence(small: string, large: string): boolean {
  let at = 0
  for (let index = 0; index < large.length; index++) if (large[index] === small[at]) at++
  return at === small.length
}
