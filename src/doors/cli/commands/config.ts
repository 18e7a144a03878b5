import { loadSettings, type SettingProblem, type ShownSetting } from "../../../ask/index.ts"
import { AmanError } from "../../../base/index.ts"
import { type Command, EXIT, type Input } from "../command.ts"
import { subcommand } from "../flags.ts"
import type { Colors } from "../output.ts"
import { printableLine } from "../text.ts"
import { remarkNotices } from "../with-project.ts"

export const configCommand: Command = {
  usage: "[VERB] [flags] [WORDS...]",
  details: `Settings come from the user's file, then .aman.yaml of the project, then AMAN_* variables, then flags;
the later one wins, and lists are merged. A project's file can only set what concerns the project: the
location of indexes, embedding providers, memory and logs belong to the user. set and add edit the user's file and
keep its comments.`,
  verbs: [
    ["show", "Every setting with its value and origin (default)"],
    ["get KEY", "One value"],
    ["set KEY VALUE...", "Write a setting to your own file, or to the project's"],
    ["add KEY VALUE...", "Add to a list in that file"],
    ["unset KEY", "Remove a setting from that file, so that the next layer decides"],
    ["path", "The path of that file"],
    ["validate", "Check the settings files and list errors by line"],
  ],
  flags: [{ name: "project", help: "set, add, unset, path: use the project's file, .aman.yaml" }],
  examples: [
    { line: "aman config show", note: "every setting with its value and origin" },
    { line: "aman config set embeddings.provider ollama", note: "for all projects" },
    { line: "aman config set --project paths.exclude fixtures '*.gen.ts'", note: "for this project" },
    { line: "aman config get search.limit", note: "one value" },
    { line: "aman config validate", note: "errors by line; exits with 2 if there are any" },
  ],
  async run(input) {
    const parts = { show: 0, get: 1, set: "any", add: "any", unset: 1, path: 0, validate: 0 } as const
    const { name, words } = subcommand(input, parts, "show", configCommand.examples)
    const app = await loadSettings()
    const choice = { cwd: input.cwd, root: input.flags.text("root") }
    switch (name) {
      case "show":
        return printSettings(input, app.showSettings(choice), app.limitedSettings(choice))
      case "get":
        return printSetting(input, await app.getSetting(choice, words[0]!))
      case "set":
      case "add":
        return set(input, choice, name, words)
      case "unset":
        return unset(input, choice, words[0]!)
      case "path":
        return paths(input, app.settingsPaths(choice))
      case "validate":
        return validate(input, await app.validateSettings(choice))
    }
  },
}

async function printSettings(
  input: Input,
  settings: readonly ShownSetting[],
  limited: readonly SettingProblem[],
): Promise<number> {
  const { flags, output } = input
  const notices = limited.map(({ message, hint }) => (hint === null ? message : `${message}; ${hint}`))
  remarkNotices(input, notices)
  if (flags.has("json")) await output.json({ settings, notices })
  else await output.write(settingsText(settings, output.colors, flags.has("verbose")))
  return EXIT.ok
}

function settingsText(settings: readonly ShownSetting[], c: Colors, isVerbose: boolean): string {
  const keyWidth = Math.max(...settings.map(({ key }) => key.length))
  const valueWidth = Math.min(24, Math.max(...settings.map(({ value }) => valueText(value).length)))
  return settings
    .map(({ key, value, origins, env, help }) => {
      const from = origins.map(({ layer, where }) => (where === null ? layer : where)).join(", ")
      const line = `${key.padEnd(keyWidth)}  ${c.bold(printableLine(valueText(value)).padEnd(valueWidth))}  ${c.dim(printableLine(from))}\n`
      return isVerbose ? `${line}    ${c.dim(`${env}: ${help}`)}\n` : line
    })
    .join("")
}

async function printSetting({ flags, output }: Input, setting: ShownSetting): Promise<number> {
  if (flags.has("json")) await output.json(setting)
  else {
    const { value } = setting
    const lines = Array.isArray(value) ? value : [value]
    await output.write(lines.map((line) => `${printableLine(String(line))}\n`).join(""))
  }
  return EXIT.ok
}

async function set(
  input: Input,
  choice: { readonly cwd: string; readonly root: string | undefined },
  verb: "set" | "add",
  [key, ...values]: readonly string[],
): Promise<number> {
  const { flags, output } = input
  if (key === undefined || values.length === 0) {
    throw new AmanError("USAGE", `config ${verb} needs a key and a value`, {
      hint: `for example: aman config ${verb === "set" ? "set search.limit 20" : "add paths.exclude fixtures"}`,
    })
  }
  const { setSetting } = await loadSettings()
  const done = await setSetting(
    choice,
    flags.has("project") ? "project" : "user",
    key,
    values,
    verb === "add",
  )
  if (flags.has("json")) {
    await output.json(done)
    return EXIT.ok
  }
  if (!flags.has("quiet")) {
    await output.write(
      `${key} = ${printableLine(valueText(done.setting.value))} in ${printableLine(done.path)}\n`,
    )
  }
  remarkNotices(input, done.notices)
  return EXIT.ok
}

async function unset(
  input: Input,
  choice: { readonly cwd: string; readonly root: string | undefined },
  key: string,
): Promise<number> {
  const { flags, output } = input
  const { unsetSetting } = await loadSettings()
  const { path, removed, setting } = await unsetSetting(
    choice,
    flags.has("project") ? "project" : "user",
    key,
  )
  const code = removed ? EXIT.ok : EXIT.nothingFound
  if (flags.has("json")) {
    await output.json({ path, removed, setting })
    return code
  }
  const done = removed
    ? `removed ${key} from ${printableLine(path)}`
    : `${printableLine(path)} does not set ${key}`
  if (setting === null) {
    if (!flags.has("quiet")) await output.write(`${done}\n`)
    return code
  }
  const origin = setting.origins.map(({ layer, where }) => where ?? layer).join(", ")
  const value = valueText(setting.value)
  const now = value === NO_VALUE ? "not set" : `${printableLine(value)} (${printableLine(origin)})`
  if (!flags.has("quiet")) await output.write(`${done}; it is ${now}\n`)
  return code
}

async function paths(
  { flags, output }: Input,
  found: readonly { readonly by: string; readonly path: string; readonly exists: boolean }[],
): Promise<number> {
  const by = flags.has("project") ? "project" : "user"
  if (flags.has("json")) await output.json({ files: found })
  else
    await output.write(found.map((file) => (file.by === by ? `${printableLine(file.path)}\n` : "")).join(""))
  return EXIT.ok
}

async function validate(
  { flags, output }: Input,
  problems: readonly { readonly message: string; readonly hint: string | null }[],
): Promise<number> {
  if (flags.has("json")) await output.json({ valid: problems.length === 0, problems })
  else if (problems.length === 0 && !flags.has("quiet")) await output.write("all settings are valid\n")
  else {
    const { colors: c } = output
    const text = problems.map(({ message, hint }) => {
      const note = hint === null ? "" : `\n  ${c.cyan("hint:")} ${printableLine(hint)}`
      return `${printableLine(message)}${note}\n`
    })
    await output.write(text.join(""))
  }
  return problems.length === 0 ? EXIT.ok : EXIT.usage
}

const NO_VALUE = "–"

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? NO_VALUE : value.join(", ")
  return value === "" ? NO_VALUE : String(value)
}
