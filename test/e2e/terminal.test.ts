import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"
import { COLUMNS, onTerminal } from "./on-terminal.ts"
import { SHOP } from "./sample.ts"

test("colours results and fits every line", async () => {
  using shop = new Workspace(SHOP)
  shop.write("wide.go", `package shop\n\nfunc WideRefund() {\n\tprintln("${"wide ".repeat(40)}")\n}\n`)
  await shop.json(["index"])
  const { code, written, lines } = await onTerminal(shop, ["search", "WideRefund"])
  expect(code).toBe(0)
  expect(lines).toContain("wide.go:3  WideRefund (function)")
  expect(written).toContain("\x1b[35mfunc\x1b[39m")
  expect(lines.find((line) => line.startsWith('4 │     println("wide'))).toEndWith("…")
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(COLUMNS)
})

// The editor is a shell script.
test.skipIf(process.platform === "win32")(
  "search -i: typed words are searched, and the chosen result is opened in the editor",
  async () => {
    using shop = new Workspace(SHOP)
    shop.write("wide.go", "package shop\n\nfunc WideRefund() {\n\tprintln(1)\n}\n")
    const editor = join(shop.home, "vi")
    writeFileSync(editor, '#!/bin/sh\necho "opened $*" > "$HOME/opened"\n', { mode: 0o755 })
    const pick = (env: Record<string, string>, ...typed: { to: string; typed: string }[]) =>
      onTerminal(shop, ["search", "-i"], { EDITOR: editor, VISUAL: "", ...env }, ...typed)
    const single = { to: "type to search", typed: "file:wide.go WideRefund" }
    expect((await pick({}, single, { to: " 1 file, ", typed: "\u0003" })).code).toBe(130)
    const typing = { to: "type to search", typed: "WideRefund" }
    const { code, written } = await pick({}, typing, { to: "wide.go:3", typed: "\r" })
    expect(code).toBe(0)
    expect(Bun.stripANSI(written)).toContain("3  func WideRefund() {")
    const opened = readFileSync(join(shop.home, "opened"), "utf8")
    expect(opened).toBe(`opened +3 ${join(shop.project, "wide.go")}\n`)
    const printed = await pick({ EDITOR: "" }, typing, { to: "wide.go:3", typed: "\r" })
    expect(printed.written).toEndWith("wide.go:3\r\n")
    expect((await pick({}, { to: "type to search", typed: "\u0003" })).code).toBe(130)
    expect(await shop.run(["search", "-i", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs a terminal"),
    })
  },
)

test("obeys NO_COLOR", async () => {
  using shop = new Workspace(SHOP)
  const { written } = await onTerminal(shop, ["search", "RefundPayment"], { NO_COLOR: "1" })
  expect(written).toContain("RefundPayment")
  expect(written).not.toContain("\x1b[3")
  expect(written).not.toContain("\x1b[1m")
})

test.each([[["--help"]], [["search", "--help"]], [["serve", "--help"]]])("%p fits", async (args) => {
  using shop = new Workspace()
  for (const line of (await onTerminal(shop, args)).lines) expect(line.length).toBeLessThanOrEqual(COLUMNS)
})

test("removes the progress bar when the index is built", async () => {
  using big = new Workspace()
  for (let index = 0; index < 1000; index++) {
    if (index % 100 === 0) mkdirSync(join(big.project, `part${index / 100}`))
    const text = `def handler_${index}(request):\n    return request.answer(${index})\n\n\n`
    writeFileSync(join(big.project, `part${Math.floor(index / 100)}/h${index}.py`), text.repeat(30))
  }
  const { code, written, lines } = await onTerminal(big, ["index"])
  expect(code).toBe(0)
  const bar = written.lastIndexOf("░")
  expect(bar).toBeGreaterThan(0)
  expect(written.indexOf("\x1b[2K", bar)).toBeGreaterThan(bar)
  expect(lines.some((line) => line.includes("1,000 files indexed in "))).toBe(true)
})

test.skipIf(process.platform === "win32")(
  "no command prints terminal control characters or bidirectional overrides from names and lines",
  async () => {
    const wild = "\u009b2J\u202egpj\u2066"
    using space = new Workspace({
      [`src/a${wild}.ts`]: `/** Tells ${wild} of it. */\nexport function wildOne() {\n  return "${wild}\\u001b[2J"\n}\n`,
      "src/use.ts": `export function caller() {\n  return wildOne() // ${wild}\n}\n`,
    })
    await space.json(["index"])
    const commands = [
      ["search", "wildOne"],
      ["grep", "wildOne"],
      ["read", `src/a${wild}.ts`],
      ["read", `src/none${wild}.ts`],
      ["symbol", "wildOne", "--references"],
      ["map"],
      ["context", "wildOne"],
      ["status"],
    ]
    for (const command of [...commands, ...commands.map(([name, ...rest]) => [name!, "--json", ...rest])]) {
      const { written } = await onTerminal(space, command, { NO_COLOR: "1" })
      expect([command, written.length > 0]).toEqual([command, true])
      expect([command, /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/u.exec(written)]).toEqual([command, null])
      expect([command, written.includes("\x1b[2J")]).toEqual([command, false])
    }
  },
)
