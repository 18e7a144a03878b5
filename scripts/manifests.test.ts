import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import bundleSchema from "@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json" with { type: "json" }
import { manifests } from "./manifests.ts"
import { schemaCheck } from "./release/json-schema.ts"
import { PRODUCT, project } from "./release/product.ts"

// In a workflow this variable names the repository; the committed manifests have a placeholder instead.
delete process.env["GITHUB_REPOSITORY"]

const made = manifests()
const read = (path: string) => JSON.parse(made.get(path)!)

test("the committed manifests are current (else: npm run generate)", () => {
  for (const [path, text] of made)
    expect([path, readFileSync(join(project, path), "utf8")]).toEqual([path, text])
})

test("server.json follows the registry's rules", () => {
  const server = read("server.json")
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(server.description.length).toBeLessThanOrEqual(100)
  expect(server.title.length).toBeLessThanOrEqual(100)
  expect(server.packages).toHaveLength(1)
  const [{ version, identifier, transport }] = server.packages
  expect({ version, identifier, transport }).toEqual({
    version: server.version,
    identifier: PRODUCT.name,
    transport: { type: "stdio" },
  })
})

test("the bundle's manifest is valid by the packer's schema, and a wrong one is not", () => {
  const manifest = read("packaging/mcpb/manifest.json")
  const schema = schemaCheck(bundleSchema)
  expect(schema(manifest)).toEqual([])
  expect(schema({ ...manifest, surprise: true })).not.toEqual([])
  expect(schema({ ...manifest, server: { ...manifest.server, type: "rust" } })).not.toEqual([])
})

test("the plugin matches the marketplace and its version, with hooks for six events", () => {
  const plugin = read("plugin/.claude-plugin/plugin.json")
  const [listed] = read(".claude-plugin/marketplace.json").plugins
  expect(listed).toMatchObject({ name: plugin.name, source: "./plugin" })
  expect(plugin.version).toBe(PRODUCT.version)
  const { hooks } = read("plugin/hooks/hooks.json")
  const commands = Object.values(hooks).flatMap((groups) =>
    (groups as { hooks: { command: string }[] }[]).flatMap((group) =>
      group.hooks.map(({ command }) => command),
    ),
  )
  expect(new Set(commands)).toEqual(
    new Set(
      ["session-start", "prompt-submit", "pre-tool-use", "post-tool-use", "subagent-start", "stop"].map(
        (event) => `aman hook ${event} --agent claude-code`,
      ),
    ),
  )
})

test("the repository of a release replaces the placeholder, and nothing else", () => {
  process.env["GITHUB_REPOSITORY"] = "someone/aman"
  try {
    const filled = [...manifests()]
    expect(filled.map(([, text]) => text).join("")).not.toContain("OWNER")
    expect(filled.map(([path, text]) => [path, text.replaceAll("someone", "OWNER")])).toEqual([...made])
  } finally {
    delete process.env["GITHUB_REPOSITORY"]
  }
})
