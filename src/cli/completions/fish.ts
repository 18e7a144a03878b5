import type { Definition, Flag } from "../command.ts"
import { flagValues } from "./words.ts"

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
${commands.map(lines).join("\n")}
`
}

function lines({ name, summary, verbs, flags }: Definition): string {
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
