import { constants, deflateRawSync, deflateSync } from "node:zlib"

/** A PDF with one line of text on each page. */
export function pdfFile(...lines: string[]): Uint8Array {
  const pages = lines.map((_, nth) => `${4 + 2 * nth} 0 R`)
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Count ${lines.length}/Kids[${pages.join(" ")}]>>`,
    FONT,
    ...lines.flatMap((line, nth) => {
      const resources = "/Resources<</Font<</F1 3 0 R>>>>/MediaBox[0 0 612 792]"
      return [
        `<</Type/Page/Parent 2 0 R${resources}/Contents ${5 + 2 * nth} 0 R>>`,
        stream("", `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`),
      ]
    }),
  ])
}

/** A PDF whose font has this map from its characters to Unicode. */
export function pdfWithMap(map: string): Uint8Array {
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[4 0 R]>>",
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
    "<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/MediaBox[0 0 612 792]/Contents 5 0 R>>",
    stream("", "BT /F1 9 Tf (abc) Tj ET"),
    stream("", map),
  ])
}

/** A PDF of 3 KB whose forms call each other: each of `levels` calls the next one ten times. */
export function nestedForms(levels: number): Uint8Array {
  const form = (level: number) => {
    const next = level < levels ? `/XObject<</X ${6 + level} 0 R>>` : ""
    const dictionary = `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1 3 0 R>>${next}>>`
    return stream(dictionary, level < levels ? "/X Do ".repeat(10) : "BT /F1 9 Tf (a) Tj ET")
  }
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[4 0 R]>>",
    FONT,
    "<</Type/Page/Parent 2 0 R/Resources<</XObject<</X 6 0 R>>>>/MediaBox[0 0 612 792]/Contents 5 0 R>>",
    stream("", "/X Do"),
    ...Array.from({ length: levels }, (_, at) => form(at + 1)),
  ])
}

/** A PDF of 1 KB whose page unpacks to this many times 16 MiB of zeros, packed three times. */
export function flateBomb(times: number): Uint8Array {
  const zeros = Buffer.alloc(16 << 20)
  const block = deflateRawSync(zeros, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const checksum = Buffer.alloc(4)
  checksum.writeUInt16BE((zeros.length * times) % 65_521, 0)
  checksum.writeUInt16BE(1, 2)
  const header = Buffer.from([0x78, 0xda])
  const last = Buffer.from([3, 0])
  const once = Buffer.concat([header, ...Array.from({ length: times }, () => block), last, checksum])
  const packed = deflateSync(deflateSync(once, { level: 9 }), { level: 9 })
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    "<</Type/Page/Parent 2 0 R/Resources<<>>/MediaBox[0 0 612 792]/Contents 4 0 R>>",
    stream("/Filter[/FlateDecode/FlateDecode/FlateDecode]", packed),
  ])
}

const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"

function stream(dictionary: string, content: string | Uint8Array): Uint8Array {
  const bytes = Buffer.from(content)
  const head = `<<${dictionary}/Length ${bytes.length}>>stream\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from("\nendstream")])
}

function pdfOf(objects: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = [Buffer.from("%PDF-1.4\n")]
  let at = parts[0]!.length
  const places = objects.map((object, nth) => {
    const place = `${String(at).padStart(10, "0")} 00000 n \n`
    const part = Buffer.concat([
      Buffer.from(`${nth + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from("\nendobj\n"),
    ])
    parts.push(part)
    at += part.length
    return place
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`
  const trailer = `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(table + trailer)])
}
