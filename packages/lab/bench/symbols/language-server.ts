import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** 0-based line and UTF-16 offset in it. */
export type Position = { readonly line: number; readonly character: number }

type Location = { readonly uri: string; readonly range: { readonly start: Position } }
type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }
type Message = {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly items?: readonly unknown[] }
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** A compiler's server, called by the protocol that editors use. */
export class LanguageServer {
  readonly #root: string
  readonly #child: ReturnType<typeof spawn>
  readonly #waiting = new Map<number, Waiting>()
  #settings: object = {}
  #id = 0

  private constructor(root: string, command: readonly string[]) {
    this.#root = root
    this.#child = spawn(root, command)
    void this.#read()
  }

  static async start(
    root: string,
    command: readonly string[],
    settings: object = {},
  ): Promise<LanguageServer> {
    const server = new LanguageServer(root, command)
    server.#settings = settings
    await server.#ask("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      workspaceFolders: [{ uri: pathToFileURL(root).href, name: "root" }],
      capabilities: { workspace: { configuration: true }, textDocument: { definition: {} } },
    })
    server.#tell("initialized", {})
    return server
  }

  /** Places where the name at a position is defined; a path outside the root is empty. */
  async definitions(path: string, position: Position): Promise<(Position & { readonly path: string })[]> {
    const found = (await this.#ask("textDocument/definition", {
      textDocument: { uri: this.#uri(path) },
      position,
    })) as readonly Location[] | null
    const base = `${decodeURIComponent(pathToFileURL(this.#root).href)}/`
    return (found ?? []).map(({ uri, range }) => {
      const at = decodeURIComponent(uri)
      return { path: at.startsWith(base) ? at.slice(base.length) : "", ...range.start }
    })
  }

  open(path: string, languageId: string, text: string): void {
    this.#tell("textDocument/didOpen", {
      textDocument: { uri: this.#uri(path), languageId, version: 1, text },
    })
  }

  close(path: string): void {
    this.#tell("textDocument/didClose", { textDocument: { uri: this.#uri(path) } })
  }

  [Symbol.dispose](): void {
    this.#child.kill()
  }

  #uri(path: string): string {
    return pathToFileURL(join(this.#root, path)).href
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#id
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send({ id, method, params })
    })
  }

  #tell(method: string, params: unknown): void {
    this.#send({ method, params })
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    this.#child.stdin.flush()
  }

  async #read(): Promise<void> {
    let buffer = Buffer.alloc(0)
    for await (const chunk of this.#child.stdout) {
      buffer = Buffer.concat([buffer, chunk])
      for (let body = bodyOf(buffer); body !== null; body = bodyOf(buffer)) {
        buffer = buffer.subarray(body.end)
        this.#heard(JSON.parse(body.text) as Message)
      }
    }
    for (const { reject } of this.#waiting.values()) reject(new Error("the language server ended"))
  }

  #heard({ id, method, params, result, error }: Message): void {
    if (method !== undefined) {
      // The server asks for settings and the like.
      if (id !== undefined) this.#send({ id, result: params?.items?.map(() => this.#settings) ?? null })
      return
    }
    const waiting = this.#waiting.get(Number(id))
    this.#waiting.delete(Number(id))
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
  }
}

function spawn(root: string, command: readonly string[]) {
  return Bun.spawn([...command], { cwd: root, stdin: "pipe", stdout: "pipe", stderr: "ignore" })
}

function bodyOf(buffer: Buffer): { readonly text: string; readonly end: number } | null {
  const head = buffer.indexOf("\r\n\r\n")
  if (head < 0) return null
  const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, head).toString())?.[1])
  const end = head + 4 + length
  return buffer.length < end ? null : { text: buffer.subarray(head + 4, end).toString(), end }
}
