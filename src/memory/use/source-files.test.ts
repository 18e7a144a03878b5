import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readSourceFiles } from "./source-files.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "aman-sources-")))
const project = join(home, ".ssh/project")
mkdirSync(join(project, "notes/.ssh"), { recursive: true })
mkdirSync(join(project, "notes/sub"))
for (const path of [".ssh/notes.md", ".ssh/project/notes/good.md", ".ssh/project/notes/.ssh/notes.md"])
  writeFileSync(join(home, path), "# Retries\n\nThree times.\n")
symlinkSync(join(home, ".ssh/notes.md"), join(project, "link.md"))
writeFileSync(
  join(project, "notes/sub/key.md"),
  `${["-----BEGIN", "PRIVATE KEY-----"].join(" ")}\n${"MIIEvQ".repeat(20)}\n`,
)

afterAll(() => rmSync(home, { recursive: true }))

test.each([
  ["in a secret folder of the project", "notes/.ssh/notes.md", project],
  ["beside the project, in a secret folder around both", "../notes.md", project],
  ["that links to such a file", "link.md", project],
  ["in a secret folder, without a project", "notes/good.md", null],
])("a file %s is refused", (_, path, root) => {
  expect(() => readSourceFiles(join(project, path), root)).toThrow("may hold secrets and is never imported")
})

test("in a folder, files that may hold secrets are skipped and named", () => {
  const { files, secret } = readSourceFiles(join(project, "notes"), project)
  expect(files.map(({ name }) => name)).toEqual(["good.md"])
  expect(secret).toEqual(["sub/key.md"])
})
