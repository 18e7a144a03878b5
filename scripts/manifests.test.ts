import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import bundleSchema from "@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json" with { type: "json" }
import { manifests, schemaProblems } from "./manifests.ts"
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

test("manifest and servers of the package are valid by the published schemas of Agent Plugins 1.0", () => {
  for (const name of ["plugin", "mcp"]) {
    const schema = schemaCheck(
      JSON.parse(readFileSync(join(project, `test/fixtures/agent-plugins/${name}.schema.json`), "utf8")),
    )
    const manifest = read(`plugin/${name}.json`)
    expect([name, schema(manifest)]).toEqual([name, []])
    expect(schema({ ...manifest, $schema: "https://example.com" })).not.toEqual([])
  }
})

// Rules that the schemas cannot express; the schemas of marketplaces are compared by `bun scripts/manifests.ts --check`.
test("the package follows Agent Plugins 1.0: closed manifests, a bare command, a skill named as its folder", () => {
  const { $schema, name, version, author, ...rest } = read("plugin/plugin.json")
  expect($schema).toBe("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json")
  expect(name).toMatch(/^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/)
  expect({ version, author: Object.keys(author) }).toEqual({ version: PRODUCT.version, author: ["name"] })
  expect(Object.keys(rest).sort()).toEqual(["description", "homepage", "keywords", "license", "repository"])

  const servers = read("plugin/mcp.json")
  expect(servers).toEqual({
    $schema: "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
    mcpServers: { aman: { type: "stdio", command: "aman", args: ["serve"] } },
  })
  expect(read("plugin/.mcp.json").mcpServers).toEqual(servers.mcpServers)

  const [, head] = /^---\n(.*?)\n---\n/s.exec(made.get("plugin/skills/aman/SKILL.md")!)!
  const skill = Object.fromEntries(head!.split("\n").map((line) => line.split(/: (.*)/s, 2)))
  expect(skill["name"]).toBe("aman")
  expect(skill["description"].length).toBeLessThanOrEqual(1024)
})

test("every marketplace has the documented fields and lists the package under its name", () => {
  const claude = read(".claude-plugin/marketplace.json")
  // Required: name, owner.name, and name and source of each plugin, which is a folder that exists.
  expect(claude).toEqual({
    name: expect.stringMatching(/^[a-z0-9-]+$/),
    owner: { name: expect.any(String) },
    plugins: [
      { name: expect.any(String), source: expect.stringMatching(/^\.\//), description: expect.any(String) },
    ],
  })
  expect(existsSync(join(project, claude.plugins[0].source, "plugin.json"))).toBe(true)
  expect(read(".cursor-plugin/marketplace.json")).toEqual(claude)
  const codex = read(".agents/plugins/marketplace.json")
  expect([codex.name, codex.plugins.length]).toEqual([claude.name, 1])
  expect(codex.plugins[0]).toMatchObject({
    name: claude.plugins[0].name,
    source: { source: "local", path: claude.plugins[0].source },
    policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
  })
})

test("the comparison with published schemas names file, problem and address, and asks for each schema", async () => {
  const asked: string[] = []
  const problems = await schemaProblems(async (address) => {
    asked.push(address)
    return address.endsWith("/mcp.schema.json") ? { type: "object", required: ["absent"] } : {}
  })
  expect(problems).toEqual([
    "plugin/mcp.json:  must have required property 'absent' (https://agent-plugins.org/schemas/1.0.0/mcp.schema.json)",
  ])
  expect(asked).toHaveLength(6)
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
