import type { Definition } from "../command.ts"
import { flagValues, quoteForShell, spellings, type Values } from "./words.ts"

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
${commands.map(caseBranch).join("\n")}
    *) return ;;
  esac
  if [[ $cur == -* ]]; then _aman_offer "$flags"
  elif [[ $COMP_CWORD -eq 2 && -n $verbs ]]; then _aman_offer "$verbs"
  else _aman_paths -f; fi
}
complete -F _aman aman
`
}

function caseBranch({ name, verbs, flags }: Definition): string {
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
