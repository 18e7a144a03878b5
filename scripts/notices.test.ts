import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { mayBePassedOn, NOTICES, notices } from "./notices.ts"
import { embeddedPackages, packageFacts } from "./release/embedded-packages.ts"

const project = join(import.meta.dir, "..")

test("THIRD_PARTY_NOTICES matches the embedded packages (else: npm run generate)", async () => {
  expect(readFileSync(NOTICES, "utf8") === (await notices())).toBe(true)
})

test("every dependency is embedded and named, with its version", async () => {
  const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
  const embedded = await embeddedPackages()
  const text = readFileSync(NOTICES, "utf8")
  for (const name of ["zod", "@modelcontextprotocol/server", "usearch", "web-tree-sitter", "tree-sitter-c"])
    expect(embedded).toContain(name)
  expect(embedded.length).toBeGreaterThan(Object.keys(dependencies).length)
  for (const folder of embedded) {
    const { name, version, license } = packageFacts(folder)
    expect(text).toContain(`${name} ${version} (${license})\n`)
  }
  expect(text).toContain(`Bun ${Bun.version}\n`)
})

test("refuses a licence that forbids redistribution", () => {
  expect(mayBePassedOn("MIT")).toBe(true)
  for (const license of ["GPL-3.0", "AGPL-3.0-only", "SEE LICENSE IN x", "UNLICENSED", ""])
    expect(mayBePassedOn(license)).toBe(false)
})
