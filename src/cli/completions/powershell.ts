import type { Definition } from "../command.ts"
import { flagValues, spellings } from "./words.ts"

/** The completion script for Windows PowerShell 5.1 and later. */
export function powershellCompletions(commands: readonly Definition[]): string {
  return `# Completions of aman for PowerShell: aman completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName aman -ScriptBlock {
    param($word, $ast, $position)
    $commands = [ordered]@{
${commands.map(entry).join("\n")}
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

function entry({ name, summary, verbs, flags }: Definition): string {
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
