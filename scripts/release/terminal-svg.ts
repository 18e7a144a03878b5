import type { Span, Style } from "./ansi-spans.ts"

export type Scene = { readonly seconds: number; readonly lines: readonly (readonly Span[])[] }
export type Film = {
  readonly title: string
  readonly description: string
  readonly columns: number
  readonly rows: number
  readonly scenes: readonly Scene[]
}

const CELL = { width: 8.4, height: 19 } as const
const MARGIN = 18
const BAR = 34
const BACKGROUND = "#0d1117"
const FOREGROUND = "#d1d7e0"
// The eight terminal colours, then their bright variants.
const COLORS =
  "#656c76 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #d1d7e0 #8b949e #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #ffffff".split(
    " ",
  )

/**
 * An SVG that shows the scenes one after the other in a loop; only the first for viewers who turned animations
 * off.
 */
export function terminalSvg({ title, description, columns, rows, scenes }: Film): string {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN)
  const height = rows * CELL.height + BAR + MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(description)}</desc>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: ${FOREGROUND} }
${keyframes(scenes)}
</style>
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>
${["#ff5f57", "#febc2e", "#28c840"].map((fill, index) => `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${fill}"/>`).join("")}
${scenes.map(({ lines }, index) => `<g class="scene s${index}">\n${lines.map(line).join("\n")}\n</g>`).join("\n")}
</svg>
`
}

function keyframes(scenes: readonly Scene[]): string {
  const total = scenes.reduce((sum, { seconds }) => sum + seconds, 0)
  let from = 0
  const rules = scenes.map(({ seconds }, index) => {
    const [start, end] = [share(from, total), share(from + seconds, total)]
    from += seconds
    const hidden = index === 0 ? "" : "0% { opacity: 0 } "
    const after = end === "100%" ? "" : ` ${end} { opacity: 0 }`
    return `.s${index} { animation-name: k${index} }\n@keyframes k${index} { ${hidden}${start} { opacity: 1 }${after} }`
  })
  return `.scene { opacity: 0; animation: ${total}s step-end infinite }
${rules.join("\n")}
@media (prefers-reduced-motion: reduce) { .scene { animation: none } .s0 { opacity: 1 } }`
}

function share(seconds: number, total: number): string {
  return `${Math.round((seconds / total) * 10_000) / 100}%`
}

function line(spans: readonly Span[], row: number): string {
  const y = BAR + (row + 1) * CELL.height - 5
  const parts = spans.map(({ text, column, style }) => {
    const x = Math.round((MARGIN + column * CELL.width) * 10) / 10
    return `<tspan x="${x}"${attributes(style)}>${escaped(text)}</tspan>`
  })
  return `<text y="${y}" xml:space="preserve">${parts.join("")}</text>`
}

function attributes({ color, bold, dim, underline }: Style): string {
  return [
    color === null ? "" : ` fill="${COLORS[color]}"`,
    bold ? ' font-weight="bold"' : "",
    dim ? ' opacity="0.6"' : "",
    underline ? ' text-decoration="underline"' : "",
  ].join("")
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
