import { type GuideSection, searchGuides } from "../../../ask/index.ts"
import { AmanError, commit, nearest, version } from "../../../base/index.ts"
import { type Command, type Definition, EXIT, type Flag, type UsageExample, type Verb } from "../command.ts"
import { COMMON_FLAGS, numberFlag, refuseArguments } from "../flags.ts"
import type { CommandOutput } from "../output.ts"
import { wrap } from "../text.ts"

const DEFAULT_LIMIT = 5

export const helpCommand: Command = {
  usage: "[COMMAND [VERB] | WORDS...]",
  details: `Prints the help of a command, or the section of aman's guides, commands and settings that fits the words
best, and names the next ones. Everything is in this program; nothing is looked up elsewhere.`,
  flags: [{ name: "limit", short: "n", value: "N", help: `At most N sections (default: ${DEFAULT_LIMIT})` }],
  examples: [
    { line: "aman help leave out a folder", note: "a question" },
    { line: "aman help memory export", note: "the help of a command's verb" },
    { line: "aman help --json -n 10 proxy", note: '{"query","results":[{"place","title","text"},…]}' },
  ],
  async run({ words, flags, output, definitions }) {
    const query = words.join(" ")
    const limit = numberFlag(flags, "limit", 1, 100) ?? DEFAULT_LIMIT
    const sections = await searchGuides(query, limit, definitions)
    if (sections.length === 0) {
      const near = nearest(
        query,
        (await definitions()).map(({ name }) => name),
      )
      const hint = near === undefined ? "aman --help lists all commands" : `did you mean aman ${near}?`
      throw new AmanError("NOT_FOUND", `the guides have nothing about ${JSON.stringify(query)}`, { hint })
    }
    if (flags.has("json")) await output.json({ query, results: sections })
    else await output.write(sectionsText(sections, output))
    return EXIT.ok
  },
}

function sectionsText(
  [best, ...others]: readonly GuideSection[],
  { columns, colors: c }: CommandOutput,
): string {
  const first = `${c.bold(best!.title)}\n${c.dim(best!.place)}\n\n${best!.text}\n`
  if (others.length === 0) return first
  const rows = others.map(({ title, place }) => `  ${wrap(`${title} ${c.dim(`(${place})`)}`, columns, 4)}`)
  return `${first}\n${c.bold("See also")}\n${rows.join("\n")}\n`
}

export const manCommand: Command = {
  usage: "",
  details: "Prints all --help texts as one manual page. Packages install it.",
  flags: [],
  examples: [
    { line: "aman man | man -l -", note: "read it" },
    { line: "aman man > ~/.local/share/man/man1/aman.1", note: "install it for man aman" },
  ],
  async run(input) {
    refuseArguments(input, "man")
    const page = manPage(await input.definitions(), version)
    if (input.flags.has("json")) await input.output.json({ page })
    else await input.output.write(page)
    return EXIT.ok
  },
}

export const versionCommand: Command = {
  usage: "[--licenses] [--json]",
  details: "",
  flags: [{ name: "licenses", help: "Print the licences of bundled third-party software" }],
  examples: [
    { line: "aman version --json", note: '{"version","commit","platform"}' },
    { line: "aman version --licenses", note: "Bun, grammars, packages" },
  ],
  async run(input) {
    refuseArguments(input, "version")
    const { flags, output } = input
    if (flags.has("licenses")) {
      const { notices } = await import("./notices.ts")
      if (flags.has("json")) await output.json({ notices })
      else await output.write(notices)
    } else if (flags.has("json"))
      await output.json({ version, commit, platform: `${process.platform}-${process.arch}` })
    else await output.write(`aman ${version} (${commit})\n`)
    return EXIT.ok
  },
}

/** Description of the program for help and manual. */
export const DESCRIPTION =
  "Code search and memory in one binary, for people and agents. Nothing leaves this machine unless you configure a server."

/** The commands that `aman --help` shows; the others are for programs, administrators and rare cases. */
export const EVERYDAY = [
  "search",
  "grep",
  "symbol",
  "context",
  "remember",
  "recall",
  "setup",
  "ui",
  "status",
  "doctor",
] as const

export const EXIT_CODES = {
  0: "done",
  1: "nothing found, or no such symbol, path, entry or repository",
  2: "wrong usage",
  3: "failed",
  4: "not confirmed, nothing written (setup)",
  5: "the index is stale (status --check)",
  6: "the index is incomplete (status --check)",
  130: "interrupted",
} as const

export const EXAMPLES: readonly UsageExample[] = [
  { line: "aman search where are retries limited", note: "indexes first if necessary" },
  { line: "aman search parseConfig --limit 5 --lang go", note: "a name, in one language" },
  { line: "aman read src/main.ts:10-40", note: "lines 10 to 40 of a file" },
  { line: "aman remember Releases are cut on Tuesdays --topic release", note: "kept for later sessions" },
  { line: "aman recall when are releases cut", note: "ask what is known" },
  { line: "aman serve --root ~/work/shop", note: "the command an MCP client starts" },
]

/** Text of aman(1) in the macros of man(7). Has no date: the same program gives the same page. */
function manPage(commands: readonly Definition[], version: string): string {
  return [
    `.TH AMAN 1 "" "aman ${escapeRoff(version)}" "User Commands"`,
    ".ad l",
    ".SH NAME",
    "aman \\- code search and memory for people and agents",
    ".SH SYNOPSIS",
    ".B aman",
    ".I COMMAND",
    ".RI [ flags ]",
    ".SH DESCRIPTION",
    escapeRoff(DESCRIPTION),
    ".SH COMMANDS",
    ...commands.flatMap(manSection),
    ".SH FLAGS OF EVERY COMMAND",
    ...COMMON_FLAGS.flatMap(flagLines),
    ".SH EXIT STATUS",
    ...Object.entries(EXIT_CODES).flatMap(([code, meaning]) => [".TP", `.B ${code}`, escapeRoff(meaning)]),
    ".SH EXAMPLES",
    ...EXAMPLES.flatMap(exampleLines),
    "",
  ].join("\n")
}

function manSection({ name, summary, usage, details, verbs, flags, examples }: Definition): string[] {
  const common: ReadonlySet<Flag> = new Set(COMMON_FLAGS)
  const ownFlags = flags.filter((flag) => !common.has(flag))
  return [
    `.SS "aman ${escapeRoff(`${name} ${usage.replace(/\n\s*/g, " | ")}`.trimEnd()).replaceAll('"', "\\(dq")}"`,
    `${escapeRoff(summary)}.`,
    ...(details === "" ? [] : [".PP", escapeRoff(details.replaceAll("\n", " "))]),
    ...verbs.flatMap(verbLines),
    ...ownFlags.flatMap(flagLines),
    ...examples.flatMap(exampleLines),
  ]
}

function verbLines({ name, words, help }: Verb): string[] {
  return [".TP", `${bold(name)}${words === "" ? "" : ` ${italic(words)}`}`, escapeRoff(help)]
}

function flagLines({ name, short, value, multiple, help }: Flag): string[] {
  const spelled = [...(short === undefined ? [] : [bold(`-${short}`)]), bold(`--${name}`)].join(", ")
  return [
    ".TP",
    value === undefined ? spelled : `${spelled} ${italic(value)}`,
    escapeRoff(multiple ? `${help} (repeatable)` : help),
  ]
}

function exampleLines({ line, note }: UsageExample): string[] {
  return [".PP", ".nf", `.RS 4`, bold(line), ".RE", ".fi", ".RS 8", escapeRoff(note), ".RE"]
}

function bold(value: string): string {
  return `\\fB${escapeRoff(value)}\\fR`
}

function italic(value: string): string {
  return `\\fI${escapeRoff(value)}\\fR`
}

/** Escapes text for roff: copyable dashes, no control lines, ASCII in every locale. */
function escapeRoff(value: string): string {
  return value
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^[.']/gm, "\\&$&")
    .replace(
      /[^\0-\x7f]/gu,
      (sign) => `\\[u${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    )
}
