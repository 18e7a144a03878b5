import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

// Each file by which Bun lets a folder change the program that runs in it. If Bun used it, it would leave a
// mark.
const LEAVE_MARK = 'require("node:fs").writeFileSync(require("node:path").join(__dirname, "MARK"), "owned")\n'
const HOSTILE: Readonly<Record<string, string>> = {
  "bunfig.toml":
    'preload = ["./preload.js"]\n\n[run]\npreload = ["./preload.js"]\n\n[test]\npreload = ["./preload.js"]\n',
  "preload.js": LEAVE_MARK,
  ".env":
    "AMAN_MAX_FILE_SIZE=1\nAMAN_INDEX_DIR=/nonexistent/by/env\nBUN_OPTIONS=--preload=./preload.js\nAMAN_LOG=debug\n",
  ".env.local": "AMAN_MAX_FILE_SIZE=1\nAMAN_INDEX_DIR=/nonexistent/by/env\n",
  ".env.production": "AMAN_MAX_FILE_SIZE=1\n",
  "package.json":
    '{"name":"x","type":"commonjs","main":"preload.js","scripts":{"preinstall":"touch MARK"},"imports":{"#a":"./preload.js"}}\n',
  "tsconfig.json":
    '{"extends":"./preload.js","compilerOptions":{"baseUrl":".","paths":{"*":["./preload.js"]}}}\n',
  "index/pipeline/worker.ts": LEAVE_MARK,
  "indexing/worker.js": LEAVE_MARK,
  "src/index/pipeline/worker.ts": LEAVE_MARK,
  "worker.ts": LEAVE_MARK,
  "node_modules/web-tree-sitter/index.js": LEAVE_MARK,
  "node_modules/web-tree-sitter/package.json": '{"name":"web-tree-sitter","main":"index.js"}',
}

test("files of a project do not run in the binary or change its settings", async () => {
  using project = new Workspace({ ...SHOP, ...HOSTILE })
  expect((await project.run(["version"])).code).toBe(0)
  const report = await project.json(["index"])
  expect(report.languages).toMatchObject({ go: 2, python: 1 })
  const { results } = await project.json(["search", "--limit", "1", "RefundPayment"])
  expect(results[0].path).toBe("billing/refund.go")
  const { stderr } = await project.run(["status"])
  expect(stderr).not.toContain("debug")
  const initialize = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  }
  await project.run(["serve"], {
    stdin: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`,
  })
  const marks = [...new Bun.Glob("**/MARK").scanSync({ cwd: project.dir, dot: true })]
  expect(marks).toEqual([])
  expect(existsSync(join(project.project, ".aman/index.db"))).toBe(true)
})

test("the same files work in Bun itself, so that the test above can fail", async () => {
  const main = "console.log(process.env.AMAN_MAX_FILE_SIZE)\n"
  using project = new Workspace({ ...HOSTILE, "tsconfig.json": "{}\n", "main.ts": main })
  const ran = Bun.spawnSync([process.execPath, "main.ts"], { cwd: project.project, env: project.env })
  expect(ran.stdout.toString()).toBe("1\n")
  expect(existsSync(join(project.project, "MARK"))).toBe(true)
})

test("a file that breaks the parser leaves no message of the runtime, and the files beside it are parsed", async () => {
  using project = new Workspace({ "guess.c": "x => ".repeat(12_800) })
  const alone = await project.run(["index", "--quiet"])
  expect([alone.code, alone.stderr]).toEqual([0, ""])
  const names = Array.from({ length: 10 }, (_, at) => `User${at}`)
  for (const name of names) {
    project.write(`${name}.go`, `package m\n\ntype ${name} struct{}\n\nfunc (u ${name}) Greet() {}\n`)
    project.write(`${name}.js`, `function a() {} function ${name}() {}\n`)
  }
  const { code, stderr } = await project.run(["index", "--force"])
  expect([code, stderr.match(/^(?:note|RuntimeError).*/gm)]).toEqual([
    0,
    ["note: 1 file was split by lines: parsing took too much memory"],
  ])
  const { definitions } = await project.json(["symbol", "Greet", "--limit", "20"])
  expect(definitions.map(({ kind }: { kind: string }) => kind)).toEqual(names.map(() => "method"))
}, 60_000)

test("names that every JavaScript object has are words like any others", async () => {
  using project = new Workspace({
    "page.vue":
      '<script lang="constructor">\nexport const open = 1\n</script>\n<style lang="toString">a {}</style>\n',
    "tool.in": "# vim: ft=constructor\nopen the valve\n",
    "shop.go": "package shop\n\ntype Loop interface {\n\tconstructor\n}\n",
  })
  const { code, stdout, stderr } = await project.run(["index"])
  expect({ code, text: stdout + stderr }).toEqual({
    code: 0,
    text: expect.not.stringMatching(/function|failed/),
  })
  const asked = await project.run(["symbol", "Loop", "--implementations"])
  expect(asked.stdout + asked.stderr).toContain("Loop embeds constructor, whose methods are not known")
  const remember = ["remember", "--tag", "constructor", "--", "the limit is 12 constructor"]
  const stored = await project.run(remember)
  expect({ code: stored.code, stderr: stored.stderr }).toEqual({ code: 0, stderr: "" })
  const { entries } = await project.json(["memory", "list"])
  expect(entries[0].tags).toEqual(["constructor"])
})
