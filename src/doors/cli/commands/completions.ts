import { AmanError } from "../../../base/index.ts"
import { type Command, type Definition, EXIT, type Flag } from "../command.ts"

type Writer = (commands: readonly Definition[]) => string

const SHELLS: Readonly<Record<string, Writer>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
  powershell: powershellCompletions,
}

export const completionsCommand: Command = {
  usage: "SHELL",
  details:
    "Prints a script that completes commands, verbs, flags and values. Packages install it; by hand, use one of these lines.",
  verbs: [
    ["bash", 'in ~/.bashrc: eval "$(aman completions bash)"'],
    ["zsh", "in ~/.zshrc, after compinit: source <(aman completions zsh)"],
    ["fish", "in ~/.config/fish/config.fish: aman completions fish | source"],
    ["powershell", "in $PROFILE: aman completions powershell | Out-String | Invoke-Expression"],
  ],
  flags: [],
  examples: [
    { line: 'eval "$(aman completions bash)"', note: "for this shell" },
    { line: "aman completions zsh > ~/.zfunc/_aman", note: "for every Zsh that has this folder in fpath" },
  ],
  async run({ words, flags, output, definitions }) {
    const [shell, ...more] = words
    const writer = shell !== undefined && Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
    if (writer === undefined || more.length > 0) {
      throw new AmanError("USAGE", "completions needs the name of a shell", {
        hint: `one of ${Object.keys(SHELLS).join(", ")}`,
      })
    }
    const script = writer(await definitions())
    if (flags.has("json")) await output.json({ shell, script })
    else await output.write(script)
    return EXIT.ok
  },
}

/** Completions that a shell can offer for a flag's value. */
export type Values = "folders" | "files" | "nothing" | readonly string[]

const FOLDERS: ReadonlySet<string> = new Set(["DIR"])
const FILES: ReadonlySet<string> = new Set(["FILE", "PATH", "PLACE", "PATH:LINE"])

/** Completions for a flag's value; null if it takes none. */
export function flagValues({ value, choices }: Flag): Values | null {
  if (value === undefined) return null
  if (choices) return choices
  if (FOLDERS.has(value)) return "folders"
  return FILES.has(value) ? "files" : "nothing"
}

/** The ways to write a flag: "-n" and "--limit". */
export function spellings({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`]
}

/** Quotes for a POSIX shell, in single quotes. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The completion script for Bash 3.2 (the version of macOS) and later. It does not need bash-completion. */
export function bashCompletions(commands: readonly Definition[]): string {
  const names = [...commands.map(({ name }) => name), "help", "--help", "--version"]
  return `# Completions of aman for Bash: eval "$(aman completions bash)"
_aman_offer() { local IFS=$' \\n'; COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_aman_paths() { local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen "$1" -- "$cur")); }
_aman() {
  local cur=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD-1]} verbs= flags=
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then _aman_offer ${quoteForShell(names.join(" "))}; return; fi
  # Bash makes three words of --mode=hybrid.
  if [[ $cur == = ]]; then cur=; elif [[ $flag == = ]]; then flag=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case \${COMP_WORDS[1]} in
    help) [[ $COMP_CWORD -eq 2 ]] && _aman_offer ${quoteForShell(commands.map(({ name }) => name).join(" "))}; return ;;
${commands.map(bashBranch).join("\n")}
    *) return ;;
  esac
  if [[ $cur == -* ]]; then _aman_offer "$flags"
  elif [[ $COMP_CWORD -eq 2 && -n $verbs ]]; then _aman_offer "$verbs"
  else _aman_paths -f; fi
}
complete -F _aman aman
`
}

function bashBranch({ name, verbs, flags }: Definition): string {
  const values = flags.flatMap((flag) => {
    const offered = flagValues(flag)
    return offered === null ? [] : [`        ${spellings(flag).join("|")}) ${offer(offered)} return ;;`]
  })
  return [
    `    ${name})`,
    `      verbs=${quoteForShell(verbs.map((verb) => verb.name).join(" "))}`,
    `      flags=${quoteForShell(flags.flatMap(spellings).join(" "))}`,
    ...(values.length > 0 ? ["      case $flag in", ...values, "      esac"] : []),
    "      ;;",
  ].join("\n")
}

function offer(values: Values): string {
  if (values === "nothing") return ""
  if (values === "folders") return "_aman_paths -d;"
  if (values === "files") return "_aman_paths -f;"
  return `_aman_offer ${quoteForShell(values.join(" "))};`
}

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
${commands.map(zshBranch).join("\n")}
  esac
}
if [ "$funcstack[1]" = _aman ]; then _aman "$@"; else compdef _aman aman; fi
`
}

function zshBranch({ name, verbs, flags }: Definition): string {
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
    return quoteForShell(`${before}${spelling}${attached}[${zshEscaped(help)}]${zshValue(flag, values)}`)
  })
}

function zshValue({ value: placeholder = "" }: Flag, values: ReturnType<typeof flagValues>): string {
  if (values === null) return ""
  const title = `:${zshEscaped(placeholder)}:`
  if (values === "nothing") return `${title}`
  if (values === "folders") return `${title}_files -/`
  return values === "files" ? `${title}_files` : `${title}(${values.join(" ")})`
}

function zshEscaped(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&")
}

/** Quotes a text for the double parentheses of _arguments, in which zsh splits words by its usual rules. */
function quotedForList(text: string): string {
  return `"${text.replace(/[\\"$`]/g, "\\$&").replaceAll(":", "\\:")}"`
}

export function fishCompletions(commands: readonly Definition[]): string {
  return `# Completions of aman for Fish: aman completions fish | source
function __aman_command
    set -l words (commandline -opc)
    test (count $words) -ge 2 -a "$words[2]" = "$argv[1]"
end
function __aman_verb
    __aman_command $argv[1]; and test (count (commandline -opc)) -eq 2
end
function __aman_bare
    test (count (commandline -opc)) -eq 1
end
complete -c aman -f
complete -c aman -n __aman_bare -a help -d 'Show the help of a command'
${commands.map(fishLines).join("\n")}
`
}

function fishLines({ name, summary, verbs, flags }: Definition): string {
  const rule = `complete -c aman -n '__aman_command ${name}'`
  return [
    `complete -c aman -n __aman_bare -a ${name} -d ${quoteForFish(summary)}`,
    `complete -c aman -n '__aman_verb help' -a ${name} -d ${quoteForFish(summary)}`,
    ...verbs.map(
      (verb) => `complete -c aman -n '__aman_verb ${name}' -a ${verb.name} -d ${quoteForFish(verb.help)}`,
    ),
    verbs.length === 0
      ? `${rule} -F`
      : `complete -c aman -n '__aman_command ${name}; and not __aman_verb ${name}' -F`,
    ...flags.map((flag) => `${rule} ${fishFlag(flag)}`),
  ].join("\n")
}

function fishFlag(flag: Flag): string {
  const { name, short, help } = flag
  const parts = [`-l ${name}`]
  if (short !== undefined) parts.unshift(`-s ${short}`)
  const values = flagValues(flag)
  if (values === "folders") parts.push("-x -a '(__fish_complete_directories)'")
  else if (values === "files") parts.push("-r -F")
  else if (values === "nothing") parts.push("-x")
  else if (values !== null) parts.push(`-x -a ${quoteForFish(values.join(" "))}`)
  return `${parts.join(" ")} -d ${quoteForFish(help)}`
}

/** Quotes for fish, which has two escapes between single quotes. */
function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`
}

/** The completion script for Windows PowerShell 5.1 and later. */
export function powershellCompletions(commands: readonly Definition[]): string {
  return `# Completions of aman for PowerShell: aman completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName aman -ScriptBlock {
    param($word, $ast, $position)
    $commands = [ordered]@{
${commands.map(powershellEntry).join("\n")}
    }
    $typed = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
    $found = if ($typed.Count -gt 1) { $commands[$typed[1]] }
    if ($typed.Count -le 1) { $offered = [ordered]@{}; foreach ($name in $commands.Keys) { $offered[$name] = $commands[$name].Summary } }
    elseif (-not $found) { return }
    elseif ($found.Values.ContainsKey($typed[-1])) { $offered = [ordered]@{}; foreach ($value in $found.Values[$typed[-1]]) { $offered[$value] = $value } }
    elseif ($word -like '-*') { $offered = $found.Flags }
    elseif ($typed.Count -eq 2) { $offered = $found.Verbs }
    else { return }
    foreach ($name in $offered.Keys) {
        if ($name -like "$word*") { [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $offered[$name]) }
    }
}
`
}

function powershellEntry({ name, summary, verbs, flags }: Definition): string {
  const help = flags.flatMap((flag) => spellings(flag).map((spelling) => [spelling, flag.help] as const))
  const values = flags.flatMap((flag) => {
    const offered = flagValues(flag)
    const list = Array.isArray(offered) ? `@(${offered.map(quoteForPowerShell).join(", ")})` : "@()"
    return offered === null
      ? []
      : spellings(flag).map((spelling) => `${quoteForPowerShell(spelling)} = ${list}`)
  })
  return `        ${quoteForPowerShell(name)} = @{
            Summary = ${quoteForPowerShell(summary)}
            Verbs = [ordered]@{ ${hashTable(verbs.map((verb) => [verb.name, verb.help]))} }
            Flags = [ordered]@{ ${hashTable(help)} }
            Values = @{ ${values.join("; ")} }
        }`
}

function hashTable(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, help]) => `${quoteForPowerShell(name)} = ${quoteForPowerShell(help)}`).join("; ")
}

function quoteForPowerShell(text: string): string {
  // PowerShell treats curly quotation marks like straight ones.
  return `'${text.replace(/['‘’‚‛]/g, "$&$&")}'`
}
