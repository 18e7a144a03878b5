import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const STACK = `#pragma once
class Stack {
public:
  void push(int value) {
    values[size] = value;
    size++;
  }
  int top() const {
    return values[size - 1];
  }
private:
  int values[64];
  int size = 0;
};
`
const FILES = {
  "src/stack.hpp": STACK,
  "src/main.cpp": '#include "stack.hpp"\nint main() {\n  Stack s;\n  s.push(1);\n  return s.top();\n}\n',
  "src/other.cpp": "int push(int value) {\n  return value + 1;\n}\n",
}

let space: Workspace
let agent: Connection
beforeAll(async () => {
  space = new Workspace(FILES)
  await space.json(["index"])
  agent = await connect(space, { isPlain: true })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

async function answerTo(tool: string, args: object): Promise<string> {
  const { content, isError } = await agent.call(tool, args)
  return `${isError ? "error: " : ""}${content[0]!.text}`
}

describe("arguments as strings are read as their type", () => {
  test("numbers", async () => {
    expect(await answerTo("search", { query: "push", limit: "1" })).not.toStartWith("error")
    expect(await answerTo("read", { path: "src/stack.hpp", start_line: "4", end_line: " 4.0 " })).toContain(
      "src/stack.hpp:4-4",
    )
    expect(await answerTo("context", { query: "push", max_tokens: "2000" })).not.toStartWith("error")
    expect(await answerTo("symbol", { name: "Stack.push", relation: "callers", depth: "2" })).toContain(
      "main",
    )
  })

  test("booleans", async () => {
    const found = await answerTo("search", { query: "PUSH", mode: "exact", ignore_case: "True" })
    expect(found).toContain("src/other.cpp")
    expect(await answerTo("status", { skipped: "false" })).toContain(space.project)
  })

  test("lists, and a single text in place of a list", async () => {
    expect(await answerTo("search", { queries: '["push", "top"]' })).toContain("top")
    expect(await answerTo("search", { queries: "push" })).toContain("src/stack.hpp")
    const paths = await answerTo("search", { query: "push", path: '["src/other.cpp"]' })
    expect(paths).toContain("src/other.cpp")
    expect(paths).not.toContain("src/stack.hpp")
    expect(await answerTo("read", { path: ["src/main.cpp"] })).toContain("src/main.cpp:1-6")
  })

  test("objects, also inside of lists and behind manage", async () => {
    const entries = JSON.stringify([
      {
        text: "The stack holds 64 values.",
        tags: '["limit"]',
        relations: [{ from: "a", to: "b", type: "uses", weight: "0.5" }],
      },
    ])
    expect(await answerTo("remember", { entries, if_new: "no" })).toContain("stored")
    const listed = await answerTo("manage", {
      tool: "knowledge",
      action: "list",
      arguments: '{"limit": "2", "tags": ["limit"], "topic": ""}',
    })
    expect(listed).toContain("64 values")
    expect(await answerTo("manage", { tool: "status", arguments: "" })).toContain(space.project)
    const stored = { text: "Owned by the core team.", metadata: '{"ticket": 12, "note": ""}' }
    expect(await answerTo("remember", stored)).toContain("stored")
    expect(await answerTo("recall", { metadata: { ticket: 12, note: "" } })).toContain("core team")
  })

  test("numbers and booleans where a text is wanted", async () => {
    expect(await answerTo("search", { query: 64, mode: "exact" })).toContain("values[64]")
  })
})

test("empty strings and null count as absent", async () => {
  const unused = {
    repository: "",
    language: "",
    kind: "",
    limit: "",
    mode: "",
    content: null,
    like: " ",
    offset: null,
  }
  expect(await answerTo("search", { query: "push", ...unused })).toContain("src/stack.hpp")
  expect(await answerTo("read", { path: "src/main.cpp", start_line: "", end_line: null })).toContain(":1-6")
  expect(await answerTo("read", { color: "", path: "", file: "src/main.cpp" })).toContain(":1-6")
})

test("null, empty and textual arguments of a call are understood", async () => {
  const call = (id: number, name: string, args: unknown) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })
  const start = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  }
  const stdin = [
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: start }),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    call(1, "status", null),
    call(2, "status", ""),
    call(3, "read", '{"path": "src/main.cpp", "end_line": 2}'),
  ].join("\n")
  const { stdout } = await space.run(["serve"], { stdin: `${stdin}\n` })
  const answers = new Map(
    stdout
      .trim()
      .split("\n")
      .map((line) => [JSON.parse(line).id, line]),
  )
  expect(answers.get(1)).toContain(JSON.stringify(space.project).slice(1, -1))
  expect(answers.get(2)).toContain(JSON.stringify(space.project).slice(1, -1))
  expect(answers.get(3)).toContain("src/main.cpp:1-2")
})

describe("a wrong argument is explained by what the argument takes", () => {
  test.each([
    ["search", { query: "x", limit: "three" }, 'limit: must be a number, not "three"'],
    ["search", { query: "x", limit: 1.5 }, "limit: must be a whole number, not 1.5"],
    ["search", { query: "x", limit: 51 }, "limit: must be at most 50, not 51"],
    [
      "search",
      { query: "x", mode: "fuzzy" },
      'mode: must be one of hybrid, keyword, semantic, exact, regex, not "fuzzy"',
    ],
    [
      "search",
      { query: "x", path: 3.5, language: { a: 1 } },
      'language: must be a text or a list, not {"a":1}',
    ],
    ["search", { query: "x", path: ["a", {}] }, "path.1: must be a text, not {}"],
    [
      "search",
      { queries: Array.from({ length: 11 }, () => "x") },
      "queries: must have at most 10 values, not 11",
    ],
    [
      "search",
      { query: "x", like: "x".repeat(10_001) },
      "like: must have at most 10000 characters, not 10001",
    ],
    ["read", {}, "path: is missing: it must be a text"],
    ["read", { path: "x", color: 1 }, 'read has no argument "color"; it takes path, repository'],
    ["remember", { entries: [{ text: "x", color: 1 }] }, 'entries.0: has no field "color"'],
    [
      "manage",
      { tool: "knowledge", action: "list", arguments: "limit 2" },
      'arguments: must be an object, not "limit 2"',
    ],
    ["manage", { tool: "knowledge", action: "list", limit: "many" }, 'limit: must be a number, not "many"'],
  ])("%s %o", async (tool, args, expected) => {
    const text = await answerTo(tool, args)
    expect(text).toStartWith(
      `error: Wrong arguments for ${tool === "manage" && !("arguments" in args) ? "knowledge" : tool}:`,
    )
    expect(text).toContain(expected)
    expect(text).not.toMatch(/Invalid|expected|received|undefined/)
  })
})

describe("a printed place is understood:", () => {
  const file = () => join(space.project, "src/stack.hpp")
  test.each([
    ["path:first-last", () => "src/stack.hpp:4-7"],
    ["an absolute path", () => `${file()}:4-7`],
    ["a file URI", () => `${pathToFileURL(file()).href}:4-7`],
    ["a file URI with lines", () => `${pathToFileURL(file()).href}#L4-L7`],
  ])("%s", async (_, place) => {
    expect(await answerTo("read", { path: place() })).toContain("src/stack.hpp:4-7 of 14 lines")
    expect((await space.run(["read", place()])).stdout).toStartWith("  void push(int value) {")
    const found = await answerTo("search", { query: "push", path: place() })
    expect(found).toContain("src/stack.hpp")
    expect(found).not.toContain("src/other.cpp")
    expect(await answerTo("search", { like: place() })).not.toStartWith("error")
    expect(await answerTo("symbol", { relation: "outline", path: place() })).toContain("push")
    expect(await answerTo("symbol", { name: "push", path: place() })).not.toContain("src/other.cpp")
    const callers = await answerTo("symbol", { name: place(), relation: "callers" })
    expect(callers).toContain("main")
    const { code, stdout } = await space.run(["symbol", place()])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("push") })
    expect(stdout).not.toContain("src/other.cpp")
  })

  test("a file whose name looks like a place is read first", async () => {
    using own = new Workspace({ "notes.md": "1\n2\n3\n", "notes.md:2": "named so\n" })
    expect((await own.run(["read", "notes.md:2"])).stdout).toBe("named so\n")
    expect((await own.run(["read", "notes.md:3"])).stdout).toBe("3\n")
  })

  test("a line outside of any definition is answered with the way to the outline", async () => {
    const text = await answerTo("symbol", { name: "src/stack.hpp:1" })
    expect(text).toContain("no definition contains line 1 of src/stack.hpp")
    expect(text).toContain('symbol {"relation":"outline","path":"src/stack.hpp"}')
  })

  test("an absolute path or URI outside of the project is refused", async () => {
    for (const path of ["/etc/hostname", "file:///etc/hostname"])
      expect(await answerTo("read", { path })).toContain("is outside the project")
  })
})

type Schema = { readonly type?: unknown; readonly properties?: object }

describe("no listed schema has an object without properties", () => {
  test.each([
    [["--tools", "default"]],
    [["--tools", "code"]],
    [["--tools", "memory"]],
    [["--tools", "full"]],
    [["--tools", "full", "--structured"]],
  ])("%p", async (args) => {
    await using server = await connect(space, { isPlain: true, args })
    const { tools } = await server.client.listTools()
    const text = JSON.stringify(tools.map(({ inputSchema }) => inputSchema))
    for (const word of ["propertyNames", "$ref", "definitions"]) expect(text).not.toContain(`"${word}"`)
    for (const { name, inputSchema } of tools) {
      const bare: string[] = []
      JSON.stringify(inputSchema, (key, value: Schema | null) => {
        if (value?.type === "object" && Object.keys(value.properties ?? {}).length === 0) bare.push(key)
        return value
      })
      expect({ name, bare }).toEqual({ name, bare: [] })
    }
  })
})

test.each([
  "remember final -s src/stack.hpp --source src/main.cpp",
  "remember final --topic a -t b",
  "remember final --key=a --key=b",
  "recall stack -n 3 --limit 4",
  "memory list --author Ada --author Boris",
  "memory revise unknown --kind semantic -k decision",
  "search push -n3 --limit=4",
  "search push --root . --root src",
  "--root . grep push --root src",
  "grep push -A 1 -A2",
  "symbol push --callers --depth 1 --depth 2",
  "context push --max-tokens 500 --max-tokens 600",
  "index --log-level info --log-level debug",
  "config show --root . --root src",
])("refuses two values of one option: aman %s", async (line) => {
  const { code, stderr } = await space.run(line.split(" "))
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^aman: --[a-z-]+ takes one value, but got ".+" and ".+"$/mu),
  ])
})

test("keeps all values of an option that is a list", async () => {
  const old = ["The stack holds 32 values.", "The queue holds 32 values."]
  const ids = await Promise.all(old.map(async (text) => (await space.json(["remember", text])).id))
  const names = ids.flatMap((each) => ["--replaces", each])
  const { id } = await space.json(["remember", "All hold 64.", ...names, "--tag", "a", "--tag", "b"])
  const { results } = await space.json(["recall", "holds values", "--outdated"])
  const replaced = results.filter((each: { superseded_by: string }) => each.superseded_by === id)
  expect(replaced).toHaveLength(2)
  expect((await space.json(["memory", "get", id])).entries[0].tags).toEqual(["a", "b"])
})
