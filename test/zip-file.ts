import { crc32, deflateRawSync } from "node:zlib"

/**
 * A ZIP archive of these files, compressed as office programs do. `isStreamed`: the sizes follow each file, as
 * LibreOffice writes them.
 */
export function zipFile(
  files: Readonly<Record<string, string | Uint8Array>>,
  isStreamed = false,
): Uint8Array {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const name = Buffer.from(path)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(isStreamed ? 8 : 0, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(bytes.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(20, 4)
    facts.copy(entry, 6)
    entry.writeUInt32LE(at, 42)
    const sizes = Buffer.from(facts.subarray(10, 22))
    const head = isStreamed ? Buffer.from(facts).fill(0, 10, 22) : facts
    const tail = isStreamed ? Buffer.concat([Buffer.from("PK\x07\x08"), sizes]) : Buffer.alloc(0)
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), head, name, packed, tail])
    directory.push(entry, name)
    parts.push(local)
    at += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}

/** A document of Word with a heading and paragraphs. */
export function wordFile(title: string, ...paragraphs: string[]): Uint8Array {
  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
  const body = paragraphs.map((text) => `<w:p>${run(text)}</w:p>`).join("")
  const head = `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(title)}</w:p>`
  return zipFile({
    "[Content_Types].xml": "<Types/>",
    "word/document.xml": `<?xml version="1.0"?><w:document><w:body>${head}${body}</w:body></w:document>`,
  })
}
