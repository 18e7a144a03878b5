import { dirname, join } from "node:path"
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

/** The language service of the TypeScript compiler, called by the protocol that editors use. */
export class LanguageServer {
  readonly #root: string
  readonly #child: ReturnType<typeof spawn>
  readonly #waiting = new Map<number, Waiting>()
  readonly #opened = new Set<string>()
  #id = 0

  private constructor(root: string) {
    this.#root = root
    this.#child = spawn(root)
    void this.#read()
  }

  /** Starts a server for a folder that contains a tsconfig.json. */
  static async start(root: string): Promise<LanguageServer> {
    const server = new LanguageServer(root)
    await server.#ask("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      workspaceFolders: [{ uri: pathToFileURL(root).href, name: "root" }],
      capabilities: { workspace: { configuration: true }, textDocument: { references: {} } },
    })
    server.#tell("initialized", {})
    return server
  }

  /**
   * Places where the symbol at a position is declared, imported and used, as "path:line", 1-based, without
   * those outside the root. The server counts imports as declarations.
   */
  async references(path: string, text: string, position: Position): Promise<string[]> {
    this.#open(path, text)
    const found = (await this.#ask("textDocument/references", {
      textDocument: { uri: this.#uri(path) },
      position,
      context: { includeDeclaration: true },
    })) as readonly Location[] | null
    const base = `${pathToFileURL(this.#root).href}/`
    return (found ?? []).flatMap(({ uri, range }) =>
      uri.startsWith(base) ? [`${decodeURIComponent(uri.slice(base.length))}:${range.start.line + 1}`] : [],
    )
  }

  [Symbol.dispose](): void {
    this.#child.kill()
  }

  #open(path: string, text: string): void {
    if (this.#opened.has(path)) return
    this.#opened.add(path)
    const languageId = path.endsWith("x") ? "typescriptreact" : "typescript"
    this.#tell("textDocument/didOpen", {
      textDocument: { uri: this.#uri(path), languageId, version: 1, text },
    })
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
      // The server asks for settings and the like; the answer is that there are none.
      if (id !== undefined) this.#send({ id, result: params?.items?.map(() => null) ?? null })
      return
    }
    const waiting = this.#waiting.get(Number(id))
    this.#waiting.delete(Number(id))
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
  }
}

function spawn(root: string) {
  const tsc = join(dirname(Bun.resolveSync("typescript/package.json", import.meta.dir)), "bin/tsc")
  return Bun.spawn([tsc, "--lsp", "--stdio"], { cwd: root, stdin: "pipe", stdout: "pipe", stderr: "ignore" })
}

function bodyOf(buffer: Buffer): { readonly text: string; readonly end: number } | null {
  const head = buffer.indexOf("\r\n\r\n")
  if (head < 0) return null
  const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, head).toString())?.[1])
  const end = head + 4 + length
  return buffer.length < end ? null : { text: buffer.subarray(head + 4, end).toString(), end }
}
