/**
 * Writes the files that registries and clients read about aman, from package.json and from the hooks and texts of
 * setup: server.json (MCP registry), packaging/mcpb/manifest.json (desktop bundle), plugin/ (a package of Agent Plugins
 * 1.0, and of Claude Code) and the marketplaces that list it: .claude-plugin/ (Claude Code, Copilot CLI),
 * .cursor-plugin/ (Cursor), .agents/plugins/ (Codex).
 *
 *   bun scripts/manifests.ts [--out DIR]       GITHUB_REPOSITORY=owner/name names the repository with the releases
 *   bun scripts/manifests.ts --check           compares them with the published schemas, over the network
 */

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { skillText, subagentText } from "../src/doors/setup/clients/client-changes.ts"
import { hookEntries } from "../src/doors/setup/clients/hook-entry.ts"
import { PRODUCT, project, repository } from "./release/product.ts"

const KEYWORDS = ["code search", "memory", "mcp", "semantic search", "context"]
const SERVE = ["serve"]
/** Folder of the published schemas of Agent Plugins (https://github.com/agentplugins/agent-plugins-spec). */
const AGENT_PLUGINS = "https://agent-plugins.org/schemas/1.0.0"

/** Addresses of the published schemas of files that do not name their own; Codex publishes none. */
const SCHEMAS: Readonly<Record<string, string>> = {
  ".claude-plugin/marketplace.json": "https://www.schemastore.org/claude-code-marketplace.json",
  "plugin/.claude-plugin/plugin.json": "https://www.schemastore.org/claude-code-plugin-manifest.json",
  ".cursor-plugin/marketplace.json":
    "https://raw.githubusercontent.com/cursor/plugins/main/schemas/marketplace.schema.json",
}

/** Texts by their path from the root of the project. */
export function manifests(): ReadonlyMap<string, string> {
  return new Map([
    ["server.json", json(registryEntry())],
    ["packaging/mcpb/manifest.json", json(bundleManifest())],
    [".claude-plugin/marketplace.json", json(marketplace())],
    [".cursor-plugin/marketplace.json", json(marketplace())],
    [".agents/plugins/marketplace.json", json(codexMarketplace())],
    ["plugin/plugin.json", json({ $schema: `${AGENT_PLUGINS}/plugin.schema.json`, ...pluginManifest() })],
    ["plugin/mcp.json", json({ $schema: `${AGENT_PLUGINS}/mcp.schema.json`, ...pluginServers() })],
    ["plugin/.claude-plugin/plugin.json", json(pluginManifest())],
    ["plugin/.mcp.json", json(pluginServers())],
    ["plugin/hooks/hooks.json", json({ hooks: pluginHooks() })],
    ["plugin/skills/aman/SKILL.md", skillText("aman", "linux")],
    ["plugin/agents/aman.md", subagentText("aman", "linux")],
  ])
}

/**
 * Entry for the MCP registry (https://modelcontextprotocol.io/registry), which looks for "mcpName" in the npm
 * package.
 */
function registryEntry(): object {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `io.github.${repository()}`,
    title: PRODUCT.title,
    description: PRODUCT.description,
    version: PRODUCT.version,
    repository: { url: address(), source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: PRODUCT.name,
        version: PRODUCT.version,
        packageArguments: SERVE.map((value) => ({ type: "positional", value })),
        transport: { type: "stdio" },
      },
    ],
  }
}

/**
 * Manifest of a desktop bundle (https://github.com/anthropics/mcpb). A bundle contains the binary for one
 * system, which scripts/mcpb.ts adds to the manifest.
 */
function bundleManifest(): object {
  const program = ["$", "{__dirname}/server/aman"].join("")
  const args = [...SERVE, "--root", ["$", "{user_config.project}"].join("")]
  return {
    manifest_version: "0.3",
    name: PRODUCT.name,
    display_name: PRODUCT.title,
    version: PRODUCT.version,
    description: PRODUCT.description,
    author: { name: owner(), url: `https://github.com/${owner()}` },
    repository: { type: "git", url: `${address()}.git` },
    license: PRODUCT.license,
    keywords: KEYWORDS,
    server: {
      type: "binary",
      entry_point: "server/aman",
      mcp_config: {
        command: program,
        args,
        platform_overrides: { win32: { command: `${program}.exe`, args } },
      },
    },
    tools_generated: true,
    compatibility: { platforms: ["darwin", "linux", "win32"] },
    user_config: {
      project: {
        type: "directory",
        title: "Project",
        description: "The folder that is searched; its index is kept in it.",
        required: true,
      },
    },
  }
}

/** For `/plugin marketplace add owner/name`, then `/plugin install aman`. */
function marketplace(): object {
  const plugin = { name: PRODUCT.name, source: "./plugin", description: PRODUCT.description }
  return { name: PRODUCT.name, owner: { name: owner() }, plugins: [plugin] }
}

/** For `codex plugin marketplace add owner/name` (https://developers.openai.com/codex/plugins/build). */
function codexMarketplace(): object {
  const plugin = {
    name: PRODUCT.name,
    source: { source: "local", path: "./plugin" },
    policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
    category: "Developer Tools",
  }
  return { name: PRODUCT.name, interface: { displayName: PRODUCT.title }, plugins: [plugin] }
}

/** Every client that reads the package finds the program on the PATH. */
function pluginServers(): object {
  return { mcpServers: { aman: { type: "stdio", command: "aman", args: SERVE } } }
}

/** Does not name hooks, servers, skills and agents, because clients find them at their usual places. */
function pluginManifest(): object {
  return {
    name: PRODUCT.name,
    version: PRODUCT.version,
    description: PRODUCT.description,
    author: { name: owner() },
    homepage: address(),
    repository: address(),
    license: PRODUCT.license,
    keywords: KEYWORDS,
  }
}

/** The same hooks that `aman setup claude-code` writes, for an aman on the PATH. */
function pluginHooks(): object {
  const program = { command: "aman", isAbsolute: false, isSame: (other: string) => other === "aman" }
  const entries = hookEntries({ kind: "hook", dialect: "claude-code", program, platform: "linux" })
  return Object.fromEntries(entries.map(({ name, value }) => [name, [value]]))
}

function owner(): string {
  return repository().split("/")[0]!
}

function address(): string {
  return `https://github.com/${repository()}`
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Problems of the manifests by the published schemas, each with its file; `read` returns the schema at an address. */
export async function schemaProblems(read: (address: string) => Promise<object>): Promise<string[]> {
  const { schemaCheck } = await import("./release/json-schema.ts")
  const problems: string[] = []
  for (const [path, text] of manifests()) {
    if (!path.endsWith(".json")) continue
    const manifest = JSON.parse(text)
    const address = SCHEMAS[path] ?? manifest.$schema
    if (address === undefined) continue
    const found = schemaCheck(await read(address))(manifest)
    problems.push(...found.map((problem) => `${path}: ${problem} (${address})`))
  }
  return problems
}

async function readSchema(address: string): Promise<object> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(30_000) })
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  return (await answer.json()) as object
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: "string", default: project }, check: { type: "boolean", default: false } },
  })
  if (values.check) {
    const problems = await schemaProblems(readSchema)
    console.log(problems.length === 0 ? "all manifests fit the published schemas" : problems.join("\n"))
    process.exit(problems.length === 0 ? 0 : 1)
  }
  for (const [path, text] of manifests()) {
    const file = join(resolve(values.out), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
