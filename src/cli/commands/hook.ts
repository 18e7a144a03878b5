import { AmanError } from "../../base/errors.ts"
import { HOOK_AGENTS } from "../../base/hook-events.ts"
import { countTokens } from "../../text/token-count.ts"
import { type Command, EXIT, type Flag, type TriedHook } from "../command.ts"
import { printable } from "../render/printable.ts"

const FLAGS: readonly Flag[] = [
  {
    name: "agent",
    value: "AGENT",
    choices: HOOK_AGENTS,
    help: "claude-code, codex, gemini-cli or cursor (default: as its JSON tells)",
  },
  { name: "test", help: "Show what the model would receive, of all events or of one" },
]

export const hookCommand: Command = {
  usage: "EVENT [--agent AGENT]\n  aman hook --test [EVENT] [PROMPT | FILE | PATTERN]",
  details: `An agent runs it, writes its JSON to stdin and reads the answer in its own format: notes of earlier
sessions and places in the index, as facts between <aman-context> tags, which are never stored again. Mostly there is
nothing to say, and it ends within milliseconds without a word. It needs no server, indexes nothing, always ends with 0,
and writes what goes wrong to the log alone: aman logs hook. What is said when, and how much, is set by hooks.* (aman
config show); docs/hooks.md tells it of each agent.`,
  verbs: [
    [
      "session-start",
      "What is known of the project: topics, late decisions, notes whose code changed, a map",
    ],
    ["prompt-submit", "Notes and code with much of what was asked"],
    ["pre-tool-use", "Notes on the file that is read or changed; where what is searched for is defined"],
    [
      "post-tool-use",
      "That a build or a test which failed earlier passes now; in Gemini CLI also what others get at pre-tool-use",
    ],
    ["stop", "That something was fixed and nothing remembered since; at most every two minutes"],
    ["subagent-start", "Topics, and how to ask"],
  ],
  flags: FLAGS,
  examples: [
    { line: "aman hook --test", note: "what would be said here, event by event" },
    { line: "aman hook --test prompt-submit why do retries stop at five", note: "beside this prompt" },
    { line: "aman hook --test pre-tool-use src/retry.ts --agent codex", note: "before this file is read" },
    { line: "aman hook --test --json", note: '[{"event","agent","input","output","text","took_ms"}]' },
    { line: "aman hook pre-tool-use --agent claude-code < call.json", note: "as the agent calls it" },
  ],
  async run({ words, flags, output, cwd, tryHooks }) {
    if (!flags.has("test"))
      throw new AmanError("USAGE", "aman hook is called by agents, which write JSON to its stdin", {
        hint: "to see what they would be told: aman hook --test; aman setup makes agents call it",
      })
    const [event, ...subject] = words
    const tried = await tryHooks({ cwd, agent: flags.text("agent"), event, subject: subject.join(" ") })
    if (flags.has("json")) await output.json(tried)
    else await output.write(tried.map((each) => shown(each, output.colors.bold)).join("\n"))
    return tried.some(({ text }) => text !== null) ? EXIT.ok : EXIT.nothingFound
  },
}

function shown({ event, agent, text, took_ms }: TriedHook, bold: (text: string) => string): string {
  const said = text === null ? "says nothing" : `about ${countTokens(text)} tokens`
  const head = bold(`${event} (${agent}, ${Math.round(took_ms)} ms): ${said}`)
  return text === null ? `${head}\n` : `${head}\n${printable(text)}\n`
}
