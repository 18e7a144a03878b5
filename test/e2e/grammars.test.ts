import { expect, test } from "bun:test"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { ByteReader, unsigned } from "../../src/base/bytes.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { until } from "./remotes.ts"

const PACKAGES = join(import.meta.dir, "../../node_modules")
const TALON = join(PACKAGES, "@cursorless/tree-sitter-wasms/out/tree-sitter-talon.wasm")
const KOTLIN = join(PACKAGES, "@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm")
const JSON_GRAMMAR = join(PACKAGES, "tree-sitter-json/tree-sitter-json.wasm")
const RUNTIME = join(PACKAGES, "web-tree-sitter/web-tree-sitter.wasm")
const QUERY =
  "(comment) @comment\n(command_declaration left: (rule) @name right: (_) @body) @definition.function\n"
const COMMANDS = "app: vscode\n-\n# Says hello.\nhello world: key(a)\nbye now: key(b)\n"

type Pack = { about?: unknown; wasm?: string | Uint8Array; query?: string; example?: string }

/** Writes the folder of a grammar, by default that of Talon's, and returns its path. */
function pack(space: Workspace, given: Pack = {}): string {
  const {
    about = { id: "talon", extensions: ["talon"] },
    wasm = TALON,
    query = QUERY,
    example = COMMANDS,
  } = given
  const folder = join(space.dir, "pack")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, "examples"), { recursive: true })
  writeFileSync(join(folder, "grammar.json"), JSON.stringify(about))
  writeFileSync(join(folder, "definitions.scm"), query)
  writeFileSync(join(folder, "examples", "a.txt"), example)
  if (typeof wasm === "string") copyFileSync(wasm, join(folder, "a.wasm"))
  else writeFileSync(join(folder, "a.wasm"), wasm)
  return folder
}

/** A module that exports the function `name`, which returns 0. */
function moduleWith(name: string): Uint8Array {
  const exported = [name.length, ...Buffer.from(name), 0, 0]
  const sections = [
    [1, 5, 1, 0x60, 0, 1, 0x7f],
    [3, 2, 1, 0],
    [7, exported.length + 1, 1, ...exported],
    [10, 6, 1, 4, 0, 0x41, 0, 0x0b],
  ]
  return Uint8Array.from([...Buffer.from("\0asm\x01\0\0\0", "latin1"), ...sections.flat()])
}

test("an added grammar reads its language's files again, and no others; removed, they are text", async () => {
  using space = new Workspace({ "a.talon": COMMANDS, "b.rs": "fn other() {}\n" })
  await space.run(["index"])
  expect((await space.run(["symbol", "hello world"])).code).toBe(1)
  const { added } = await space.json(["grammars", "add", pack(space)])
  expect(added).toMatchObject({
    id: "talon",
    abi: 14,
    replaced: false,
    examples: [{ definitions: 2, errors: 0 }],
  })
  const { definitions } = await space.json(["symbol", "hello world"])
  expect(definitions).toMatchObject([
    { path: "a.talon", start_line: 4, kind: "function", language: "talon", doc: "Says hello." },
  ])
  const { results } = await space.json(["search", "lang:talon bye now"])
  expect(results).toMatchObject([{ path: "a.talon" }])
  expect((await space.json(["grammars"])).grammars).toMatchObject([{ id: "talon", extensions: ["talon"] }])
  const doctor = await space.run(["doctor"])
  expect(doctor.stdout).toContain("talon added by you")

  expect((await space.json(["grammars", "add", pack(space)])).added.replaced).toBe(true)
  expect((await space.json(["index"])).changed).toBe(0)
  await space.run(["grammars", "remove", "talon"])
  expect((await space.json(["index"])).changed).toBe(1)
  expect((await space.run(["symbol", "hello world"])).code).toBe(1)
})

test("a running server uses a grammar that is added beside it", async () => {
  using space = new Workspace({ "a.talon": COMMANDS })
  await using server = await connect(space)
  const ask = async () =>
    (await server.call("symbol", { name: "hello world" })).structuredContent?.definitions ?? []
  expect(await ask()).toEqual([])
  await space.run(["grammars", "add", pack(space)])
  await until(async () => (await ask()).length > 0, "the server uses the grammar")
  expect(await ask()).toMatchObject([{ path: "a.talon", language: "talon" }])
})

test("a project cannot bring a grammar, neither by a folder nor by its settings", async () => {
  using space = new Workspace({ "a.talon": COMMANDS })
  const folder = pack(space)
  for (const place of ["grammars", ".aman/grammars"]) {
    mkdirSync(join(space.project, place, "talon"), { recursive: true })
    for (const name of ["grammar.json", "definitions.scm", "a.wasm"])
      copyFileSync(join(folder, name), join(space.project, place, "talon", name))
  }
  await space.run(["index"])
  expect((await space.run(["symbol", "hello world"])).code).toBe(1)
})

// Kotlin's scanner never ends on a file that ends in an annotation.
test("a grammar whose scanner never ends makes that file fail, and no other", async () => {
  using space = new Workspace({
    "bad.kt2": "class A\n@Audited",
    "good.kt2": "class Good {\n  val x = 1\n}\n",
  })
  const query = "(class_declaration (identifier) @name) @definition.class\n"
  const about = { id: "kotlin2", extensions: ["kt2"] }
  const folder = pack(space, { about, wasm: KOTLIN, query, example: "class A\n" })
  expect((await space.run(["grammars", "add", folder])).stderr).toBe("")
  await space.run(["index"])
  const { notices } = await space.json(["status"])
  expect(notices.join()).toContain("the grammar fails on this text")
  expect((await space.json(["symbol", "Good"])).definitions).toMatchObject([{ path: "good.kt2" }])
})

/**
 * The grammar of JSON with a function r(n) that calls itself twice with n - 1, without a loop, and is called with 48 by
 * each lexer that sees "!". A grammar's author can hide it from the trial, whose texts are known.
 */
function recursingGrammar(): Uint8Array {
  const reader = new ByteReader(readFileSync(JSON_GRAMMAR))
  const parts = [reader.bytes(8)]
  const [lexerType, ownType] = [ofHex("60 02 7f7f 01 7f"), ofHex("60 01 7f 00")]
  let imported = 0
  let types: Buffer[] = []
  let functions: number[] = []
  while (!reader.isAtEnd) {
    const id = reader.byte()
    let content = reader.bytes(reader.number())
    const section = new ByteReader(content)
    if (id === 1) {
      types = section.list(() => {
        const start = section.at
        section.byte()
        section.list(() => section.byte())
        section.list(() => section.byte())
        return section.between(start, section.at)
      })
      content = vector([...types, ownType])
    } else if (id === 2)
      imported = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(JSON_GRAMMAR))).filter(
        ({ kind }) => kind === "function",
      ).length
    else if (id === 3) {
      functions = section.list(() => section.number())
      content = vector([...functions, types.length].map((type) => Buffer.from(unsigned(type))))
    } else if (id === 10) {
      const own = unsigned(imported + functions.length)
      const call = Buffer.from([0x10, ...own])
      // if (lexer->lookahead == '!') r(48)
      const trap = Buffer.concat([ofHex("2000 280200 4121 46 0440 4130"), call, ofHex("0b")])
      const again = Buffer.concat([ofHex("2000 4101 6b"), call])
      const recursion = Buffer.concat([ofHex("00 2000 0440"), again, again, ofHex("0b 0b")])
      const bodies = section.list((nth) => {
        const body = new ByteReader(section.bytes(section.number()))
        body.list(() => [body.number(), body.byte()])
        const whole = body.between(0, Number.MAX_SAFE_INTEGER)
        const isLexer = types[functions[nth]!]!.equals(lexerType)
        return isLexer ? Buffer.concat([whole.subarray(0, body.at), trap, whole.subarray(body.at)]) : whole
      })
      content = vector(
        [...bodies, recursion].map((body) => Buffer.concat([Buffer.from(unsigned(body.length)), body])),
      )
    }
    parts.push(Buffer.from([id, ...unsigned(content.length)]), content)
  }
  return Buffer.concat(parts)
}

function vector(items: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(unsigned(items.length)), ...items])
}

function ofHex(text: string): Buffer {
  return Buffer.from(text.replaceAll(" ", ""), "hex")
}

test("a grammar that recurses for ever without a loop makes that file fail, and no other", async () => {
  using space = new Workspace({ "bad.jx": '{"bad":!}', "good.jx": '{ "good": 1 }' })
  const query = "(pair key: (string (string_content) @name)) @definition.function\n"
  const about = { id: "jx", extensions: ["jx"] }
  const folder = pack(space, { about, wasm: recursingGrammar(), query, example: '{ "a": 1 }' })
  expect((await space.run(["grammars", "add", folder])).stderr).toBe("")
  await space.run(["index"])
  expect((await space.json(["status"])).notices.join()).toContain("the grammar fails on this text")
  expect((await space.json(["symbol", "good"])).definitions).toMatchObject([{ path: "good.jx" }])
  expect((await space.json(["search", "bad"])).results).toContainEqual(
    expect.objectContaining({ path: "bad.jx" }),
  )
})

test.each<[string, Pack, string]>([
  [
    "of a built-in language's files",
    { about: { id: "rust2", extensions: ["rs"] } },
    "*.rs is read by the grammar of rust",
  ],
  ["without names of files", { about: { id: "talon" } }, "must name the files"],
  ["with a path as its id", { about: { id: "../x", extensions: ["x"] } }, '"id" must be a short name'],
  ["that is no grammar", { wasm: RUNTIME }, "not usable"],
  ["that is cut off", { wasm: moduleWith("tree_sitter_x").subarray(0, -3) }, "cut off"],
  ["that contains JavaScript", { wasm: moduleWith("__em_js__run") }, "it contains JavaScript"],
  ["without a section for linking", { wasm: moduleWith("tree_sitter_x") }, "no section dylink.0"],
  ["whose query names an unknown node", { query: "(nothing) @definition.function" }, "nothing"],
  ["whose query has an unknown capture", { query: "(comment) @remark" }, "unknown capture @remark"],
  ["whose query defines nothing", { query: "(comment) @comment" }, "defines nothing"],
])("refuses a grammar %s", async (_, given, message) => {
  using space = new Workspace({ "a.talon": COMMANDS })
  const { code, stderr } = await space.run(["grammars", "add", pack(space, given)])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
  expect((await space.json(["grammars"])).grammars).toEqual([])
})

test("refuses a link in the folder, a missing folder, and an id that was not added", async () => {
  using space = new Workspace({ "a.talon": COMMANDS })
  const folder = pack(space)
  rmSync(join(folder, "definitions.scm"))
  symlinkSync(join(space.project, "a.talon"), join(folder, "definitions.scm"))
  expect((await space.run(["grammars", "add", folder])).stderr).toContain("definitions.scm cannot be read")
  expect((await space.run(["grammars", "add", "nowhere"])).code).toBe(2)
  const removed = await space.run(["grammars", "remove", "talon"])
  expect([removed.code, removed.stderr]).toEqual([1, expect.stringContaining("none has been added")])
  expect(existsSync(join(space.home, ".local/share/aman/grammars/talon"))).toBe(false)
})
