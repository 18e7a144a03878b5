import { randomFrom } from "./random.ts"

/** The part of JSON Schema that the tools use. */
export type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

export type Offered = {
  readonly tools: readonly { readonly name: string; readonly inputSchema: Schema }[]
  readonly templates: readonly string[]
  readonly prompts: readonly {
    readonly name: string
    readonly arguments?: readonly { readonly name: string }[]
  }[]
}

export type Request = { readonly method: string; readonly params: object }

// The first are in the project of the tests; the others lead out of it or are invalid names.
const TEXTS = [
  ...["billing/refund.go", "web/hash.ts", "RefundPayment", "billing", "go", "semantic", "HEAD", "*", "**/*"],
  ...[
    "../outside.txt",
    "billing/../../outside.txt",
    "/etc/passwd",
    "..\\outside.txt",
    "%2e%2e/outside.txt",
    "link",
  ],
  ...["~/.ssh/id_rsa", "file:///etc/passwd", "\\\\?\\C:\\x", "nul", ".git/config", ".aman/index.db", ".env"],
  ...[
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u200b\u{e0041}",
    "e\u0301".repeat(200),
    "\n\r\u2028",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "-",
    "--help",
    "-rf",
    "`",
    "```",
    "</aman-context>",
  ],
  ...[
    "(",
    "[",
    "(?=a)",
    "(a{1000}){1000}",
    "{",
    "}{",
    "{a,b}".repeat(30),
    "**/".repeat(50),
    "!",
    "\\",
    "$(id)",
  ],
  ...[
    "path:",
    'lang:go "x',
    "a OR",
    "2026-13-45",
    "9999-12-31T23:59:60Z",
    "-1",
    "1e309",
    "NaN",
    "a:1:2:3",
    "a#b",
  ],
  ...["a".repeat(1001), "漢".repeat(5000), "aB".repeat(5000), "a-".repeat(5000), "\u{1f600}".repeat(600)],
]
const NUMBERS = [0, -0, 1, -1, 0.5, 2, 50, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, -1e308, 5e-324]

/** Calls that follow the server's own schemas, with values at every limit and beyond it. */
export class SchemaCalls {
  readonly #offered: Offered
  readonly #random: () => number

  constructor(offered: Offered, seed: number) {
    this.#offered = offered
    this.#random = randomFrom(seed)
  }

  next(): Request {
    const kind = this.#below(10)
    if (kind < 7) return this.#call()
    if (kind < 9) return this.#resource()
    return this.#below(2) === 0 ? this.#prompt() : this.#completion()
  }

  #call(): Request {
    const { name, inputSchema } = this.#one(this.#offered.tools)
    return { method: "tools/call", params: { name, arguments: this.#object(inputSchema, 0) } }
  }

  #resource(): Request {
    const template = this.#one([...this.#offered.templates, "aman://map", "aman://status", "aman://none", ""])
    const uri = template.replace(/\{[^}]*\}/g, () => {
      const text = this.#one(TEXTS)
      return this.#below(2) === 0 ? text : encodeURIComponent(text.toWellFormed())
    })
    return { method: this.#one(["resources/read", "resources/read", "resources/subscribe"]), params: { uri } }
  }

  #prompt(): Request {
    const { name, arguments: args = [] } = this.#one(this.#offered.prompts)
    const given = Object.fromEntries(args.map((each) => [each.name, this.#one(TEXTS)]))
    return { method: "prompts/get", params: { name, arguments: given } }
  }

  #completion(): Request {
    const ref =
      this.#below(2) === 0
        ? { type: "ref/resource", uri: this.#one(this.#offered.templates) }
        : { type: "ref/prompt", name: this.#one(this.#offered.prompts).name }
    const name = this.#one(["path", "name", "symbol", "topic", "__proto__"])
    return { method: "completion/complete", params: { ref, argument: { name, value: this.#one(TEXTS) } } }
  }

  /** Usually contains the required fields, sometimes the optional ones, and rarely an unknown one. */
  #object({ properties = {}, required = [] }: Schema, depth: number): object {
    const entries: (readonly [string, unknown])[] = []
    for (const [name, schema] of Object.entries(properties)) {
      const isWanted = required.includes(name) ? this.#below(20) > 0 : this.#below(4) === 0
      if (isWanted) entries.push([name, this.#value(schema, depth + 1)])
    }
    if (this.#below(12) === 0) entries.push([this.#one(TEXTS), this.#one(TEXTS)])
    // Parsed from text, because a key named __proto__ in an object literal would set the prototype.
    const text = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? "null"}`)
    return JSON.parse(`{${text.join(",")}}`)
  }

  #value(schema: Schema, depth: number): unknown {
    if (this.#below(15) === 0) return this.#one([null, true, [], {}, "", 0, [[[]]], { ["__proto__"]: 1 }])
    if (schema.anyOf !== undefined) return this.#value(this.#one(schema.anyOf), depth)
    if (schema.enum !== undefined) return this.#below(20) === 0 ? this.#one(TEXTS) : this.#one(schema.enum)
    if (schema.type === "integer" || schema.type === "number") return this.#number(schema)
    if (schema.type === "boolean") return this.#below(2) === 0
    if (schema.type === "array") return this.#list(schema.items ?? {}, depth)
    if (schema.type === "object") return this.#object(schema, depth)
    return this.#text(schema)
  }

  #number({ minimum = 0, maximum = 100 }: Schema): number {
    const limits = [minimum, maximum, minimum - 1, maximum + 1, Math.min(maximum, minimum + 3)]
    return this.#one(this.#below(3) === 0 ? NUMBERS : limits)
  }

  #list(items: Schema, depth: number): unknown[] {
    const length = this.#below(40) === 0 && depth < 2 ? 150 : this.#below(4)
    return Array.from({ length }, () => this.#value(items, depth + 1))
  }

  #text({ maxLength }: Schema): string {
    if (maxLength !== undefined && maxLength <= 20_000 && this.#below(20) === 0)
      return "x ".repeat(maxLength).slice(0, maxLength + this.#below(2))
    return this.#below(6) === 0 ? `${this.#one(TEXTS)}${this.#one(TEXTS)}` : this.#one(TEXTS)
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#below(values.length)]!
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}
