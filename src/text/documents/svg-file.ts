export function isSvg(path: string): boolean {
  return /\.svg$/i.test(path)
}

const MARKS = ["<title", "<desc", "<text", "<foreignObject", "<svg:"]

/** False if a drawing has no element that may contain text. Cheap, because most drawings of a project are icons. */
export function mayHaveText(svg: Uint8Array): boolean {
  const bytes = Buffer.from(svg.buffer, svg.byteOffset, svg.byteLength)
  return MARKS.some((mark) => bytes.includes(mark))
}
