import type { Definition, Flag } from "../command.ts"
import { flagValues, quoteForShell } from "./words.ts"

/**
 * The completion script for zsh. The user saves it as `_aman` in a folder of $fpath, or loads it with `source <(aman
 * completions zsh)`.
 */
export function zshCompletions(commands: readonly Definition[]): string {
  return `#compdef aman
# Completions of aman for Zsh: source <(aman completions zsh), or keep this as _aman in a folder of $fpath
_aman() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoteForShell(`${name}:${summary}`)}`).join("\n")}
    'help:Show the help of a command'
  )
  if (( CURRENT == 2 )); then
    _describe -t commands 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe -t commands 'command' commands ;;
${commands.map(caseBranch).join("\n")}
  esac
}
if [ "$funcstack[1]" = _aman ]; then _aman "$@"; else compdef _aman aman; fi
`
}

function caseBranch({ name, verbs, flags }: Definition): string {
  const specs = flags.flatMap(specifications)
  if (verbs.length > 0) {
    const offered = verbs.map((verb) => `${verb.name}\\:${quotedForList(verb.help)}`).join(" ")
    specs.push(quoteForShell(`1:verb:((${offered}))`))
  }
  specs.push(quoteForShell("*:file:_files"))
  return `    ${name})\n      _arguments -s \\\n        ${specs.join(" \\\n        ")} ;;`
}

/**
 * The specifications of a flag for `_arguments`, one per spelling. A flag that was typed is not offered again unless it
 * may be repeated.
 */
function specifications(flag: Flag): string[] {
  const { name, short, multiple, help } = flag
  const values = flagValues(flag)
  const all = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
  const before = multiple ? "*" : `(${all.join(" ")})`
  return all.map((spelling) => {
    const attached = values === null ? "" : spelling.startsWith("--") ? "=" : "+"
    return quoteForShell(`${before}${spelling}${attached}[${escaped(help)}]${zshValue(flag, values)}`)
  })
}

function zshValue({ value: placeholder = "" }: Flag, values: ReturnType<typeof flagValues>): string {
  if (values === null) return ""
  const title = `:${escaped(placeholder)}:`
  if (values === "nothing") return `${title}`
  if (values === "folders") return `${title}_files -/`
  return values === "files" ? `${title}_files` : `${title}(${values.join(" ")})`
}

function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&")
}

/** Quotes a text for the double parentheses of _arguments, in which zsh splits words by its usual rules. */
function quotedForList(text: string): string {
  return `"${text.replace(/[\\"$`]/g, "\\$&").replaceAll(":", "\\:")}"`
}
