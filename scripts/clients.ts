/**
 * Runs sessions of real agents against a scripted model on this machine, with aman set up by `aman setup` in a clone of
 * this repository, and prints what aman adds to the requests to the model. The agents' programs are installed by npm
 * into a folder. The model only calls the tools of its script and then ends the session.
 *
 *   npm install --prefix CLIENTS @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai
 *   npm run build && bun scripts/clients.ts --clients CLIENTS [--only codex,opencode] [--tasks find] [--seconds 600]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { project } from "./release/product.ts"

/** A call that the scripted model makes: a tool of aman by its own name, and its arguments. */
type ScriptedCall = { readonly tool: string; readonly args: object }
type Task = { readonly name: string; readonly prompt: string; readonly calls: readonly ScriptedCall[] }
/** What a request to the model contains, whatever the provider's form. */
type ModelRequest = {
  /** Definitions of aman's tools, by the name under which the client lists each. */
  readonly tools: ReadonlyMap<string, unknown>
  /** Results of tools, oldest first. */
  readonly results: readonly string[]
  /** Tokens of the whole request without definitions of tools. */
  readonly text: number
  /** True if the model answers it by loading definitions. */
  readonly isLoad: boolean
}
type Reply = { readonly name: string; readonly args: object } | null
type Provider = {
  readonly parse: (body: Json) => ModelRequest
  readonly reply: (call: Reply, turn: number) => Response
}
type AgentClient = {
  readonly id: string
  readonly provider: Provider
  readonly command: (bin: string, prompt: string, url: string) => readonly string[]
  readonly env: (url: string) => Record<string, string>
  /** Settings besides those of aman. */
  readonly prepare: (home: string, url: string) => void
}
// biome-ignore lint/suspicious/noExplicitAny: the providers' requests have no types of ours
type Json = any

const TASKS: readonly Task[] = [
  {
    name: "look up",
    prompt: "Where are chunks merged? One look is enough.",
    calls: [{ tool: "search", args: { query: "where are chunks merged" } }],
  },
  {
    name: "find",
    prompt: "Where are chunks merged?",
    calls: [
      { tool: "search", args: { query: "where are chunks merged" } },
      { tool: "read", args: { path: "src/parse/chunk/chunk.ts", start_line: 1, end_line: 60 } },
    ],
  },
  {
    name: "change",
    prompt: "What breaks if the signature of openClone changes?",
    calls: [
      { tool: "symbol", args: { name: "openClone", relation: "callers" } },
      { tool: "context", args: { task: "change the signature of openClone", tokens: 2000 } },
    ],
  },
  {
    name: "remember",
    prompt: "Remember that releases are cut on Tuesdays, then tell me when they are cut.",
    calls: [
      { tool: "remember", args: { text: "Releases are cut on Tuesdays" } },
      { tool: "recall", args: { query: "when are releases cut" } },
    ],
  },
]
function git(...args: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { stderr: "pipe" })
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
}

const count = (value: unknown) => countTokens(typeof value === "string" ? value : JSON.stringify(value))
const events = (list: readonly Json[]) =>
  new Response(list.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  })
const data = (list: readonly (Json | string)[]) =>
  new Response(
    list.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`).join(""),
    { headers: { "content-type": "text/event-stream" } },
  )
const isOurs = (name: string) => /aman/.test(name)

function request(
  tools: readonly (readonly [string, unknown])[],
  results: readonly unknown[],
  rest: unknown,
): ModelRequest {
  return {
    tools: new Map(tools.filter(([name]) => isOurs(name))),
    results: results.map((each) => (typeof each === "string" ? each : JSON.stringify(each))),
    text: count(rest),
    isLoad: false,
  }
}

const anthropic: Provider = {
  parse: ({ tools = [], system, messages }) =>
    request(
      tools.map((each: Json) => [each.name, each]),
      messages
        .flatMap(({ content }: Json) => (Array.isArray(content) ? content : []))
        .filter(({ type }: Json) => type === "tool_result")
        .map(({ content }: Json) =>
          Array.isArray(content) ? content.map(({ text }: Json) => text).join("\n") : content,
        ),
      { system, messages },
    ),
  reply: (call, turn) => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const block = call
      ? { type: "tool_use", id: `toolu_${turn}`, name: call.name, input: {} }
      : { type: "text", text: "" }
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
      : { type: "text_delta", text: "Done." }
    return events([
      {
        type: "message_start",
        message: {
          id: `msg_${turn}`,
          type: "message",
          role: "assistant",
          model: "scripted",
          content: [],
          stop_reason: null,
          usage,
        },
      },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn" }, usage },
      { type: "message_stop" },
    ])
  },
}

const responses: Provider = {
  parse: ({ tools = [], instructions, input }) =>
    request(
      tools.flatMap((each: Json) =>
        each.type === "namespace"
          ? each.tools.map((tool: Json) => [
              `${each.name}${tool.name.startsWith("__") ? "" : "__"}${tool.name}`,
              tool,
            ])
          : [[each.name ?? each.type, each]],
      ),
      input.filter(({ type }: Json) => type === "function_call_output").map(({ output }: Json) => output),
      { instructions, input },
    ),
  reply: (call, turn) => {
    const [, namespace, name] = /^(mcp__\w+?)__(\w+)$/.exec(call?.name ?? "") ?? []
    const item = call
      ? {
          type: "function_call",
          id: `fc_${turn}`,
          call_id: `call_${turn}`,
          namespace,
          name,
          arguments: JSON.stringify(call.args),
        }
      : {
          type: "message",
          id: `msg_${turn}`,
          role: "assistant",
          content: [{ type: "output_text", text: "Done.", annotations: [] }],
        }
    const response = {
      id: `resp_${turn}`,
      object: "response",
      status: "completed",
      output: [item],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }
    return events([
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ])
  },
}

const gemini: Provider = {
  parse: ({ tools = [], systemInstruction, contents }) =>
    request(
      tools.flatMap(({ functionDeclarations = [] }: Json) =>
        functionDeclarations.map((each: Json) => [each.name, each]),
      ),
      contents
        .flatMap(({ parts }: Json) => parts)
        .filter(({ functionResponse }: Json) => functionResponse)
        .map(({ functionResponse }: Json) => functionResponse.response),
      { systemInstruction, contents },
    ),
  reply: (call) => {
    const part = call ? { functionCall: call } : { text: "Done." }
    return data([
      {
        candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      },
    ])
  },
}

const chat: Provider = {
  parse: ({ tools = [], messages }) =>
    request(
      tools.map((each: Json) => [each.function.name, each.function]),
      messages.filter(({ role }: Json) => role === "tool").map(({ content }: Json) => content),
      messages,
    ),
  reply: (call, turn) => {
    const delta = call
      ? {
          role: "assistant",
          tool_calls: [
            {
              index: 0,
              id: `call_${turn}`,
              type: "function",
              function: { name: call.name, arguments: JSON.stringify(call.args) },
            },
          ],
        }
      : { role: "assistant", content: "Done." }
    const chunk = (choice: object) => ({
      id: `c${turn}`,
      object: "chat.completion.chunk",
      created: 0,
      model: "scripted",
      choices: [{ index: 0, ...choice }],
    })
    return data([
      chunk({ delta, finish_reason: null }),
      chunk({ delta: {}, finish_reason: call ? "tool_calls" : "stop" }),
      "[DONE]",
    ])
  },
}

const CLIENTS: readonly AgentClient[] = [
  {
    id: "claude-code",
    provider: anthropic,
    command: (bin, prompt) => [`${bin}/claude`, "-p", prompt, "--allowedTools", "mcp__aman"],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      DISABLE_TELEMETRY: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      MCP_CONNECTION_NONBLOCKING: "0",
    }),
    prepare: (home) => mkdirSync(join(home, ".claude"), { recursive: true }),
  },
  {
    id: "codex",
    provider: responses,
    command: (bin, prompt, url) => [
      `${bin}/codex`,
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "-c",
      'model_provider="scripted"',
      "-c",
      'model="gpt-5"',
      "-c",
      `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}`,
      prompt,
    ],
    env: () => ({ SCRIPTED_KEY: "none" }),
    prepare: (home) => mkdirSync(join(home, ".codex"), { recursive: true }),
  },
  {
    id: "gemini-cli",
    provider: gemini,
    command: (bin, prompt) => [
      `${bin}/gemini`,
      "-p",
      prompt,
      "--skip-trust",
      "--yolo",
      "-m",
      "gemini-2.5-flash",
    ],
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }),
    prepare: (home) => {
      mkdirSync(join(home, ".gemini"), { recursive: true })
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      }
      writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings))
    },
  },
  {
    id: "opencode",
    provider: chat,
    command: (bin, prompt) => [`${bin}/opencode`, "run", "-m", "scripted/scripted", prompt],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    prepare: (home, url) => {
      mkdirSync(join(home, ".config/opencode"), { recursive: true })
      const provider = {
        scripted: {
          npm: "@ai-sdk/openai-compatible",
          name: "scripted",
          options: { baseURL: `${url}/v1`, apiKey: "none" },
          models: {
            scripted: { name: "scripted", tool_call: true, limit: { context: 200_000, output: 8000 } },
          },
        },
      }
      writeFileSync(join(home, ".config/opencode/opencode.json"), JSON.stringify({ provider }))
    },
  },
]

type Session = {
  readonly requests: readonly ModelRequest[]
  readonly exitCode: number | null
  readonly output: string
}

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      clients: { type: "string" },
      binary: { type: "string", default: join(project, "dist", "aman") },
      only: { type: "string", default: CLIENTS.map(({ id }) => id).join(",") },
      tasks: { type: "string", default: TASKS.map(({ name }) => name).join(",") },
      /** Maximum time of a session. */
      seconds: { type: "string", default: "120" },
      verbose: { type: "boolean", default: false },
    },
  })
  if (values.clients === undefined)
    throw new Error("--clients: the folder in which npm has installed the clients")
  const bin = resolve(values.clients, "node_modules/.bin")
  const folder = mkdtempSync(join(tmpdir(), "aman-clients-"))
  try {
    for (const client of CLIENTS.filter(({ id }) => values.only.split(",").includes(id))) {
      for (const task of TASKS.filter(({ name }) => values.tasks.split(",").includes(name))) {
        const timeoutMs = Number(values.seconds) * 1000
        const start = { client, bin, root: project, binary: resolve(values.binary), folder, timeoutMs }
        const plain = await session({ ...start, task: { ...task, calls: [] }, hasAman: false })
        const own = await session({ ...start, task, hasAman: true })
        process.stdout.write(`${JSON.stringify(figures(client, task, plain, own))}\n`)
        if (values.verbose) process.stdout.write(`${own.output.slice(-2000)}\n`)
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tokens (o200k) that aman adds to a session: `own` is the session with aman, `plain` the same one without. */
function figures(client: AgentClient, { name, calls }: Task, plain: Session, own: Session) {
  const main = (all: readonly ModelRequest[]) =>
    all.filter(({ text }) => text === Math.max(...all.map((each) => each.text)))
  const first = own.requests.find(({ tools }) => tools.size > 0)
  const last = main(own.requests).at(-1)
  const without = Math.max(0, ...plain.requests.map(({ text }) => text))
  return {
    client: client.id,
    task: name,
    requests: own.requests.length,
    tools: first?.tools.size ?? 0,
    definitions: first === undefined ? 0 : count([...first.tools.values()]),
    // Instructions of the server and of setup, and what hooks add when the session starts and a prompt is sent.
    texts: first === undefined ? null : first.text - without,
    calls: calls.length,
    results: last?.results.map(count) ?? [],
    // All requests of the session together, without definitions of other tools than aman's.
    sent: own.requests.reduce((sum, { text, tools }) => sum + text + count([...tools.values()]), 0),
    exit_code: own.exitCode,
  }
}

type Start = {
  readonly client: AgentClient
  readonly bin: string
  readonly root: string
  readonly binary: string
  readonly folder: string
  readonly task: Task
  readonly hasAman: boolean
  readonly timeoutMs: number
}

/** One session in a home folder of its own; with aman as `aman setup` sets it up. */
async function session({
  client,
  bin,
  root,
  binary,
  folder,
  task,
  hasAman,
  timeoutMs,
}: Start): Promise<Session> {
  const place = mkdtempSync(join(folder, `${client.id}-`))
  const [home, cwd] = [join(place, "home"), join(place, "project")]
  mkdirSync(home)
  git("clone", "-q", root, cwd)
  const requests: ModelRequest[] = []
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (asked) => answer(client, task, requests, asked),
  })
  const url = `http://127.0.0.1:${server.port}`
  const env = {
    HOME: home,
    PATH: [dirname(binary), process.env["PATH"]].join(delimiter),
    NO_COLOR: "1",
    ...client.env(url),
  }
  client.prepare(home, url)
  if (hasAman) {
    for (const args of [
      ["setup", client.id, "--yes", "--quiet"],
      ["index", "--quiet"],
    ]) {
      const { exitCode, stderr } = Bun.spawnSync([binary, ...args], { cwd, env, stderr: "pipe" })
      if (exitCode !== 0) throw new Error(`aman ${args.join(" ")}: ${stderr}`)
    }
  }
  const child = Bun.spawn([...client.command(bin, task.prompt, url)], {
    cwd,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeoutMs,
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { requests, exitCode: await child.exited, output: out + err }
}

async function answer(
  { provider }: AgentClient,
  { calls }: Task,
  requests: ModelRequest[],
  asked: Request,
): Promise<Response> {
  const body = await asked.json().catch(() => null)
  const isModel = /messages$|responses$|chat\/completions$|GenerateContent|generateContent/.test(
    new URL(asked.url).pathname,
  )
  if (body === null || !isModel) return Response.json({ data: [], models: [] })
  const parsed = provider.parse(body)
  requests.push(parsed)
  // Where a client lists only the names of tools, the model has to load their definitions first.
  const loads = requests.filter(({ isLoad }) => isLoad).length
  const next = calls[parsed.results.length - loads]
  const name = [...parsed.tools.keys()].find((each) => next !== undefined && each.endsWith(`_${next.tool}`))
  if (next === undefined) return provider.reply(null, requests.length)
  if (name !== undefined) return provider.reply({ name, args: next.args }, requests.length)
  const names = JSON.stringify(body).match(/mcp__aman__\w+/g) ?? []
  if (loads > 0 || names.length === 0) return provider.reply(null, requests.length)
  requests[requests.length - 1] = { ...parsed, isLoad: true }
  const query = `select:${calls.map(({ tool }) => `mcp__aman__${tool}`).join(",")}`
  return provider.reply({ name: "ToolSearch", args: { query } }, requests.length)
}
