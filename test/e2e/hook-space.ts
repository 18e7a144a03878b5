import { type Ran, Workspace } from "./harness.ts"

/** Calls of one agent in the order of a session, as it makes them; $PROJECT stands for the project's folder. */
export type HookCalls = readonly { readonly name: string; readonly event: string; readonly input: object }[]

const FILES = {
  "package.json":
    '{ "name": "shop", "description": "Orders and their webhooks.", "scripts": { "test": "bun test" } }\n',
  "src/retry.ts": [
    "/** Attempts of the webhook sender before it gives up. */",
    "export const MAX_ATTEMPTS = 5",
    "",
    "/** Sends a webhook, and again after a pause where that fails. */",
    "export async function sendWithRetry(send: () => Promise<void>): Promise<void> {",
    "  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) await send()",
    "}",
    "",
  ].join("\n"),
  "src/orders.ts": "export function placeOrder(id: string): string {\n  return id.trim()\n}\n",
  "docs/release.md": "# Releases\n\nThe changelog is written before the tag.\n",
}

const NOTES = [
  {
    text: "The webhook sender gives up after five attempts: a partner's queue broke down under more of them.",
    topic: "webhooks",
    kind: "decision",
    source: "src/retry.ts:2",
    recorded_at: "2026-01-10T09:00:00Z",
  },
  {
    text: "`sendWithRetry` must not be called inside a transaction, the lock is held over all pauses.",
    topic: "webhooks",
    recorded_at: "2026-01-11T09:00:00Z",
  },
  {
    text: "Releases are cut on Tuesdays.",
    topic: "release",
    kind: "decision",
    recorded_at: "2026-01-12T09:00:00Z",
  },
  {
    text: "MAX_ATTEMPTS was three until partners asked for more.",
    topic: "webhooks",
    recorded_at: "2026-01-09T09:00:00Z",
  },
  { text: "Order numbers come from the warehouse.", topic: "orders", recorded_at: "2026-01-13T09:00:00Z" },
]

type Made = {
  readonly files?: Readonly<Record<string, string>>
  readonly notes?: readonly object[]
  readonly isIndexed?: boolean
}

/** A project with files and notes, about which hooks have something to report. */
export class HookSpace extends Workspace {
  static async make({ files = {}, notes = NOTES, isIndexed = true }: Made = {}): Promise<HookSpace> {
    const space = new HookSpace({ ...FILES, ...files })
    const lines = notes.map((note) => `${JSON.stringify(note)}\n`).join("")
    await Promise.all([
      isIndexed ? space.mustRun(["index", "--quiet"]) : null,
      lines === "" ? null : space.mustRun(["remember", "--batch", "-"], lines),
    ])
    return space
  }

  /** Calls a hook as an agent does. */
  async hook(
    event: string,
    input: object | string,
    agent?: string,
    env: Record<string, string> = {},
  ): Promise<Ran> {
    const stdin =
      typeof input === "string" ? input : JSON.stringify(input).replaceAll("$PROJECT", this.project)
    const named = agent === undefined ? [] : ["--agent", agent]
    // A long deadline, so that a busy machine does not change the result.
    return this.run(["hook", event, ...named], { stdin, env: { AMAN_HOOKS_DEADLINE: "30s", ...env } })
  }

  /** Runs the hook and returns the context that it prints for the model, null if it prints nothing. */
  async contextOf(
    event: string,
    input: object,
    agent = "claude-code",
    env: Record<string, string> = {},
  ): Promise<string | null> {
    const { stdout } = await this.hook(event, input, agent, env)
    return stdout === "" ? null : (JSON.parse(stdout).hookSpecificOutput.additionalContext as string)
  }

  async mustRun(args: readonly string[], stdin?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, stdin === undefined ? {} : { stdin })
    if (code !== 0) throw new Error(`aman ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`)
    return stdout
  }
}
