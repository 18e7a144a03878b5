/** A PDF with one line of text on each page. */
export function pdfFile(...lines: string[]): Uint8Array {
  const pages = lines.map((_, nth) => `${4 + 2 * nth} 0 R`)
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Count ${lines.length}/Kids[${pages.join(" ")}]>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...lines.flatMap((line, nth) => {
      const content = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`
      const resources = "/Resources<</Font<</F1 3 0 R>>>>/MediaBox[0 0 612 792]"
      return [
        `<</Type/Page/Parent 2 0 R${resources}/Contents ${5 + 2 * nth} 0 R>>`,
        `<</Length ${content.length}>>stream\n${content}\nendstream`,
      ]
    }),
  ]
  let text = "%PDF-1.4\n"
  const places = objects.map((object, nth) => {
    const at = text.length
    text += `${nth + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, "0")} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`
  return Buffer.from(
    `${text}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  )
}
