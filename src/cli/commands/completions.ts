import { AmanError } from "../../base/errors.ts"
import { type Command, type Definition, EXIT } from "../command.ts"

type Writer = (commands: readonly Definition[]) => string

const SHELLS: Readonly<Record<string, () => Promise<Writer>>> = {
  bash: async () => (await import("../completions/bash.ts")).bashCompletions,
  zsh: async () => (await import("../completions/zsh.ts")).zshCompletions,
  fish: async () => (await import("../completions/fish.ts")).fishCompletions,
  powershell: async () => (await import("../completions/powershell.ts")).powershellCompletions,
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
    const load = shell !== undefined && Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
    if (load === undefined || more.length > 0) {
      throw new AmanError("USAGE", "completions needs the name of a shell", {
        hint: `one of ${Object.keys(SHELLS).join(", ")}`,
      })
    }
    const script = (await load())(await definitions())
    if (flags.has("json")) await output.json({ shell, script })
    else await output.write(script)
    return EXIT.ok
  },
}
