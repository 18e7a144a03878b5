import { html } from "htm/preact"
import { useEffect, useRef } from "preact/hooks"
import type { GraphEdge } from "../../../../src/symbols/answer/drawing.ts"
import { layout } from "./layout.ts"

export type ViewNode = {
  readonly id: string
  readonly label: string
  readonly title: string
  /** CSS classes for the role of the node: "asked", "test", "file", "removed". */
  readonly look: string
}

export type ViewEdge = {
  readonly from: string
  readonly to: string
  readonly look: GraphEdge["certainty"]
  readonly label?: string
}

type GraphViewProps = {
  readonly label: string
  readonly nodes: readonly ViewNode[]
  readonly edges: readonly ViewEdge[]
  /** Ids of the nodes in the middle. */
  readonly starts: readonly string[]
  /** Called with the id of a node when a person clicks it. */
  readonly choose: (id: string) => void
}

const MAX_CHARS = 34
const BOX = 22

/** A graph whose arrows lead to the right; nodes are buttons. */
export function GraphView({ label, nodes, edges, starts, choose }: GraphViewProps) {
  const texts = new Map(nodes.map((node) => [node.id, shortened(node.label)]))
  const widths = new Map(nodes.map(({ id, look }) => [id, 20 + textWidth(texts.get(id)!, look)]))
  const widthOf = (id: string) => widths.get(id)!
  const sized = nodes.map(({ id }) => ({ id, width: widthOf(id) }))
  const { places, width, height } = layout(sized, edges, starts)
  const box = useRef<HTMLDivElement>(null)
  const [first] = starts
  // Scrolls to the first start node, because the drawing may be larger than the window; at the right end of the drawing,
  // what leads to it is of interest, from its beginning.
  useEffect(() => {
    const place = places.get(first ?? "")
    const { clientWidth, clientHeight } = box.current!
    if (place === undefined) return
    const middle = place.x + widthOf(first!) / 2
    const isLast = nodes.every(({ id }) => places.get(id)!.x <= place.x)
    box.current!.scrollTo(isLast ? 0 : middle - clientWidth / 2, place.y - clientHeight / 2)
  }, [first])
  return html`<div class="graph-scroll" ref=${box} tabindex="0" role="region" aria-label=${label}>
    <svg class="graph" xmlns="http://www.w3.org/2000/svg" width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`} role="group" aria-label=${`${label}: symbols`}>
      <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0 8 4 0 8z" /></marker></defs>
      ${edges.map(({ from, to, look, label: text }) => {
        const [a, b] = [places.get(from)!, places.get(to)!]
        return html`<${Arrow} key=${`${from} ${to} ${text ?? ""}`} from=${{ ...a, width: widthOf(from) }} to=${{ ...b, width: widthOf(to) }} look=${look} text=${text} />`
      })}
      ${nodes.map(({ id, title, label: name, look }) => {
        const { x, y } = places.get(id)!
        const press = ({ key }: KeyboardEvent) => key === "Enter" && choose(id)
        return html`<g key=${id} tabindex="0" role="button" class=${`node ${look}`} aria-label=${texts.get(id) === name ? title : `${texts.get(id)} ${title}`} onClick=${() => choose(id)} onKeyDown=${press}>
          <title>${title}</title><rect x=${x} y=${y - BOX / 2} width=${widthOf(id)} height=${BOX} rx="6" /><text x=${x + 10} y=${y + 4}>${texts.get(id)}</text></g>`
      })}</svg></div>`
}

type EdgeEnd = { readonly x: number; readonly y: number; readonly width: number }

type ArrowProps = { from: EdgeEnd; to: EdgeEnd; look: string; text: string | undefined }

function Arrow({ from, to, look, text }: ArrowProps) {
  if (from.x === to.x) return html`<${Arc} from=${from} to=${to} look=${look} />`
  const isForward = from.x < to.x
  const start = { x: from.x + (isForward ? from.width : 0), y: from.y }
  const end = { x: to.x + (isForward ? -1 : to.width + 1), y: to.y }
  const bend = Math.max(30, Math.abs(end.x - start.x) / 2) * (isForward ? 1 : -1)
  const d = `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`
  return html`<path class=${`arrow ${look}`} d=${d} marker-end="url(#arrow)" />
    ${text !== undefined && html`<text class="relation" text-anchor="middle" x=${(start.x + end.x) / 2} y=${(start.y + end.y) / 2 - 4}>${text}</text>`}`
}

/** An arrow between two nodes of the same column, drawn along its right side. */
function Arc({ from, to, look }: { from: EdgeEnd; to: EdgeEnd; look: string }) {
  const [start, end] = [from.x + from.width, to.x + to.width + 1]
  const bend = Math.max(start, end) + 16 + Math.min(32, Math.abs(to.y - from.y) / 8)
  const d = `M${start} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${end} ${to.y}`
  return html`<path class=${`arrow ${look}`} d=${d} marker-end="url(#arrow)" />`
}

let pen: CanvasRenderingContext2D | null = null

/** Width in pixels that the text of a node needs. */
function textWidth(text: string, look: string): number {
  pen ??= document.createElement("canvas").getContext("2d")
  if (pen === null) return 8 * text.length
  pen.font = `${look.includes("asked") ? "600 " : ""}12px system-ui, sans-serif`
  return Math.ceil(pen.measureText(text).width)
}

function shortened(label: string): string {
  return label.length <= MAX_CHARS ? label : `${label.slice(0, MAX_CHARS - 1)}…`
}

const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "font-size",
  "font-family",
]

/** Saves the drawing on the page as an SVG file, which includes the colours of the style sheet. */
export function saveSvg(selector: string, name: string): void {
  const drawn = document.querySelector(selector)
  if (drawn === null) return
  const copy = drawn.cloneNode(true) as Element
  const [all, copies] = [[...drawn.querySelectorAll("*")], [...copy.querySelectorAll("*")]]
  for (const [nth, each] of all.entries()) {
    const style = getComputedStyle(each)
    for (const property of KEPT) copies[nth]!.setAttribute(property, style.getPropertyValue(property))
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  save(name, new XMLSerializer().serializeToString(copy))
}

/** Offers a text as a file to save. */
export function save(name: string, text: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text]))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
