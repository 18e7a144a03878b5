/**
 * Writes the files that registries and clients read about aman, from package.json and from the hooks and texts of
 * setup: server.json (MCP registry), packaging/mcpb/manifest.json (desktop bundle), plugin/ and .claude-plugin/
 * (Claude Code).
 *
 *   bun scripts/manifests.ts [--out DIR]       GITHUB_REPOSITORY=owner/name names the repository with the releases
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { skillText, subagentText } from "../src/setup/clients/client-changes.ts"
import { hookEntries } from "../src/setup/clients/hook-entry.ts"
import { PRODUCT, project, repository } from "./release/product.ts"

const KEYWORDS = ["code search", "memory", "mcp", "semantic search", "context"]
const SERVE = ["serve"]

/** Texts by their path from the root of the project. */
export function manifests(): ReadonlyMap<string, string> {
  return new Map([
    ["server.json", json(registryEntry())],
    ["packaging/mcpb/manifest.json", json(bundleManifest())],
    [".claude-plugin/marketplace.json", json(marketplace())],
    ["plugin/.claude-plugin/plugin.json", json(pluginManifest())],
    ["plugin/.mcp.json", json({ mcpServers: { aman: { command: "aman", args: SERVE } } })],
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

/** Does not name hooks, .mcp.json, skills and agents, because Claude Code finds them at their usual places. */
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

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string", default: project } } })
  for (const [path, text] of manifests()) {
    const file = join(resolve(values.out), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
