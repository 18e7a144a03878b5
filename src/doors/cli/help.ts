import type { Command, Definition, Flag, UsageExample, Verb } from "./command.ts"
import { DESCRIPTION, EVERYDAY, EXAMPLES, EXIT_CODES } from "./commands/help.ts"
import { COMMANDS } from "./commands.ts"
import { COMMON_FLAGS } from "./flags.ts"
import type { Colors, CommandOutput } from "./output.ts"
import { wrap } from "./text.ts"

type HelpOutput = Pick<CommandOutput, "columns" | "colors">

/** Text of `aman --help`: the commands that people use every day, or all of them. */
export function helpOverview(page: HelpOutput, isAll: boolean): string {
  const { columns, colors: c } = page
  const names = isAll ? Object.keys(COMMANDS) : EVERYDAY
  const rows = names.map((name): [string, string] => [name, COMMANDS[name]!.summary])
  const others = Object.keys(COMMANDS).length - names.length
  const further = others === 0 ? "" : `${others} further commands: aman help --all\n`
  return [
    wrap(DESCRIPTION, columns),
    helpSection("Usage", "  aman COMMAND [flags]", c),
    helpSection("Commands", alignedTable(rows, page), c),
    helpSection("Flags of every command", flagTable(COMMON_FLAGS, page), c),
    helpSection("Examples", examples(EXAMPLES, c), c),
    helpSection("Exit codes", alignedTable(Object.entries(EXIT_CODES), page), c),
    `${further}Each command has its own help: aman search --help\nThe guides can be searched: aman help leave out a folder\n`,
  ].join("\n\n")
}

/** Text of `aman COMMAND --help`. */
export function commandHelp(name: string, command: Command, page: HelpOutput): string {
  const { columns, colors: c } = page
  const parts = [
    COMMANDS[name]!.summary,
    helpSection("Usage", `  aman ${name} ${command.usage}`.trimEnd(), c),
  ]
  if (command.details) parts.push(wrap(command.details.replaceAll("\n", " "), columns))
  if (command.verbs) parts.push(helpSection("Arguments", alignedTable(command.verbs, page), c))
  if (command.flags.length > 0) parts.push(helpSection("Flags", flagTable(command.flags, page), c))
  parts.push(helpSection("Flags of every command", flagTable(COMMON_FLAGS, page), c))
  parts.push(helpSection("Examples", examples(command.examples, c), c))
  if (command.flags.some(({ verbs }) => verbs !== undefined))
    parts.push(
      `Each of these has its own help: aman ${name} ${command.verbs![0]![0].split(" ", 1)[0]} --help`,
    )
  return `${parts.join("\n\n")}\n`
}

/** Text of `aman COMMAND VERB --help`; null if the command has no such verb or its verbs take the same flags. */
export function verbHelp(
  name: string,
  typed: string | undefined,
  command: Command,
  page: HelpOutput,
): string | null {
  const { columns, colors: c } = page
  const verb = command.verbs?.find(([form]) => form.split(" ", 1)[0] === typed)
  if (verb === undefined || command.flags.every(({ verbs }) => verbs === undefined)) return null
  const [form, does] = verb
  const flags = command.flags.flatMap((flag) => flagFor(flag, typed!) ?? [])
  const verbExamples = command.examples.filter(({ line }) => line.startsWith(`aman ${name} ${typed} `))
  const parts = [
    wrap(capitalized(does), columns),
    helpSection("Usage", `  aman ${name} ${form}${flags.length > 0 ? " [flags]" : ""}`, c),
  ]
  if (flags.length > 0) parts.push(helpSection("Flags", flagTable(flags, page), c))
  parts.push(helpSection("Flags of every command", flagTable(COMMON_FLAGS, page), c))
  if (verbExamples.length > 0) parts.push(helpSection("Examples", examples(verbExamples, c), c))
  return `${parts.join("\n\n")}\n`
}

/** The flag with its help text for this verb; null if the verb does not take the flag. */
function flagFor(flag: Flag, verb: string): Flag | null {
  if (flag.verbs === undefined) return flag
  const verbHelpText = Object.entries(flag.verbs).find(([names]) => names.split(" ").includes(verb))
  return verbHelpText === undefined ? null : { ...flag, help: capitalized(verbHelpText[1]) }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function helpSection(title: string, body: string, c: Colors): string {
  return `${c.bold(title)}\n${body}`
}

function flagTable(flags: readonly Flag[], page: HelpOutput): string {
  return alignedTable(
    flags.map((flag) => {
      const short = flag.short === undefined ? "    " : `-${flag.short}, `
      const value = flag.value === undefined ? "" : ` ${flag.value}`
      return [`${short}--${flag.name}${value}`, flag.multiple ? `${flag.help} (repeatable)` : flag.help]
    }),
    page,
  )
}

function examples(list: readonly UsageExample[], c: Colors): string {
  return list.map(({ line, note }) => `  ${c.green(line)}\n      ${c.dim(note)}`).join("\n")
}

function alignedTable(
  rows: readonly (readonly [string, string])[],
  { columns, colors: c }: HelpOutput,
): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  const cell = (text: string) => wrap(text, columns, width + 4)
  return rows.map(([left, right]) => `  ${c.cyan(left.padEnd(width))}  ${cell(right)}`).join("\n")
}

/** Loads the definitions of all commands; needed only to print all of them. */
export async function allDefinitions(): Promise<Definition[]> {
  return Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, load }]) => {
      const { usage, details, verbs = [], flags, examples } = await load()
      const split = verbs.map(([form, help]): Verb => {
        const [verb, ...words] = form.split(" ")
        return { name: verb!, words: words.join(" "), help }
      })
      return { name, summary, usage, details, verbs: split, flags: [...flags, ...COMMON_FLAGS], examples }
    }),
  )
}
