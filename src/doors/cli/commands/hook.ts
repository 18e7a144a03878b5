import { AmanError } from "../../../base/index.ts"
import { countTokens } from "../../../text/index.ts"
import { HOOK_AGENTS } from "../../hooks/hook-events.ts"
import { type Command, EXIT, type Flag, type TriedHook } from "../command.ts"
import { printable } from "../text.ts"

const FLAGS: readonly Flag[] = [
  {
    name: "agent",
    value: "AGENT",
    choices: HOOK_AGENTS,
    help: "claude-code, codex, gemini-cli, cursor or copilot-cli (default: detected from its JSON)",
  },
  { name: "test", help: "Show what the model would receive, for all events or one" },
]

export const hookCommand: Command = {
  usage: "EVENT [--agent AGENT]\n  aman hook --test [EVENT] [PROMPT | FILE | PATTERN]",
  details: `Agents run this command: they write JSON to stdin and read the answer in their own format. The answer
holds notes of earlier sessions and places in the index, between <aman-context> tags, which are never stored again. Most
calls print nothing and end within milliseconds. The command needs no server, indexes nothing, always exits with 0 and
writes errors only to the log (aman logs hook). The settings hooks.* (aman config show) control what is printed when,
and how much; docs/hooks.md describes each agent.`,
  verbs: [
    [
      "session-start",
      "What is known about the project: topics, recent decisions, notes whose code changed, a map",
    ],
    ["prompt-submit", "Notes and code that match the prompt"],
    ["pre-tool-use", "Notes about the file that is read or changed; definitions of searched names"],
    [
      "post-tool-use",
      "A build or test that failed earlier passes now; in Gemini CLI also what others get at pre-tool-use",
    ],
    ["stop", "A reminder to remember a fix; at most every two minutes"],
    ["subagent-start", "Topics, and how to query them"],
  ],
  flags: FLAGS,
  examples: [
    { line: "aman hook --test", note: "what hooks would print here, for each event" },
    { line: "aman hook --test prompt-submit why do retries stop at five", note: "for this prompt" },
    { line: "aman hook --test pre-tool-use src/retry.ts --agent codex", note: "before this file is read" },
    { line: "aman hook --test --json", note: '[{"event","agent","input","output","text","took_ms"}]' },
    { line: "aman hook pre-tool-use --agent claude-code < call.json", note: "as the agent calls it" },
  ],
  async run({ words, flags, output, cwd, tryHooks }) {
    if (!flags.has("test"))
      throw new AmanError("USAGE", "aman hook is called by agents, which write JSON to stdin", {
        hint: "to see what it would print: aman hook --test; to install the hooks: aman setup",
      })
    const [event, ...subject] = words
    const tried = await tryHooks({ cwd, agent: flags.text("agent"), event, subject: subject.join(" ") })
    if (flags.has("json")) await output.json(tried)
    else await output.write(tried.map((each) => triedHookText(each, output.colors.bold)).join("\n"))
    return tried.some(({ text }) => text !== null) ? EXIT.ok : EXIT.nothingFound
  },
}

function triedHookText({ event, agent, text, took_ms }: TriedHook, bold: (text: string) => string): string {
  const result = text === null ? "prints nothing" : `about ${countTokens(text)} tokens`
  const head = bold(`${event} (${agent}, ${Math.round(took_ms)} ms): ${result}`)
  return text === null ? `${head}\n` : `${head}\n${printable(text)}\n`
}
