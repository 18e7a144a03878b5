import type { Definition, Flag, UsageExample, Verb } from "../command.ts"
import { COMMON_FLAGS } from "../flags/common-flags.ts"
import { DESCRIPTION, EXAMPLES, EXIT_CODES } from "./overview.ts"

/** Text of aman(1) in the macros of man(7). Has no date: the same program gives the same page. */
export function manPage(commands: readonly Definition[], version: string): string {
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
