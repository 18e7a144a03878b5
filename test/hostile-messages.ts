import { randomFrom } from "./random.ts"

/** A message to send, and the reply that the server must give. */
export type Hostile = {
  readonly bytes: Buffer
  /**
   * `answer`: a reply with this id; `error`: an error without an id or with any; `nothing`: no reply;
   * `either`: a reply or none.
   */
  readonly due: { readonly answer: string } | "error" | "nothing" | "either"
}

const TOOLS = ["search", "read", "symbol", "status", "remember", "recall", "knowledge", "projects", "none"]
const METHODS = [
  ...["tools/list", "tools/call", "resources/list", "resources/read", "resources/subscribe"],
  ...["resources/templates/list", "prompts/list", "prompts/get", "completion/complete", "ping"],
  ...["logging/setLevel", "initialize", "tasks/get", "tools/none", "constructor", "__proto__", ""],
]
const NOTICES = [
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/roots/list_changed",
  "notifications/none",
]
const TEXTS = [
  ...["", " ", "\0", "\ud800", "../../../etc/passwd", "C:\\windows", "file:///etc/passwd", "%00%2e%2e"],
  ...[
    "a".repeat(10_000),
    "'; DROP TABLE files; --",
    "(a+)+$",
    "[",
    "\u202e\u0000\u001b[2J",
    "{{{",
    "😀".repeat(500),
  ],
  ...["__proto__", "constructor", "web/hash.ts", "RefundPayment", "billing", "aman://map", "2026-13-45"],
]
const KEYS = [
  ...["query", "path", "name", "limit", "offset", "mode", "action", "text", "topic", "ids", "uri", "cursor"],
  ...[
    "ref",
    "argument",
    "arguments",
    "_meta",
    "progressToken",
    "level",
    "__proto__",
    "id",
    "max_tokens",
    "requestId",
  ],
]

/** What each request of version 2026-07-28 and later carries. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
}
const METHODS_OF_2026 = ["server/discover", "subscriptions/unlisten", "tasks/list", "input/required"]

/**
 * Generates malformed, oversized, out-of-order and hostile messages, the same ones for each seed; with `isModern`, those
 * of a client that speaks version 2026-07-28, in which also the data beside each request is hostile.
 */
export class HostileMessages {
  readonly #random: () => number
  readonly #isModern: boolean
  #count = 0

  constructor(seed: number, { isModern = false } = {}) {
    this.#random = randomFrom(seed)
    this.#isModern = isModern
  }

  next(): Hostile {
    const kinds = [
      () => this.#request(),
      () => this.#request(),
      () => this.#call(),
      () => this.#call(),
      () => this.#notice(),
      () => this.#reply(),
      () => this.#envelope(),
      () => this.#noise(),
      () => this.#cut(),
      () => this.#deep(),
      () => this.#batch(),
      ...(this.#isModern ? [() => this.#listen(), () => this.#call(), () => this.#request()] : []),
    ]
    return this.#one(kinds)()
  }

  #request(): Hostile {
    const params = this.#below(4) === 0 ? undefined : this.#object(3)
    const methods = this.#isModern ? [...METHODS, ...METHODS_OF_2026] : METHODS
    return this.#answered({ method: this.#one(methods), params })
  }

  #call(): Hostile {
    const params = { name: this.#one(TOOLS), arguments: this.#object(2) }
    return this.#answered({ method: "tools/call", params })
  }

  #answered({ method, params }: { readonly method: string; readonly params?: object | undefined }): Hostile {
    const id = `h${this.#count++}`
    const sent = this.#isModern ? { ...params, _meta: this.#meta() } : params
    return { bytes: json({ jsonrpc: "2.0", id, method, params: sent }), due: { answer: id } }
  }

  /** Stays open if it is accepted, so that it has an answer only if it is refused. */
  #listen(): Hostile {
    const { bytes } = this.#answered({
      method: "subscriptions/listen",
      params: { notifications: { resourceSubscriptions: this.#value(2), ...this.#object(2) } },
    })
    return { bytes, due: "either" }
  }

  /** The data beside a request: as it must be, without a part, with a hostile part, or something else altogether. */
  #meta(): unknown {
    const [version, capabilities] = Object.keys(META)
    return this.#one<() => unknown>([
      () => META,
      () => META,
      () => META,
      () => ({ ...META, [this.#one(Object.keys(META))]: this.#value(2) }),
      () => ({ ...META, [capabilities!]: { roots: this.#value(1), extensions: this.#value(2) } }),
      () => ({ ...META, [version!]: this.#one(["2026-07-29", "1.0", "2025-11-25"]), ...this.#object(2) }),
      () => this.#value(1),
    ])()
  }

  #notice(): Hostile {
    const params = this.#below(2) === 0 ? { requestId: `h${this.#below(this.#count + 10)}` } : this.#object(2)
    // Not cancellations, because a cancelled request gets no answer.
    const method = this.#one(NOTICES.filter((name) => name !== "notifications/cancelled"))
    return { bytes: json({ jsonrpc: "2.0", method, params }), due: "nothing" }
  }

  #reply(): Hostile {
    const body = this.#below(2) === 0 ? { result: this.#object(2) } : { error: { code: -1, message: "x" } }
    return { bytes: json({ jsonrpc: "2.0", id: this.#below(1000), ...body }), due: "nothing" }
  }

  /** Valid JSON that is no valid JSON-RPC. */
  #envelope(): Hostile {
    const wrong = [
      { id: 1, method: "ping" },
      { jsonrpc: "1.0", id: 2, method: "ping" },
      { jsonrpc: "2.0", id: {}, method: "ping" },
      { jsonrpc: "2.0", id: null, method: "ping" },
      { jsonrpc: "2.0", id: 1.5, method: "ping" },
      { jsonrpc: "2.0", id: 1e308, method: "ping" },
      { jsonrpc: "2.0", id: 3, method: 4 },
      { jsonrpc: "2.0", id: 3 },
      { jsonrpc: "2.0" },
      { jsonrpc: "2.0", id: 5, method: "ping", params: "text" },
      { jsonrpc: "2.0", id: 5, method: "ping", params: [1, 2] },
      ...[{}, "text", 7, true, null, -0.5],
    ]
    return { bytes: json(this.#one(wrong)), due: "error" }
  }

  #noise(): Hostile {
    const bytes = Buffer.from(Array.from({ length: 1 + this.#below(300) }, () => this.#below(256)))
    // Begins with a character that is no space, because a line of spaces is ignored instead of refused.
    return {
      bytes: Buffer.concat([Buffer.from("~"), bytes.map((byte) => (byte === 10 ? 11 : byte))]),
      due: "error",
    }
  }

  #cut(): Hostile {
    const { bytes } = this.#call()
    return { bytes: bytes.subarray(0, 1 + this.#below(bytes.length - 2)), due: "error" }
  }

  #deep(): Hostile {
    const depth = 10 ** (1 + this.#below(5))
    const open = this.#below(2) === 0 ? "[" : '{"a":'
    const close = open === "[" ? "]" : "}"
    const value = `${open.repeat(depth)}1${this.#below(2) === 0 ? "" : close.repeat(depth)}`
    return {
      bytes: Buffer.from(`{"jsonrpc":"2.0","id":"d","method":"ping","params":${value}}`),
      due: "either",
    }
  }

  #batch(): Hostile {
    const length = this.#one([0, 0, 101, 500])
    return {
      bytes: json(Array.from({ length }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))),
      due: "error",
    }
  }

  #object(depth: number): Record<string, unknown> {
    const entries = Array.from(
      { length: this.#below(5) },
      () => [this.#one(KEYS), this.#value(depth)] as const,
    )
    // Parsed from text, because a key named __proto__ in an object literal would set the prototype.
    return JSON.parse(
      `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`,
    )
  }

  #value(depth: number): unknown {
    const kinds: (() => unknown)[] = [
      () => this.#one(TEXTS),
      () => this.#one([0, -1, 1e308, 2 ** 53, 0.1, 50, 7]),
      () => this.#one([true, false, null]),
    ]
    if (depth > 0)
      kinds.push(
        () => this.#object(depth - 1),
        () => [this.#value(depth - 1)],
      )
    return this.#one(kinds)()
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#below(values.length)]!
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? "null")
}
