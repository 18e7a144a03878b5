/*
 * Lists and calls the MCP tools of a connection. Profiles list fewer tools and shorter schemas, because a model reads
 * them in every session; every tool can be called in any profile. Guessed argument names are translated, and wrong
 * arguments give an answer that explains them.
 */

import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  Tool,
  ToolAnnotations,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import type { ServedProject, Source, ToolOptions, ToolProfile } from "../../../ask/index.ts"
import {
  type ArgumentsOf,
  explainMistakes,
  type Fields,
  readArguments,
  type Schema,
  schemaOf,
  valuesOf,
} from "../../verbs/fields.ts"
import { VIEW_DATA, withView } from "../resources/views.ts"
import type { ToolCallExtra } from "../session/call-progress.ts"
import type { Session } from "../session/session.ts"
import type { AnsweredCall } from "./record.ts"

type ToolConfig<F extends Fields> = {
  readonly title: string
  /** Profiles other than "full" list only its first paragraph, which must be enough to choose the tool. */
  readonly description: string
  /** Arguments that profiles other than "full" list; calls may use the other arguments too. */
  readonly usual: readonly (string & keyof F)[]
  /**
   * Arguments that the profile "full" lists with their descriptions; it lists the others without. Absent: all
   * arguments have descriptions.
   */
  readonly described?: readonly (string & keyof F)[]
  readonly fields: F
  /** True: other arguments are taken as well. */
  readonly isOpen?: boolean
  readonly outputSchema: z.ZodType
  readonly annotations: ToolAnnotations
  /** True for a tool whose definition Claude Code shows to the model at once; of others it shows only the names. */
  readonly isShownAtOnce?: boolean
  /** True for a tool whose results the view shows in clients that show views. */
  readonly hasView?: boolean
}

/** The methods of a session that the tools for reading code use. A team's query node provides them as well. */
export type ToolSession = {
  /** The source that the name of a repository selects; the project without one. */
  readonly source: (repository: string | undefined, call?: ToolCallExtra) => Source
  readonly withProject: <T>(
    act: (project: Pick<ServedProject, "untilIndexed" | "whyNot">) => Promise<T>,
    call?: ToolCallExtra,
  ) => Promise<T>
  readonly withMemory: Session["withMemory"]
}

/** What else happens around a call. */
export type CallHooks = {
  /** True if the client of a request shows views. */
  readonly showsViews?: (context: ServerContext) => boolean
  /** What the client must answer before the call; null for nothing. */
  readonly question?: (context: ServerContext) => InputRequiredResult | null
  /** Notes to add to the answer. */
  readonly notes?: () => readonly string[]
  readonly onAnswered?: (call: AnsweredCall, context: ServerContext) => void
}

type RegisteredTool = {
  readonly config: ToolConfig<Fields>
  /** JSON Schema of all arguments. */
  readonly schema: Schema
  readonly answer: (args: object, call: ToolCallExtra) => Promise<CallToolResult>
}

const LISTED: Readonly<Record<Exclude<ToolProfile, "full">, readonly string[]>> = {
  default: ["context", "search", "read", "symbol", "remember", "recall", "manage"],
  code: ["context", "search", "read", "symbol", "manage"],
  memory: ["remember", "recall", "manage"],
}

const PRIVATE = { cacheScope: "private" } as const

/** The tools of one connection: lists those of its profile, but answers calls of every tool. */
export class ToolBox {
  readonly #tools = new Map<string, RegisteredTool>()
  readonly #options: ToolOptions

  constructor(options: ToolOptions) {
    this.#options = options
  }

  register<F extends Fields>(
    name: string,
    config: ToolConfig<F>,
    answer: (args: ArgumentsOf<F>, call: ToolCallExtra) => Promise<CallToolResult>,
  ): void {
    const schema = schemaOf(config.fields, config.isOpen)
    this.#tools.set(name, { config, schema, answer } as unknown as RegisteredTool)
  }

  /** Answers `tools/list` and `tools/call`. */
  serve(
    { server }: McpServer,
    {
      showsViews = () => false,
      question = () => null,
      notes = () => [],
      onAnswered = () => {},
    }: CallHooks = {},
  ): void {
    server.registerCapabilities({ tools: {} })
    server.setRequestHandler("tools/list", (_, context) => {
      const tools = this.#list()
      if (!showsViews(context)) return { tools }
      // Private, because a cache that is shared with other clients must not give them this list.
      return { tools: tools.map((tool) => (this.#hasView(tool.name) ? withView(tool) : tool)), ...PRIVATE }
    })
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const asked = question(context)
      if (asked !== null) return asked
      const { name, arguments: args = {} } = params
      const started = performance.now()
      const result = withNotes(await this.call(name, args, context.mcpReq), notes())
      onAnswered({ name, args, result, tookMs: performance.now() - started }, context)
      if (this.#options.isStructured || result.structuredContent === undefined) return result
      const { structuredContent, ...text } = result
      if (!this.#hasView(name) || !showsViews(context)) return text
      return { ...text, _meta: { ...text._meta, [VIEW_DATA]: structuredContent } }
    })
  }

  /** Answer of a tool. Wrong arguments and an unknown tool give an answer that says what is wrong. */
  async call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    call: ToolCallExtra,
  ): Promise<CallToolResult> {
    const tool = this.#tools.get(name)
    if (tool === undefined) return failed(`There is no tool ${name}. Tools: ${this.#names().join(", ")}.`)
    const { outputSchema, fields, isOpen } = tool.config
    const read = readArguments(given, tool.schema)
    const mistakes = explainMistakes(name, tool.schema, read)
    if (mistakes !== null) return failed(mistakes)
    const result = await tool.answer({ ...(isOpen && read), ...valuesOf(fields, read) }, call)
    if (!this.#options.isStructured || result.isError) return result
    const answer = outputSchema.safeParse(result.structuredContent)
    return answer.success ? result : failed(`aman failed: ${name} answered ${z.prettifyError(answer.error)}`)
  }

  /** Description of a tool for a model, then one line per argument; null if there is no such tool. */
  help(name: string): string | null {
    const tool = this.#tools.get(name)
    if (tool === undefined) return null
    const { properties = {} } = tool.schema
    const lines = Object.entries(properties).map(([argument, schema]) => {
      const { description = "", ...form } = withoutLimits(schema)
      return `- ${argument} ${JSON.stringify(form)} ${description}`.trimEnd()
    })
    return [tool.config.description.trimEnd(), `Arguments:\n${lines.join("\n")}`].join("\n\n")
  }

  #hasView(name: string): boolean {
    return this.#tools.get(name)?.config.hasView ?? false
  }

  #names(): string[] {
    return [...this.#tools.keys()]
  }

  #list(): Tool[] {
    const { profile } = this.#options
    const names = profile === "full" ? this.#names() : LISTED[profile]
    return names.map((name) => this.#listed(name, this.#tools.get(name)!, profile === "full"))
  }

  #listed(name: string, { config, schema }: RegisteredTool, isFull: boolean): Tool {
    const { title, description, outputSchema, annotations, usual, described, isShownAtOnce } = config
    const { isStructured } = this.#options
    const output = isStructured ? { outputSchema: outputSchemaOf(outputSchema) } : {}
    // Programs validate arguments with the complete schema. A model reads the schema in every session, so it gets a
    // shorter one.
    const full = isStructured ? schema : schemaWithoutLimits(schema, described)
    const text = isFull ? description : description.split("\n\n", 1)[0]!
    return {
      name,
      title,
      description: text.trimEnd(),
      inputSchema: (isFull ? full : usualSchema(schema, usual)) as Tool["inputSchema"],
      annotations,
      ...(isShownAtOnce ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
      ...(output as Pick<Tool, "outputSchema">),
    }
  }
}

function withNotes(result: CallToolResult, notes: readonly string[]): CallToolResult {
  if (notes.length === 0) return result
  const text = notes.map((note) => `Note: ${note}`).join("\n")
  return { ...result, content: [...result.content, { type: "text", text }] }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true }
}

function outputSchemaOf(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  })
  return rest
}

/**
 * Schema of the usual arguments alone, with their types and meanings. Does not forbid others, because the tool
 * accepts them.
 */
function usualSchema({ properties = {}, required }: Schema, usual: readonly string[]): Schema {
  return {
    type: "object",
    properties: Object.fromEntries(usual.map((name) => [name, withoutLimits(properties[name]!)])),
    ...(required === undefined ? {} : { required }),
  }
}

/** Schema of all arguments without their limits; only arguments named in `described` keep their meanings. */
function schemaWithoutLimits({ properties = {}, required }: Schema, described?: readonly string[]): Schema {
  const formOf = ([name, schema]: [string, Schema]) => {
    if (described?.includes(name) ?? true) return [name, withoutLimits(schema)]
    const forms = schema.anyOf ?? [schema]
    const { type, items, properties, enum: values } = forms.find((form) => form.type === "array") ?? forms[0]!
    const isShort = Array.isArray(values) && values.length <= MAX_VALUES
    const parts = { ...(items && { items: shortItems(items) }), ...(properties && { properties }) }
    return [name, { type, ...(isShort && { enum: values }), ...parts }]
  }
  const forms = Object.fromEntries(Object.entries(properties).map(formOf))
  return { type: "object", properties: forms, ...(required === undefined ? {} : { required }) }
}

/** Schema of the items of a list; of objects, only with the properties that they must have. */
function shortItems({ type, properties = {}, required = [] }: Schema): Schema {
  if (type !== "object") return { ...(type && { type }) }
  const needed = required.map((name) => [name, { type: properties[name]!.type }])
  return { type, properties: Object.fromEntries(needed) }
}

/** Max values of an argument that the short input schema lists; longer lists are in the tool's description. */
const MAX_VALUES = 8

const LIMITS = new Set([
  ...["minLength", "maxLength", "minimum", "maximum", "maxItems"],
  ...["additionalProperties", "propertyNames"],
])

/**
 * Schema without limits, because an error names the limit that was exceeded. For "a value or a list of values", only
 * the schema of the value is kept.
 */
function withoutLimits(schema: Schema): { readonly [word: string]: unknown; readonly description?: string } {
  const { anyOf, ...rest } = schema
  const valueSchema = anyOf?.[0] ?? {}
  return Object.fromEntries(
    Object.entries({ ...valueSchema, ...rest }).filter(
      ([word, value]) => !LIMITS.has(word) && value !== false,
    ),
  )
}
