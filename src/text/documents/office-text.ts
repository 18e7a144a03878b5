import { Unzip, UnzipInflate } from "fflate"
import { SaxesParser } from "saxes"
import type { DocumentText } from "./document-text.ts"
import type { DocumentWork } from "./document-work.ts"

/**
 * Extracts the text of an office document or an e-book as Markdown: headings, paragraphs, slides, and the first rows of
 * tables. "binary" if the bytes are no such document, "too large" if the text has too many characters.
 */
export function officeText(path: string, bytes: Uint8Array, work: DocumentWork): DocumentText {
  const form = FORMS[path.slice(path.lastIndexOf(".") + 1).toLowerCase()]
  const zip = form === undefined ? null : zipEntries(bytes, form.parts, work)
  if (work.exceeded !== null) return work.exceeded
  if (form === undefined || zip === null) return "binary"
  const page = new Page(work)
  const isRead = form.read(zip, page)
  if (page.isFull) return "too large"
  return isRead ? { text: page.text } : "binary"
}

type Attributes = Readonly<Record<string, string>>
type Reader = (zip: ZipEntries, page: Page) => boolean

/** Maximum number of rows that are read of a sheet. The first rows show what it contains. */
const MAX_ROWS = 50
const MAX_PARTS = 1_000

/** Collects lines, with single spaces and at most one empty line between them. */
class Page {
  readonly #lines: string[] = []
  readonly work: DocumentWork
  readonly #maxChars: number
  #length = 0
  #line = ""

  constructor(work: DocumentWork) {
    this.work = work
    this.#maxChars = work.limits.maxChars
  }

  get isFull(): boolean {
    return this.#length > this.#maxChars
  }

  add(text: string): void {
    if (this.#line.length <= this.#maxChars) this.#line += text
  }

  /** Ends the line. If it is not empty, `mark` is added before it. */
  end(mark = ""): void {
    const line = this.#line.replace(/\s+/g, " ").trim()
    this.#line = ""
    if (!/[^\s|]/.test(line) || this.isFull) return
    // In Markdown, an empty line separates headings and paragraphs, but not table rows and list items.
    const isClose = /^[-|]/.test(mark) && (this.#lines.at(-1)?.startsWith(mark[0]!) ?? false)
    const written = `${mark}${line}`
    if (this.#lines.length > 0 && !isClose) this.#lines.push("")
    this.#lines.push(written)
    this.#length += written.length + 2
  }

  get text(): string {
    this.end()
    return this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`
  }
}

/** How each format is read, and which files of the archive contain its text. */
const FORMS: Readonly<Record<string, { readonly parts: RegExp; readonly read: Reader }>> = {
  docx: { parts: /^word\/document\.xml$/, read: readWord },
  odt: { parts: /^content\.xml$/, read: readOpen },
  odp: { parts: /^content\.xml$/, read: readOpen },
  ods: { parts: /^content\.xml$/, read: readOpen },
  pptx: { parts: /^ppt\/(?:slides|notesSlides)\/[^/]+\.xml$/, read: readSlides },
  xlsx: { parts: /^xl\/(?:(?:workbook|sharedStrings)\.xml|worksheets\/[^/]+\.xml)$/, read: readSheets },
  epub: { parts: /\.(?:opf|x?html?)$/i, read: readBook },
}

function heading(level: number): string {
  return `${"#".repeat(Math.min(6, Math.max(1, level)))} `
}

function readWord(zip: ZipEntries, page: Page): boolean {
  const xml = zip.text("word/document.xml")
  if (xml === null) return false
  let mark = ""
  let isText = false
  scanXml(xml, page.work, {
    open(name, attributes) {
      if (name === "w:p") mark = ""
      // Examples: "Heading1", "berschrift1", "Titre1". Word translates the id of a style but not the number in it.
      else if (name === "w:pStyle") mark = wordMark(attributes["w:val"] ?? "")
      else if (name === "w:numPr" && mark === "") mark = "- "
      else if (name === "w:tab" || name === "w:br" || name === "w:tc") page.add(" ")
      isText = name === "w:t"
    },
    text: (text) => isText && page.add(text),
    close(name) {
      isText = false
      if (name === "w:p") page.end(mark)
    },
  })
  return true
}

function wordMark(style: string): string {
  if (/^(?:title|titel|titre)$/i.test(style)) return heading(1)
  const level = /^(?:heading|berschrift|überschrift|titre|t[ií]tulo|titolo|kop|rubrik|nagwek)\s?(\d)$/i.exec(
    style,
  )
  return level === null ? "" : heading(Number(level[1]))
}

/** Reads texts, presentations and tables in OpenDocument formats. */
function readOpen(zip: ZipEntries, page: Page): boolean {
  const xml = zip.text("content.xml")
  if (xml === null) return false
  const marks: string[] = []
  let rows = 0
  let isInBody = false
  const title = (text: string | undefined) => {
    page.end()
    page.add(text ?? "")
    page.end(heading(2))
  }
  const onOpen = new Map<string, (attributes: Attributes) => void>(
    Object.entries({
      "office:body": () => {
        isInBody = true
      },
      "text:h": (attributes) => marks.push(heading(Number(attributes["text:outline-level"] ?? 1))),
      "text:list-item": () => marks.push("- "),
      "table:table": (attributes) => title(attributes["table:name"]),
      "draw:page": (attributes) => title(attributes["draw:name"]),
      "table:table-row": () => rows++,
      "text:tab": () => page.add(" "),
      "text:s": () => page.add(" "),
      "text:line-break": () => page.add(" "),
    }),
  )
  const onClose = new Map<string, () => void>(
    Object.entries({
      "text:h": () => page.end(marks.pop()),
      "text:list-item": () => page.end(marks.pop()),
      "table:table-cell": () => page.add(" | "),
      "table:table-row": () => page.end("| "),
      "table:table": () => {
        rows = 0
      },
      "text:p": () => {
        if (rows === 0) page.end(marks.at(-1) === "- " ? "- " : "")
      },
    }),
  )
  scanXml(xml, page.work, {
    open: (name, attributes) => onOpen.get(name)?.(attributes),
    text: (text) => isInBody && rows <= MAX_ROWS && page.add(text),
    close: (name) => onClose.get(name)?.(),
  })
  return true
}

function readSlides(zip: ZipEntries, page: Page): boolean {
  const slides = numbered(zip, /^ppt\/slides\/slide(\d+)\.xml$/)
  for (const [number, name] of slides) {
    if (page.isFull) break
    page.add(`Slide ${number}`)
    page.end(heading(2))
    addParagraphs(zip.text(name) ?? "", page)
    const notes = zip.text(`ppt/notesSlides/notesSlide${number}.xml`)
    if (notes !== null) addParagraphs(notes, page)
  }
  return slides.length > 0
}

/** Adds the paragraphs in DrawingML, the format of text in presentations. */
function addParagraphs(xml: string, page: Page): void {
  let isText = false
  scanXml(xml, page.work, {
    open: (name) => {
      isText = name === "a:t"
      if (name === "a:br" || name === "a:tc") page.add(" ")
    },
    text: (text) => isText && page.add(text),
    close: (name) => {
      isText = false
      if (name === "a:p") page.end()
    },
  })
}

/** The files of an archive that have a number in their name, ordered by this number. */
function numbered(zip: ZipEntries, form: RegExp): [number, string][] {
  return zip.names
    .flatMap((name): [number, string][] => {
      const number = form.exec(name)?.[1]
      return number === undefined ? [] : [[Number(number), name]]
    })
    .sort(([one], [other]) => one - other)
    .slice(0, MAX_PARTS)
}

function readSheets(zip: ZipEntries, page: Page): boolean {
  const sheets = numbered(zip, /^xl\/worksheets\/sheet(\d+)\.xml$/).slice(0, 20)
  if (sheets.length === 0) return false
  const names = sheetNames(zip.text("xl/workbook.xml") ?? "", page)
  const shared = sharedTexts(zip.text("xl/sharedStrings.xml") ?? "", page)
  for (const [nth, [number, name]] of sheets.entries()) {
    page.add(names[nth] ?? `Sheet ${number}`)
    page.end(heading(2))
    addRows(zip.text(name) ?? "", shared, page)
  }
  return true
}

function sheetNames(xml: string, page: Page): string[] {
  const names: string[] = []
  scanXml(xml, page.work, {
    open: (name, attributes) => {
      if (name === "sheet") names.push(attributes["name"] ?? "")
    },
  })
  return names
}

function sharedTexts(xml: string, page: Page): string[] {
  const texts: string[] = []
  let isText = false
  scanXml(xml, page.work, {
    open: (name) => {
      if (name === "si") texts.push("")
      isText = name === "t"
    },
    text: (text) => {
      if (isText && texts.length > 0) texts[texts.length - 1] += text
    },
    close: () => {
      isText = false
    },
  })
  return texts
}

function addRows(xml: string, shared: readonly string[], page: Page): void {
  let rows = 0
  let isShared = false
  let isValue = false
  scanXml(xml, page.work, {
    open: (name, attributes) => {
      if (name === "row") rows++
      else if (name === "c") isShared = attributes["t"] === "s"
      isValue = name === "v" || name === "t"
    },
    text: (text) => {
      if (isValue && rows <= MAX_ROWS) page.add(isShared ? (shared[Number(text)] ?? "") : text)
    },
    close: (name) => {
      isValue = false
      if (rows > MAX_ROWS) return
      if (name === "c") page.add(" | ")
      else if (name === "row") page.end("| ")
    },
  })
}

const BLOCK = /^(?:p|div|li|tr|dt|dd|pre|blockquote|section|article|figcaption|table|ul|ol)$/

function readBook(zip: ZipEntries, page: Page): boolean {
  const pages = chapters(zip, page)
  for (const name of pages.slice(0, MAX_PARTS)) if (!page.isFull) addChapter(zip.text(name) ?? "", page)
  return pages.length > 0
}

/** The pages of an e-book in the order of its spine (reading order); in the order of the archive if it has no spine. */
function chapters(zip: ZipEntries, page: Page): readonly string[] {
  const pages = zip.names.filter((name) => /\.x?html?$/i.test(name))
  const opf = zip.names.find((name) => name.toLowerCase().endsWith(".opf"))
  if (opf === undefined) return pages
  const folder = opf.slice(0, opf.lastIndexOf("/") + 1)
  const files = new Map<string, string>()
  const spine: string[] = []
  scanXml(zip.text(opf) ?? "", page.work, {
    open(name, attributes) {
      const local = name.replace(/^.*:/, "")
      if (local === "item") {
        const { id, href } = attributes
        if (id !== undefined && href !== undefined) files.set(id, `${folder}${href}`)
      } else if (local === "itemref") spine.push(attributes["idref"] ?? "")
    },
  })
  const existing = new Set(pages)
  const inOrder = spine.map((id) => files.get(id) ?? "").filter((name) => existing.has(name))
  return inOrder.length > 0 ? inOrder : pages
}

function addChapter(xhtml: string, page: Page): void {
  let hidden = ""
  scanXml(xhtml, page.work, {
    open(name) {
      if (hidden === "" && /^(?:head|script|style)$/.test(name)) hidden = name
      else if (name === "br") page.add(" ")
      else if (BLOCK.test(name) || /^h[1-6]$/.test(name)) page.end()
    },
    text: (text) => hidden === "" && page.add(text),
    close(name) {
      if (name === hidden) hidden = ""
      const level = /^h([1-6])$/.exec(name)?.[1]
      if (level !== undefined) page.end(heading(Number(level)))
      else if (BLOCK.test(name)) page.end(name === "li" ? "- " : "")
    },
  })
  page.end()
}

/**
 * Callbacks for scanning XML. They are called in the order of the text. `row` is the 0-based line in which the tag or the
 * text ends.
 */
type XmlReader = {
  open?(name: string, attributes: Readonly<Record<string, string>>, row: number): void
  /** Also called for elements without content. */
  close?(name: string, row: number): void
  text?(text: string, row: number): void
}

/** Maximum number of errors that are tolerated, because pages of e-books are often HTML and not valid XML. */
const MAX_ERRORS = 1_000

/**
 * Calls the reader for each tag and each text of an XML or XHTML page. The parser builds no tree and reads no document
 * types. It expands only the five entities of XML, the non-breaking space and numeric entities. Text that is not
 * well-formed is read as far as possible; the function never throws. `work` counts the tags.
 */
function scanXml(xml: string, work: DocumentWork, reader: XmlReader): void {
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.ENTITIES["nbsp"] = " "
  let errors = 0
  let depth = 0
  parser.on("error", () => {
    if (++errors > MAX_ERRORS) throw new Error("not XML")
  })
  parser.on("opentag", ({ name, attributes }) => {
    work.step()
    if (++depth > 1_000) throw new Error("nested too deeply")
    reader.open?.(name, attributes, parser.line - 1)
  })
  parser.on("closetag", ({ name }) => {
    depth--
    reader.close?.(name, parser.line - 1)
  })
  parser.on("text", (text) => reader.text?.(text, parser.line - 1))
  parser.on("cdata", (text) => reader.text?.(text, parser.line - 1))
  try {
    parser.write(xml).close()
  } catch {
    // The scan ends with an exception when the text exceeds one of the limits.
  }
}

/** The unpacked files of a ZIP archive. */
type ZipEntries = {
  readonly names: readonly string[]
  /** The content of a file as UTF-8; null if the archive has no file of this name or it is damaged. */
  text(name: string): string | null
}

const MAX_ENTRIES = 4_000
/**
 * Number of packed bytes that are processed at a time. Deflate unpacks to at most 1,032 times the size, so that a step
 * never needs more than 16 MiB.
 */
const STEP_BYTES = 16 << 10

/** Unpacks the files of a ZIP archive whose names match `wanted`. Null if the bytes are no archive. */
function zipEntries(bytes: Uint8Array, wanted: RegExp, work: DocumentWork): ZipEntries | null {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return null
  const entries = new Map<string, Uint8Array[] | null>()
  let count = 0
  const archive = new Unzip((file) => {
    if (count++ >= MAX_ENTRIES || !wanted.test(file.name) || entries.has(file.name)) return
    const parts: Uint8Array[] = []
    let partBytes = 0
    entries.set(file.name, parts)
    file.ondata = (error, data) => {
      if (error !== null) return void entries.set(file.name, null)
      // The sizes that the archive states are not trusted.
      partBytes += data.length
      work.unpack(data.length, partBytes)
      parts.push(data)
    }
    file.start()
  })
  archive.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length && count <= MAX_ENTRIES; at += STEP_BYTES)
      archive.push(bytes.slice(at, at + STEP_BYTES), at + STEP_BYTES >= bytes.length)
  } catch {
    // The end of the archive is missing or damaged, and the files before it have already been read; or it is too large.
  }
  return {
    names: [...entries.keys()],
    text: (name) => {
      const parts = entries.get(name)
      return parts === undefined || parts === null ? null : Buffer.concat(parts).toString("utf8")
    },
  }
}

const TEXT = /^(?:title|desc|text|foreignObject)$/
const HIDDEN = /^(?:style|script)$/

/**
 * The titles, descriptions and labels of a drawing, each in the line in which it stands in the file; other lines are
 * empty. "media" if it has none, "too large" if the text has too many characters.
 */
export function svgText(xml: string, work: DocumentWork): DocumentText {
  const { maxChars } = work.limits
  const lines: string[] = []
  let chars = 0
  let depth = 0
  let hidden = 0
  const add = (text: string, row: number) => {
    if (chars > maxChars) return
    while (lines.length <= row) {
      lines.push("")
      chars++
    }
    lines[row] += text
    chars += text.length
  }
  scanXml(xml, work, {
    open(name, attributes, row) {
      const local = withoutPrefix(name)
      if (HIDDEN.test(local)) hidden++
      if (depth > 0 && isPlaced(local, attributes)) add(" ", row)
      if (TEXT.test(local)) depth++
    },
    text(text, endRow) {
      if (depth === 0 || hidden > 0) return
      const parts = text.split("\n")
      for (const [at, part] of parts.entries()) add(part, endRow - (parts.length - 1 - at))
    },
    close(name, row) {
      const local = withoutPrefix(name)
      if (HIDDEN.test(local)) hidden--
      if (!TEXT.test(local)) return
      depth--
      add(" ", row)
    },
  })
  if (chars > maxChars) return "too large"
  const text = lines
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\n")
    .trimEnd()
  return text === "" ? "media" : { text: `${text}\n` }
}

/** True for an element whose text does not continue the word before it. */
function isPlaced(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return name === "tspan" ? ["x", "y", "dx", "dy"].some((each) => each in attributes) : HTML_BLOCK.test(name)
}

const HTML_BLOCK = /^(?:p|div|li|br|td|th)$/

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1)
}
