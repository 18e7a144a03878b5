import * as asset from "unpdf/pdfjs" with { type: "file" }
import type { PDFDocumentProxy } from "unpdf/pdfjs"
import type { DocumentText } from "./document-text.ts"
import type { DocumentWork } from "./document-work.ts"

/**
 * pdf.js is embedded as source, which takes 1.7 MB; compiled ahead of time like aman's own code, it would take 7 MB.
 * The entry point of unpdf is not used, because it searches for fonts in packages near the working directory, which may
 * belong to a hostile project.
 */
const { default: pdfjsPath } = asset as unknown as { readonly default: string }

/**
 * Code that is put into pdf.js, after the given code: a step for each operator, more for each page or form; and the bytes
 * by which the buffer of an unpacked stream grows.
 */
const COUNTERS: readonly (readonly [after: string, counter: string])[] = [
  ["read(e){let t=e.args;for(;;){let n=this.parser.getObj();", "amanWork.step();"],
  [
    "markedContentData:u=null,disableNormalization:d=!1,keepWhiteSpace:f=!1,prevRefs:p=null,intersector:m=null}){",
    "amanWork.step(200);",
  ],
  ["let n=this.minBufferLength;for(;n<e;)n*=2;", "amanWork.unpack(n-t.byteLength,n);"],
]

/**
 * Extracts the text of a PDF as Markdown, with a heading for each page. "binary" if the bytes are no PDF, are encrypted
 * or contain no text (scans). "too large" if the text has too many characters.
 */
export async function pdfText(bytes: Uint8Array, work: DocumentWork): Promise<DocumentText> {
  const { getDocument } = await loadParser(work)
  const options = { isEvalSupported: false, disableFontFace: true, useSystemFonts: false, verbosity: 0 }
  const pdf = await getDocument({ data: new Uint8Array(bytes), ...options }).promise.catch(() => null)
  if (pdf === null) return "binary"
  const pages: string[] = []
  let chars = 0
  for (let number = 1; number <= Math.min(pdf.numPages, 2_000); number++) {
    const text = await pageText(pdf, number)
    if (work.exceeded !== null) return work.exceeded
    if (text === "") continue
    chars += text.length
    if (chars > work.limits.maxChars) return "too large"
    pages.push(`## Page ${number}\n\n${text}\n`)
  }
  return pages.length === 0 ? "binary" : { text: pages.join("\n") }
}

/** The lines of a page; "" if the page is damaged. */
async function pageText(pdf: PDFDocumentProxy, number: number): Promise<string> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("")
    return text
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n[\n ]*/g, "\n")
      .trim()
  } catch {
    return ""
  }
}

/** Loads pdf.js with its counters. It counts the work of one document at a time. */
async function loadParser(work: DocumentWork): Promise<typeof import("unpdf/pdfjs")> {
  Object.assign(globalThis, { amanWork: work, DecompressionStream: countedStream(work) })
  parser ??= withCounters(await Bun.file(pdfjsPath).text()).then((countingPdfjs) => import(countingPdfjs))
  return parser
}

let parser: Promise<typeof import("unpdf/pdfjs")> | null = null

async function withCounters(source: string): Promise<string> {
  let counted = source
  for (const [after, counter] of COUNTERS) {
    if (source.split(after).length !== 2) throw new Error(`pdf.js has no single ${after}`)
    counted = counted.replace(after, () => after + counter)
  }
  return URL.createObjectURL(new Blob([counted], { type: "text/javascript" }))
}

const { DecompressionStream: PlainStream } = globalThis

/** The class with which pdf.js unpacks most streams; it counts what comes out. */
function countedStream(work: DocumentWork) {
  return class {
    readonly readable: ReadableStream<Uint8Array>
    readonly writable: WritableStream

    constructor(format: ConstructorParameters<typeof PlainStream>[0]) {
      const { readable, writable } = new PlainStream(format)
      let partBytes = 0
      const transform = (chunk: Uint8Array, next: TransformStreamDefaultController<Uint8Array>) => {
        partBytes += chunk.length
        work.unpack(chunk.length, partBytes)
        next.enqueue(chunk)
      }
      this.readable = readable.pipeThrough(new TransformStream({ transform }))
      this.writable = writable
    }
  }
}
