import * as asset from "unpdf/pdfjs" with { type: "file" }
import type { PDFDocumentProxy } from "unpdf/pdfjs"

/**
 * pdf.js is embedded as source, which takes 1.7 MB; compiled ahead of time like aman's own code, it would take 7 MB.
 * The entry point of unpdf is not used, because it searches for fonts in packages near the working directory, which may
 * belong to a hostile project.
 */
const { default: pdfjsPath } = asset as unknown as { readonly default: string }

/** Maximum number of pages that are read of a document. */
const MAX_PAGES = 2_000

/**
 * Extracts the text of a PDF as Markdown, with a heading for each page. "binary" if the bytes are no PDF, are encrypted
 * or contain no text (scans). "too large" if the text has more than `maxChars` characters.
 */
export async function pdfText(
  bytes: Uint8Array,
  maxChars: number,
): Promise<{ readonly text: string } | "binary" | "too large"> {
  const { getDocument } = (await import(pdfjsPath)) as typeof import("unpdf/pdfjs")
  const options = { isEvalSupported: false, disableFontFace: true, useSystemFonts: false, verbosity: 0 }
  const pdf = await getDocument({ data: bytes, ...options }).promise.catch(() => null)
  if (pdf === null) return "binary"
  const pages: string[] = []
  let chars = 0
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES); number++) {
    const text = await pageText(pdf, number)
    if (text === "") continue
    chars += text.length
    if (chars > maxChars) return "too large"
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
