import { expect, test } from "bun:test"
import fc from "fast-check"
import { flateBomb, nestedForms, pdfFile } from "../../../test/pdf-file.ts"
import { wordFile, zipFile } from "../../../test/zip-file.ts"
import { DOCUMENT_LIMITS, documentText, isDocument } from "./document-text.ts"
import { DocumentWork } from "./document-work.ts"
import { officeText } from "./office-text.ts"

const MAX_CHARS = 1 << 20
const LIMITS = { maxChars: MAX_CHARS }
const work = (limits = {}) => new DocumentWork({ ...DOCUMENT_LIMITS, ...LIMITS, ...limits })
const textOf = (path: string, bytes: Uint8Array, limits = {}) => {
  const counted = work(limits)
  const found = officeText(path, bytes, counted)
  return counted.exceeded ?? (typeof found === "string" ? found : found.text)
}

test("reads headings, paragraphs and lists of Word", () => {
  expect(textOf("a.docx", wordFile("Refunds", "Paid &lt;back&gt; within", "thirty days"))).toBe(
    "# Refunds\n\nPaid <back> within\n\nthirty days\n",
  )
  const item = (text: string) => `<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
  const list = `<w:document>${item("one")}${item("two")}<w:p><w:del>gone</w:del></w:p></w:document>`
  expect(textOf("a.docx", zipFile({ "word/document.xml": list }))).toBe("- one\n- two\n")
})

test("reads texts and tables of OpenDocument", () => {
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
  const xml = `<office:document-content><office:styles>none</office:styles><office:body><office:text>
    <text:h text:outline-level="2">Fees</text:h><text:p>Three<text:s/>percent</text:p>
    <text:list><text:list-item><text:p>first</text:p></text:list-item></text:list>
    <table:table table:name="Rates"><table:table-row>${cell("from")}${cell("to")}</table:table-row></table:table>
    </office:text></office:body></office:document-content>`
  expect(textOf("a.odt", zipFile({ "content.xml": xml }))).toBe(
    "## Fees\n\nThree percent\n\n- first\n\n## Rates\n\n| from | to |\n",
  )
})

test("reads slides in their order with notes, and the head of each sheet", () => {
  const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`
  const slides = { "ppt/slides/slide10.xml": slide("last"), "ppt/slides/slide2.xml": slide("first") }
  const notes = { "ppt/notesSlides/notesSlide2.xml": slide("say this") }
  expect(textOf("a.pptx", zipFile({ ...slides, ...notes }))).toBe(
    "## Slide 2\n\nfirst\n\nsay this\n\n## Slide 10\n\nlast\n",
  )
  const rows = Array.from({ length: 80 }, (_, i) => `<row><c t="s"><v>0</v></c><c><v>${i}</v></c></row>`)
  const sheet = textOf(
    "a.xlsx",
    zipFile({
      "xl/workbook.xml": '<workbook><sheets><sheet name="Rates" sheetId="1"/></sheets></workbook>',
      "xl/sharedStrings.xml": "<sst><si><t>rate</t></si></sst>",
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows.join("")}</sheetData></worksheet>`,
    }),
  )
  expect(sheet).toStartWith("## Rates\n\n| rate | 0 |\n| rate | 1 |\n")
  expect(sheet.match(/^\| rate/gm)).toHaveLength(50)
})

test("reads the chapters of a book in the order of its spine, without scripts", () => {
  const page = (text: string) =>
    `<html><head><title>no</title></head><body>${text}<script>1 < 2</script></body></html>`
  const book = zipFile({
    "OPS/a.xhtml": page("<h2>Second</h2><p>of <b>two</b></p>"),
    "OPS/b.xhtml": page("<h1>First</h1><ul><li>item</li></ul>"),
    "OPS/book.opf":
      '<package><manifest><item id="x" href="a.xhtml"/><item id="y" href="b.xhtml"/></manifest>' +
      '<spine><itemref idref="y"/><itemref idref="x"/></spine></package>',
  })
  expect(textOf("a.epub", book)).toBe("# First\n\n- item\n\n## Second\n\nof two\n")
})

test('returns "binary" for bytes that are no document, and "too large" above the limit', () => {
  expect(["a.docx", "A.ODT", "b.docx.md", "docx"].map(isDocument)).toEqual([true, true, false, false])
  expect(textOf("a.docx", Buffer.from("plain text"))).toBe("binary")
  expect(textOf("a.docx", zipFile({ "other.xml": "<a/>" }))).toBe("binary")
  expect(textOf("a.docx", wordFile("Long", "word ".repeat(1000)), { maxChars: 500 })).toBe("too large")
})

test("an archive that unpacks to gigabytes, and entities that expand to as many, cost little", () => {
  const zeros = new Uint8Array(33 << 20)
  expect(textOf("a.docx", zipFile({ "word/document.xml": zeros }))).toBe("unpacks too large")
  const slides = Array.from({ length: 8 }, (_, i) => [
    `ppt/slides/slide${i + 1}.xml`,
    zeros.subarray(0, 1 << 20),
  ])
  const many = zipFile(Object.fromEntries(slides))
  expect(textOf("a.pptx", many, { maxUnpackedBytes: 6 << 20 })).toBe("unpacks too large")
  const tags = zipFile({ "word/document.xml": `<w:p>${"<a/>".repeat(30_000)}</w:p>` })
  expect(textOf("a.docx", tags, { maxSteps: 20_000 })).toBe("too complex")
  const laughs =
    '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><w:document><w:p><w:t>&b; &b;</w:t></w:p></w:document>'
  expect(textOf("a.docx", zipFile({ "word/document.xml": laughs }))).toBe("&b; &b;\n")
  const nested = zipFile({ "word/document.xml": "<w:p>".repeat(500_000) })
  expect(textOf("a.docx", nested)).toBe("")
  const open = zipFile({ "word/document.xml": "<![CDATA[".repeat(300_000) })
  expect(textOf("a.docx", open)).toBe("")
})

test("never throws for damaged archives", () => {
  const whole = wordFile("Refunds", "Paid back within thirty days")
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 }),
      fc.nat(whole.length),
      (edits, end) => {
        const bytes = Uint8Array.from(whole)
        for (const [at, value] of edits) bytes[at] = value
        for (const path of ["a.docx", "a.epub", "a.xlsx"]) officeText(path, bytes.subarray(0, end), work())
      },
    ),
    { numRuns: 300 },
  )
})

test("reads the pages of a PDF, and calls what is no PDF or has no text binary", async () => {
  const pdf = pdfFile("Refunds take thirty days", "The goodwill clause")
  expect(await documentText("a.pdf", pdf, LIMITS)).toEqual({
    text: "## Page 1\n\nRefunds take thirty days\n\n## Page 2\n\nThe goodwill clause\n",
  })
  expect(await documentText("a.pdf", pdf, { maxChars: 30 })).toBe("too large")
  expect(await documentText("a.pdf", Buffer.from("%PDF-1.4 broken"), LIMITS)).toBe("binary")
  expect(await documentText("a.pdf", pdfFile(""), LIMITS)).toBe("binary")
})

test("a document above a limit is given up for its reason, and the next one is read", async () => {
  const word = (text: string) => wordFile("Fees", text)
  const unbounded = { maxPartBytes: 2 ** 40, maxUnpackedBytes: 2 ** 40 }
  const reasons = [
    await documentText("forms.pdf", nestedForms(14), { ...LIMITS, maxSteps: 20_000 }),
    await documentText("bomb.pdf", flateBomb(96), LIMITS),
    await documentText("bomb.pdf", flateBomb(96), { ...LIMITS, ...unbounded, maxMemoryBytes: 256 << 20 }),
    await documentText("forms.pdf", nestedForms(14), { ...LIMITS, maxCpuMs: 300 }),
  ]
  expect(reasons).toEqual(["too complex", "unpacks too large", "too much memory", "too complex"])
  expect(await documentText("a.docx", word("three"), LIMITS)).toEqual({ text: "# Fees\n\nthree\n" })
})

test("documents beyond the budget are not read", async () => {
  const budget = { leftMs: 60_000, leftChars: 10 }
  const word = wordFile("Fees", "three percent")
  expect(await documentText("a.docx", word, LIMITS, budget)).toHaveProperty("text")
  expect(await documentText("b.docx", word, LIMITS, budget)).toBe("document budget")
  expect(await documentText("b.docx", word, LIMITS, { leftMs: 0, leftChars: 1e6 })).toBe("document budget")
})

test("reads an archive whose sizes follow the files, as LibreOffice writes them", () => {
  const xml = "<w:document><w:p><w:t>three</w:t></w:p></w:document>"
  const files = { "word/styles.xml": "<w:styles/>", "word/document.xml": xml, "word/media/a.png": "x" }
  expect(textOf("a.docx", zipFile(files, true))).toBe("three\n")
})
