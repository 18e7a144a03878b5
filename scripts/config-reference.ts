/**
 * Writes docs/configuration.md from the table of settings.
 *
 *   bun scripts/config-reference.ts
 */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expected } from "../src/base/config/schema.ts"
import { defaultValue, SETTING_KEYS, SETTINGS, type Setting, type SettingKey } from "../src/base/index.ts"

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

Written by \`bun scripts/config-reference.ts\` from src/base/config/settings.ts; edit that instead.

A value can come from five places, of which a later one overrides the earlier ones: the built-in value, your
\`config.yaml\` (\`aman config path\` prints its path), \`.aman.yaml\` in the root of the project, environment variables,
flags. Lists of patterns and addresses are joined.

A project's file comes with the project, so anybody may have written it. It only affects this project, and can lower
\`index.max_file_size\`, \`index.max_files\`, \`index.document_seconds\` and \`search.limit\` but not raise them above yours or the built-in
value. Files too large for the memory limit are left out whatever the settings say.

An unknown key or a wrong value is an error that names the place; a key that a project's file may not set is ignored and named. \`aman config validate\` lists all errors, and
\`aman config show\` says where each value comes from and which values are not used as written.

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
    "| key | variable, flag | default | meaning | allowed values | can be set in |",
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
