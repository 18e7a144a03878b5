import { join } from "node:path"
import { readBounded } from "../../base/index.ts"
import { type OwnProcess, startOwnProcess } from "./own-process.ts"
import { isSvg, mayHaveText } from "./svg-file.ts"

const EXTENSION = /\.(?:docx|odt|odp|ods|pptx|xlsx|epub|pdf|svg)$/i

/** True, by its name, for an office document, an e-book, a PDF or an SVG drawing: files whose text must be extracted. */
export function isDocument(path: string): boolean {
  return EXTENSION.test(path)
}

/**
 * Why a document has no text. "binary": its bytes are no such document, or it has no text. "media": a drawing without
 * text. "too large": its text has too many characters. "document budget": see DocumentBudget. "parser failed": the
 * process that read it ended by itself. "unreadable": that process could not be started. The others: see DocumentLimits.
 */
export type DocumentFailure =
  | "binary"
  | "media"
  | "too large"
  | "unpacks too large"
  | "too complex"
  | "too much memory"
  | "document budget"
  | "parser failed"
  | "unreadable"

/** The text of a document as Markdown, or the reason why there is none. */
export type DocumentText = { readonly text: string } | DocumentFailure

export type DocumentLimits = {
  /** Characters of the text; above it, the document is "too large". */
  readonly maxChars: number
  /** Bytes of one unpacked part, and of all parts together; above them, it "unpacks too large". */
  readonly maxPartBytes: number
  readonly maxUnpackedBytes: number
  /** Tags of XML and operators of PDF, and processor time in ms; above them, it is "too complex". */
  readonly maxSteps: number
  readonly maxCpuMs: number
  /** Resident memory in bytes of the process that reads it; above it, it takes "too much memory". */
  readonly maxMemoryBytes: number
}

/**
 * Limits for one document. The text of 1,000 pages takes 100,000 to 500,000 operators, of which pdf.js reads a million a
 * second. The process takes 90 MB before it reads a document.
 */
export const DOCUMENT_LIMITS = {
  maxPartBytes: 32 << 20,
  maxUnpackedBytes: 128 << 20,
  maxSteps: 2_000_000,
  maxCpuMs: 10_000,
  maxMemoryBytes: 512 << 20,
} as const satisfies Omit<DocumentLimits, "maxChars">

/** What may still be spent on documents: processor time in ms, and characters of text. Each document reduces it. */
export type DocumentBudget = { leftMs: number; leftChars: number }

/** A document for the process of document-process.ts, and its answer. */
export type DocumentTask = {
  readonly path: string
  readonly bytes: Uint8Array
  readonly limits: DocumentLimits
}
export type DocumentReply = {
  readonly text: DocumentText
  /** Processor time in ms that the process has taken since its start. */
  readonly cpuMs: number
  /** Resident memory of the process in bytes. */
  readonly memoryBytes: number
}

/**
 * Extracts the text of a document as Markdown: headings, paragraphs, slides, pages, and the first rows of tables; of a
 * drawing, see svg-text.ts. A process of its own reads one document at a time. It is ended at the limits, and its
 * memory is returned with it.
 */
export async function documentText(
  path: string,
  bytes: Uint8Array,
  limits: Pick<DocumentLimits, "maxChars"> & Partial<DocumentLimits>,
  budget: DocumentBudget | null = null,
): Promise<DocumentText> {
  if (isSvg(path) && !mayHaveText(bytes)) return "media"
  const task: DocumentTask = { path, bytes, limits: { ...DOCUMENT_LIMITS, ...limits } }
  const reply = queue.then(() => {
    if (budget !== null && (budget.leftMs <= 0 || budget.leftChars <= 0)) return null
    reader ??= new DocumentReader()
    return reader.read(task)
  })
  queue = reply.catch(() => {})
  const answer = await reply
  if (answer === null) return "document budget"
  const { text, ms } = answer
  if (budget !== null) {
    budget.leftMs -= ms
    budget.leftChars -= typeof text === "string" ? 0 : text.text.length
  }
  return text
}

/** Settles when the documents that were given before have been read. */
let queue: Promise<unknown> = Promise.resolve()
/** Null while no process runs. */
let reader: DocumentReader | null = null

/** The argument with which aman starts itself to read documents. */
const DOCUMENT_PROCESS = "read-documents"

const IDLE_MS = 5_000
/** A process that has grown to this size is ended after its document. */
const LARGE_BYTES = 200 << 20
/** A process that does not answer for this time is ended, for example because it was stopped. */
const SILENT_MS = 60_000

/** The process that reads documents. Its last words on stderr are the limit for which it ended. */
class DocumentReader {
  readonly #child: OwnProcess | null
  /** Processor time in ms that the documents before have taken. */
  #spentMs = 0
  #answer: ((reply: DocumentReply) => void) | null = null
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor() {
    this.#child = startOwnProcess<DocumentReply>(
      DOCUMENT_PROCESS,
      join(import.meta.dir, "document-process.ts"),
      (reply) => this.#answer?.(reply),
      async (child) => {
        if (reader === this) reader = null
        const reason = (await readBounded(child.stderr, 1024))?.toString() as DocumentFailure
        const text = LIMIT_REASONS.has(reason) ? reason : "parser failed"
        const { total = 0 } = child.resourceUsage()?.cpuTime ?? {}
        this.#answer?.({ text, cpuMs: Number(total) / 1000, memoryBytes: 0 })
      },
    )
  }

  /** The text, and the processor time in ms that it took. */
  async read(task: DocumentTask): Promise<{ readonly text: DocumentText; readonly ms: number }> {
    if (this.#child === null) {
      reader = null
      return { text: "unreadable", ms: 0 }
    }
    const { promise, resolve } = Promise.withResolvers<DocumentReply>()
    this.#answer = resolve
    this.#endAfter(SILENT_MS)
    this.#child.ref()
    try {
      this.#child.send(task)
    } catch {
      // The process has just ended, and its exit gives the answer.
    }
    const { text, cpuMs, memoryBytes } = await promise
    this.#answer = null
    this.#child.unref()
    const ms = cpuMs - this.#spentMs
    this.#spentMs = cpuMs
    if (memoryBytes > LARGE_BYTES) this.#end()
    else this.#endAfter(IDLE_MS)
    return { text, ms }
  }

  #endAfter(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(), ms)
    this.#timer.unref()
  }

  #end(): void {
    if (reader === this) reader = null
    this.#child?.kill("SIGKILL")
  }
}

const LIMIT_REASONS: ReadonlySet<DocumentFailure> = new Set(["too complex", "too much memory"])
