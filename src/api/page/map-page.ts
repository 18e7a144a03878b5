import { html } from "htm/preact"
import { useState } from "preact/hooks"
import { get, live } from "./api.ts"
import { EditorLink } from "./code.ts"
import { dot, type Graph, joined, layout, mermaid, sureness } from "./graph.ts"
import { counted, Failure, number, Path, useLoaded } from "./parts.ts"
import { linkTo, replaceRoute, route } from "./route.ts"
import { type Box, treemap } from "./treemap.ts"

type Item = {
  readonly name: string
  readonly path: string
  readonly is_folder: boolean
  readonly files: number
  readonly lines: number
  readonly language: string
  readonly centrality: number
  readonly changed: number
  readonly inside: readonly Item[]
}

const SIZE = { width: 1000, height: 600 }
const COLOURS = [
  ["centrality", "How much it is used"],
  ["changed", "Recent change"],
  ["language", "Language"],
] as const

/** The folders as a treemap, the symbols of a file, or the neighbourhood of a symbol. */
export function MapPage() {
  const { query } = route.value
  const [folder, file, symbol] = [
    query.get("folder") ?? "",
    query.get("file") ?? "",
    query.get("symbol") ?? "",
  ]
  return html`<main>
    <h1>Code map</h1>
    <form class="filters" onSubmit=${(event: Event) => {
      event.preventDefault()
      const name = (new FormData(event.target as HTMLFormElement).get("symbol") as string).trim()
      location.hash = linkTo("map", { folder, symbol: name })
    }}><label>Symbol <input name="symbol" value=${symbol} placeholder="Owner.name" spellcheck=${false} /></label><button>Show its neighbourhood</button></form>
    ${
      symbol !== ""
        ? html`<${Neighbourhood} key=${symbol} name=${symbol} path=${query.get("path") ?? ""} />`
        : html`<${Folders} folder=${folder} file=${file} colour=${query.get("colour") ?? "centrality"} />`
    }
  </main>`
}

function Folders({ folder, file, colour }: { folder: string; file: string; colour: string }) {
  const { data, error } = useLoaded(
    (abort) => get<{ items: Item[]; left_out: number }>("map", { path: folder }, abort),
    [folder, live.value?.version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  const parts = folder === "" ? [] : folder.split("/")
  return html`<p class="filters"><span><a href=${linkTo("map", { colour })}>project</a>${parts.map(
    (part, nth) =>
      html` / <a href=${linkTo("map", { folder: parts.slice(0, nth + 1).join("/"), colour })}>${part}</a>`,
  )}</span>
    <label>Colour <select value=${colour} onChange=${(event: Event) => replaceRoute("map", { folder, file, colour: (event.target as HTMLSelectElement).value })}>
      ${COLOURS.map(([value, label]) => html`<option value=${value}>${label}</option>`)}</select></label></p>
    ${data && html`<${Treemap} items=${data.items} colour=${colour} />`}
    ${data && data.left_out > 0 && html`<p class="state">${number(data.left_out)} smaller ones are not drawn</p>`}
    ${file !== "" && html`<${Outline} key=${file} path=${file} />`}`
}

function Treemap({ items, colour }: { items: readonly Item[]; colour: string }) {
  const drawn = items.filter(({ lines }) => lines > 0)
  const boxes = treemap(
    drawn.map(({ lines }) => lines),
    { x: 0, y: 0, ...SIZE },
  )
  const shade = shadeOf(drawn, colour)
  return html`<svg class="treemap" viewBox=${`0 0 ${SIZE.width} ${SIZE.height}`} role="group" aria-label="Folders and files by lines">
    ${drawn.map((item, nth) => html`<${Cell} key=${item.path} item=${item} box=${boxes[nth]!} shade=${shade} colour=${colour} />`)}</svg>`
}

type Shade = (item: Item) => { readonly class: string; readonly opacity: number }

const HUES = 6

/** Colour of an item: an opacity of the accent, or a hue for the most frequent languages. */
function shadeOf(items: readonly Item[], colour: string): Shade {
  if (colour === "language") {
    const names = [
      ...new Set(items.flatMap(({ language, inside }) => [language, ...inside.map((each) => each.language)])),
    ]
    return ({ language }) => ({ class: `hue${names.indexOf(language) % HUES}`, opacity: 0.55 })
  }
  const value = (item: Item) => (colour === "changed" ? item.changed : Math.log2(1 + item.centrality))
  const all = items
    .flatMap((item) => [item, ...item.inside])
    .map(value)
    .filter((each) => each > 0)
  const [min, max] = [Math.min(...all), Math.max(...all)]
  return (item) => {
    const share = max > min && value(item) > 0 ? (value(item) - min) / (max - min) : 0
    return { class: "hue0", opacity: 0.12 + 0.68 * share }
  }
}

const HEADER = 20
/** Smallest box in pixels that shows its name. */
const MIN_NAME = { width: 56, height: 16 }

function Cell({ item, box, shade, colour }: { item: Item; box: Box; shade: Shade; colour: string }) {
  const { name, path, is_folder, lines, files, inside } = item
  const hasRoom = box.width > MIN_NAME.width && box.height > MIN_NAME.height
  const inner = { x: box.x + 2, y: box.y + HEADER, width: box.width - 4, height: box.height - HEADER - 2 }
  const isDivided = hasRoom && inside.length > 1 && inner.height > 30
  const rest = lines - inside.reduce((sum, each) => sum + each.lines, 0)
  const boxes = isDivided
    ? treemap(
        [...inside.map((each) => each.lines), rest].filter((each) => each > 0),
        inner,
      )
    : []
  const href = is_folder
    ? linkTo("map", { folder: path, colour })
    : linkTo("map", { folder: path.split("/").slice(0, -1).join("/"), file: path, colour })
  return html`<a href=${href} data-path=${path}>
    <title>${path}\n${counted(lines, "line")}, ${counted(files, "file")}, ${item.language}</title>
    <rect ...${box} class=${isDivided ? "folder-box" : shade(item).class} fill-opacity=${isDivided ? 1 : shade(item).opacity} />
    ${boxes.slice(0, inside.length).map((each, nth) => html`<${Inner} key=${inside[nth]!.path} item=${inside[nth]!} box=${each} shade=${shade} />`)}
    ${hasRoom && html`<text x=${box.x + 6} y=${box.y + 14}>${fitting(name + (is_folder ? "/" : ""), box.width)}</text>`}
  </a>`
}

function Inner({ item, box, shade }: { item: Item; box: Box; shade: Shade }) {
  const hasRoom = box.width > MIN_NAME.width && box.height > MIN_NAME.height
  return html`<rect ...${box} class=${shade(item).class} fill-opacity=${shade(item).opacity} />
    ${hasRoom && html`<text x=${box.x + 6} y=${box.y + 14}>${fitting(item.name, box.width)}</text>`}`
}

function fitting(name: string, width: number): string {
  const max = Math.floor((width - 10) / 7)
  return name.length <= max ? name : `${name.slice(0, Math.max(1, max - 1))}…`
}

type Symbol = {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly start_line: number
}

function Outline({ path }: { path: string }) {
  const { data, error } = useLoaded(
    (abort) =>
      get<{ outline: (Symbol & { level: number })[] }>(
        "symbol",
        { relation: "outline", path, limit: 200 },
        abort,
      ),
    [path],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  return html`<section><h2><${Path} path=${path} /> <${EditorLink} path=${path} line=${1} /></h2>
    <p class="chips">${data?.outline.map(({ name, kind }) => html`<a class="button" href=${linkTo("map", { symbol: name, path })}>${name} <span class="facts">${kind}</span></a>`)}</p></section>`
}

type Related = Symbol & { readonly confidence: number }
type SymbolAnswer = {
  readonly definitions: readonly Symbol[]
  readonly related: readonly Related[]
  readonly notices: readonly string[]
}

const idOf = ({ path, start_line }: Symbol) => `${path}:${start_line}`
const nodeOf = (symbol: Symbol) => ({
  id: idOf(symbol),
  name: symbol.name,
  path: symbol.path,
  line: symbol.start_line,
})

/** A symbol with its callers, callees and implementations. */
async function around(name: string, path: string, abort?: AbortSignal): Promise<Graph> {
  const ask = (relation: string) => get<SymbolAnswer>("symbol", { name, path, relation }, abort)
  const [callers, callees, implementations] = await Promise.all([
    ask("callers"),
    ask("callees"),
    ask("implementations"),
  ])
  const [centre] = callers.definitions
  if (centre === undefined) return { nodes: [], edges: [] }
  const own = idOf(centre)
  const into = [...callers.related, ...implementations.related].map((each) => ({
    from: idOf(each),
    to: own,
    confidence: each.confidence,
  }))
  const outOf = callees.related.map((each) => ({ from: own, to: idOf(each), confidence: each.confidence }))
  const all = [centre, ...callers.related, ...callees.related, ...implementations.related]
  return { nodes: all.map(nodeOf), edges: [...into, ...outOf].filter(({ from, to }) => from !== to) }
}

function Neighbourhood({ name, path }: { name: string; path: string }) {
  const [more, setMore] = useState<Graph>({ nodes: [], edges: [] })
  const { data, error } = useLoaded((abort) => around(name, path, abort), [name, path])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Following calls…</p>`
  const { graph, leftOut } = joined(data, more)
  const expand = async (node: Graph["nodes"][number]) => {
    const found = await around(node.name, node.path).catch(() => null)
    if (found !== null) setMore((old) => joined(old, found).graph)
  }
  return html`<p class="state" role="status">${counted(graph.nodes.length, "symbol")}${leftOut > 0 && `, ${number(leftOut)} more do not fit: open one of them instead`}. A solid line is exact, a dashed one likely, a dotted one by name only. Click a symbol to expand it.</p>
    <${GraphView} graph=${graph} centre=${data.nodes[0]?.id} expand=${expand} />
    <p class="chips"><button onClick=${() => save("graph.svg", svgText())}>SVG</button>
      <button onClick=${() => save("graph.mmd", mermaid(graph))}>Mermaid</button>
      <button onClick=${() => save("graph.dot", dot(graph))}>DOT</button></p>`
}

type View = { graph: Graph; centre: string | undefined; expand: (node: Graph["nodes"][number]) => void }

function GraphView({ graph, centre, expand }: View) {
  const points = layout(graph)
  const at = (id: string) => ({ x: points.get(id)!.x * SIZE.width, y: points.get(id)!.y * SIZE.height })
  const act = (event: KeyboardEvent, node: Graph["nodes"][number]) => event.key === "Enter" && expand(node)
  return html`<svg class="graph" xmlns="http://www.w3.org/2000/svg" viewBox=${`0 0 ${SIZE.width} ${SIZE.height}`} role="group" aria-label="Neighbourhood">
    <defs><marker id="arrow" viewBox="0 0 8 8" refX="12" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" /></marker></defs>
    ${graph.edges.map(({ from, to, confidence }) => {
      const [a, b] = [at(from), at(to)]
      return html`<line x1=${a.x} y1=${a.y} x2=${b.x} y2=${b.y} class=${sureness(confidence)} stroke="#888" stroke-dasharray=${{ exact: undefined, likely: "6 4", name: "2 4" }[sureness(confidence)]} marker-end="url(#arrow)" />`
    })}
    ${graph.nodes.map((node) => {
      const { x, y } = at(node.id)
      return html`<g key=${node.id} tabindex="0" role="button" class=${node.id === centre ? "node centre" : "node"} aria-label=${`${node.name}, ${node.path}:${node.line}`}
        onClick=${() => expand(node)} onKeyDown=${(event: KeyboardEvent) => act(event, node)}>
        <title>${node.path}:${node.line}</title><circle cx=${x} cy=${y} r="6" /><text x=${x + 9} y=${y + 4} font-family="sans-serif" font-size="12">${node.name}</text></g>`
    })}</svg>`
}

function svgText(): string {
  const drawn = document.querySelector(".graph")
  return drawn === null ? "" : new XMLSerializer().serializeToString(drawn)
}

function save(name: string, text: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text]))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
