/**
 * Writes docs/configuration.md from the table of settings.
 *
 *   bun scripts/config-reference.ts
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expected } from "../src/config/schema.ts"
import type { Setting } from "../src/config/setting-form.ts"
import { defaultValue } from "../src/config/setting-form.ts"
import { SETTING_KEYS, SETTINGS, type SettingKey } from "../src/config/settings.ts"

export const REFERENCE = join(import.meta.dir, "..", "docs", "configuration.md")

/** Descriptions of defaults that depend on the machine. */
const IN_WORDS: { readonly [Key in SettingKey]?: string } = {
  "index.workers": "number of processors, at most 8",
  "performance.memory_limit": "40 % of the machine, 192 MiB to 16 GiB",
}

const WRITTEN_BY: Readonly<Record<Setting["by"], string>> = {
  project: "your file and the project's",
  user: "your file",
  environment: "the variable only",
}

const INTRODUCTION = `# Settings

Written by \`bun scripts/config-reference.ts\` from src/config/settings.ts; edit that instead.

A value is looked for in five places, and the later one wins: what is built in, your \`config.yaml\` (\`aman config path\`
says where), \`.aman.yaml\` in the root of the project, environment variables, flags. Lists of patterns and addresses add
up. A project's file comes with the project, from anybody, so it decides about the project alone, and may lower
\`index.max_file_size\`, \`index.max_files\` and \`search.limit\` but not raise them above yours or the built-in value;
\`index.chunk_tokens\` below 100 counts as 100 there, \`index.merge_tokens\` below 50 as 50. Files too large for the
memory limit are left out whatever the settings say. An unknown key or a wrong value is an error that names the place;
\`aman config validate\` lists them all, \`aman config show\` says where each value comes from and which values do not
count as written.

\`\`\`yaml
# config.yaml
search:
  limit: 20
embeddings:
  provider: static
\`\`\`
`

export function configurationReference(): string {
  const groups = Map.groupBy(SETTING_KEYS, (key) => key.split(".")[0]!)
  return [INTRODUCTION, ...[...groups].map(([name, keys]) => group(name, keys))].join("\n")
}

function group(name: string, keys: readonly SettingKey[]): string {
  return [
    `## ${name}`,
    "",
    "| key | variable, flag | default | what | may be | written in |",
    "|---|---|---|---|---|---|",
    ...keys.map((key) => row(key, SETTINGS[key])),
    "",
  ].join("\n")
}

function row(key: SettingKey, setting: Setting): string {
  const flag = setting.flag === undefined ? "" : `, \`--${setting.flag}\``
  const cells = [
    `\`${key}\``,
    `\`${setting.env}\`${flag}`,
    IN_WORDS[key] ?? usual(setting),
    setting.help.replace(/^…/, "the same"),
    expected(setting),
    WRITTEN_BY[setting.by],
  ]
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;")).join(" | ")} |`
}

function usual(setting: Setting): string {
  const value = defaultValue(setting)
  return value === "" ? "" : `\`${value}\``
}

if (import.meta.main) writeFileSync(REFERENCE, configurationReference())
