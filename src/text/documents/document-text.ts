import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads"
import { LRUCache } from "lru-cache"
import { isSvg, mayHaveText } from "./svg-file.ts"

const EXTENSION = /\.(?:docx|odt|odp|ods|pptx|xlsx|epub|pdf|svg)$/i

/** True, by its name, for an office document, an e-book, a PDF or an SVG drawing: files whose text must be extracted. */
export function isDocument(path: string): boolean {
  return EXTENSION.test(path)
}

/** The text of a document as Markdown, or the reason why there is none. */
export type DocumentText = { readonly text: string } | "binary" | "too large" | "media"

/**
 * One document for the thread of document-worker.ts. The thread sends its answer to `port` and then sets the first
 * number of `signal` to 1.
 */
export type DocumentTask = {
  readonly path: string
  readonly bytes: Uint8Array
  readonly maxChars: number
  readonly port: MessagePort
  readonly signal: SharedArrayBuffer
}

/** Limits for reading one document. */
export type DocumentLimits = { readonly timeoutMs: number; readonly memoryBytes: number }
const LIMITS: DocumentLimits = { timeoutMs: 10_000, memoryBytes: 768 << 20 }

/**
 * Extracts the text of a document as Markdown: headings, paragraphs, slides, pages, and the first rows of tables; of a
 * drawing, see svg-text.ts. "media" for a drawing without text, "binary" if the bytes are no such document. "too large"
 * if the text has more than `maxChars` characters, if the archive unpacks to more than the limits, or if reading takes more time or memory than `limits` allow. Callers read
 * files synchronously, so the document is read in a thread while the caller waits; if a hostile document never
 * finishes, the thread is ended.
 */
export function documentText(
  path: string,
  bytes: Uint8Array,
  maxChars: number,
  limits: DocumentLimits = LIMITS,
): DocumentText {
  if (isSvg(path) && !mayHaveText(bytes)) return "media"
  const key = `${EXTENSION.exec(path)?.[0]} ${maxChars} ${Bun.hash.xxHash3(bytes)} ${bytes.length}`
  const cached = recent.get(key)
  if (cached !== undefined) return cached
  const text = readInThread(path, bytes, maxChars, limits)
  recent.set(key, text)
  return text
}

/** The texts that were read most recently, so that a document is not extracted again for each result in it. */
const recent = new LRUCache<string, DocumentText>({
  maxSize: 8 << 20,
  sizeCalculation: (text) => 64 + (typeof text === "string" ? 0 : 2 * text.text.length),
})

/** The thread that reads documents. It is started for the first document. */
let thread: Worker | null = null
let idle: ReturnType<typeof setTimeout> | null = null
const IDLE_MS = 5_000
const POLL_MS = 50

function readInThread(
  path: string,
  bytes: Uint8Array,
  maxChars: number,
  limits: DocumentLimits,
): DocumentText {
  const worker = thread ?? startThread()
  const { port1: replies, port2: port } = new MessageChannel()
  const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const task: DocumentTask = { path, bytes: bytes.slice(), maxChars, port, signal }
  worker.postMessage(task, [port as unknown as MessagePort & globalThis.MessagePort])
  const isDone = waitFor(new Int32Array(signal), limits)
  const reply = receiveMessageOnPort(replies) as { readonly message: DocumentText } | undefined
  replies.close()
  if (!isDone || reply === undefined) {
    endThread()
    return "too large"
  }
  endThreadLater()
  return reply.message
}

/** Waits for the answer of the thread. False if it takes too much time or memory. */
function waitFor(state: Int32Array<SharedArrayBuffer>, { timeoutMs, memoryBytes }: DocumentLimits): boolean {
  const deadline = performance.now() + timeoutMs
  const maxBytes = process.memoryUsage.rss() + memoryBytes
  while (performance.now() <= deadline && process.memoryUsage.rss() <= maxBytes) {
    if (Atomics.load(state, 0) !== 0) return true
    Atomics.wait(state, 0, 0, POLL_MS)
  }
  return false
}

function startThread(): Worker {
  thread = new Worker(new URL("./document-worker.ts", import.meta.url), { type: "module", smol: true })
  thread.unref()
  return thread
}

/** Ends the thread, which frees the memory of the parser, if no other document follows soon. */
function endThreadLater(): void {
  if (idle !== null) clearTimeout(idle)
  idle = setTimeout(endThread, IDLE_MS)
  idle.unref()
}

function endThread(): void {
  if (idle !== null) clearTimeout(idle)
  idle = null
  thread?.terminate()
  thread = null
}
