import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { manyNotes, type Note, readNotes } from "./knowledge-data.ts"
import { childEnv } from "./processes.ts"
import { generatedTree } from "./scale.ts"
import type { Bench } from "./section.ts"
import { percentile } from "./stats.ts"
import { judge, type Limit, limitText, type Table } from "./table.ts"

const FILES = 5000
const NOTES = 1000
const TRIES = 30
const MAX_WITHOUT_TEXT: Limit = { max: 30 }
const MAX_WITH_TEXT: Limit = { max: 150 }

type Case = {
  readonly name: string
  readonly event: string
  readonly input: object
  readonly returnsText: boolean
  /** Calls made before this one in the same session. */
  readonly after?: readonly (readonly [event: string, input: object])[]
}

/** Times whole hook processes from start to end, each in a session of its own. */
export function hookSpeedTable(bench: Bench): Table {
  const place = new Place(bench)
  const rows = casesOf(place).map((each) => {
    bench.note(`hook: ${each.name}`)
    const took = Array.from({ length: TRIES }, (_, i) => place.time(each, `bench-${each.name}-${i}`))
    const limit = each.returnsText ? MAX_WITH_TEXT : MAX_WITHOUT_TEXT
    const [p50, p95] = [percentile(took, 0.5), percentile(took, 0.95)]
    return [each.name, judge(p50, limit), p95, Math.min(...took), limitText(limit)] as const
  })
  return {
    title: `Hooks as processes, ${NOTES} notes, ${FILES} files, ${TRIES} runs`,
    columns: [
      { name: "" },
      { name: "p50 ms", digits: 1 },
      { name: "p95 ms", digits: 1 },
      { name: "least ms", digits: 1 },
      { name: "target" },
    ],
    rows,
  }
}

/** An indexed tree and notes about it, with a data folder of its own. */
class Place {
  readonly root: string
  /** A file of the tree that a note mentions. */
  readonly notedFile: string
  readonly #binary: string
  readonly #env: Record<string, string>

  constructor(bench: Bench) {
    this.#binary = bench.binary
    this.root = generatedTree(bench, FILES).root
    const folder = join(bench.scratch, "hooks")
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    this.#env = { AMAN_DATA_DIR: join(folder, "data"), AMAN_INDEX_DIR: join(folder, "index") }
    this.notedFile = firstSource(this.root, "")
    const notes = manyNotes(readNotes(), NOTES - 1)
    const own = {
      ...notes[0]!,
      text: `In ${this.notedFile} the order of the cases matters: the parser relies on it.`,
    }
    // Makes the tree a git repository, as most projects are, so that its root is found at once.
    Bun.spawnSync(["git", "init", "--quiet", this.root])
    bench.note("an index and notes for hooks …")
    this.#run(["index", "--quiet", "--root", this.root])
    this.#run(["remember", "--batch", "-", "--root", this.root, "--quiet"], linesOf([...notes, own]))
  }

  /**
   * Milliseconds that a hook takes. Throws if it returned text although none is expected, or returned none although
   * text is expected.
   */
  time({ event, input, returnsText, after = [] }: Case, session: string): number {
    for (const [earlier, said] of after) this.#hook(earlier, { ...said, session_id: session })
    const started = performance.now()
    const text = this.#hook(event, { ...input, session_id: session })
    const took = performance.now() - started
    if ((text !== "") !== returnsText) throw new Error(`${event} said ${JSON.stringify(text.slice(0, 300))}`)
    return took
  }

  #hook(event: string, input: object): string {
    return this.#run(["hook", event, "--agent", "claude-code"], JSON.stringify({ cwd: this.root, ...input }))
  }

  #run(args: readonly string[], stdin = ""): string {
    const child = Bun.spawnSync([this.#binary, ...args], {
      ...{
        env: childEnv(this.#env),
        cwd: this.root,
        stdin: Buffer.from(stdin),
        stdout: "pipe",
        stderr: "pipe",
      },
    })
    if (child.exitCode !== 0) throw new Error(`aman ${args.join(" ")}: ${child.stderr}`)
    return child.stdout.toString()
  }
}

function casesOf({ root, notedFile }: Place): Case[] {
  const prompt = (text: string) => ({ hook_event_name: "UserPromptSubmit", prompt: text })
  const tool = (tool_name: string, tool_input: object) => ({
    hook_event_name: "PreToolUse",
    tool_name,
    tool_input,
  })
  const tests = (exit_code: number) => ({
    ...{ hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "npm test" } },
    tool_response: { stdout: "", exit_code },
  })
  const stop = { hook_event_name: "Stop", stop_hook_active: false }
  const begin = { hook_event_name: "SessionStart", source: "startup" }
  const offTopic = "Write a haiku about autumn leaves in the mountains of Bavaria and a train that is late"
  const onTopic = "Why is `request :retry` not registered after the bundle update, has the middleware moved?"
  return [
    {
      name: "prompt, a word or two",
      event: "prompt-submit",
      input: prompt("yes, go on"),
      returnsText: false,
    },
    {
      name: "prompt, about something else",
      event: "prompt-submit",
      input: prompt(offTopic),
      returnsText: false,
    },
    {
      name: "a file that nothing is known of",
      event: "pre-tool-use",
      input: tool("Read", { file_path: join(root, "unknown-file.ts") }),
      returnsText: false,
    },
    {
      name: "a search for what is not there",
      event: "pre-tool-use",
      input: tool("Grep", { pattern: "zzyzxQuux" }),
      returnsText: false,
    },
    {
      name: "another tool",
      event: "pre-tool-use",
      input: tool("Bash", { command: "ls -la" }),
      returnsText: false,
    },
    { name: "a test that passes", event: "post-tool-use", input: tests(0), returnsText: false },
    { name: "a test that fails", event: "post-tool-use", input: tests(1), returnsText: false },
    { name: "stop", event: "stop", input: stop, returnsText: false },
    { name: "session start", event: "session-start", input: begin, returnsText: true },
    { name: "prompt", event: "prompt-submit", input: prompt(onTopic), returnsText: true },
    {
      name: "a file that something is known of",
      event: "pre-tool-use",
      input: tool("Edit", { file_path: join(root, notedFile) }),
      returnsText: true,
    },
    {
      name: "a search for a name",
      event: "pre-tool-use",
      input: tool("Grep", { pattern: "createApplication" }),
      returnsText: true,
    },
    {
      name: "a test that passes again",
      event: "post-tool-use",
      input: tests(0),
      returnsText: true,
      after: [["post-tool-use", tests(1)]],
    },
    {
      name: "stop, after that",
      event: "stop",
      input: stop,
      returnsText: true,
      after: [
        ["post-tool-use", tests(1)],
        ["post-tool-use", tests(0)],
      ],
    },
    {
      name: "sub-agent start",
      event: "subagent-start",
      input: { hook_event_name: "SubagentStart" },
      returnsText: true,
    },
  ]
}

function linesOf(notes: readonly Note[]): string {
  return notes.map(({ ref: _, ...line }) => `${JSON.stringify(line)}\n`).join("")
}

/** The first source file in the order of names, so that every run uses the same. */
function firstSource(root: string, folder: string): string {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  const file = entries.find((entry) => entry.isFile() && /\.(?:ts|js|php|py|go|rs)$/.test(entry.name))
  if (file !== undefined) return join(folder, file.name)
  for (const entry of entries.filter((each) => each.isDirectory() && !each.name.startsWith("."))) {
    const found = firstSource(root, join(folder, entry.name))
    if (found !== "") return found
  }
  return ""
}
