import { html } from "htm/preact"
import type { MapItem } from "../../../src/context/map/code-map.ts"
import { fetchJson, live } from "./api.ts"
import { EditorLink } from "./code.ts"
import { Complete } from "./complete.ts"
import { ImpactOfDiff, Neighbourhood } from "./drawings/symbol-graph.ts"
import { type Rectangle, treemap } from "./drawings/treemap.ts"
import { Failure, number, Path, plural, useLoaded } from "./parts.ts"
import { linkTo, replaceRoute, route } from "./route.ts"

const SIZE = { width: 1000, height: 600 }
const COLOURS = [
  ["centrality", "How much it is used"],
  ["changed", "Recent change"],
  ["language", "Language"],
  ["memories", "Memories"],
] as const

/** The folders as a treemap, the symbols of a file, the neighbourhood or impact of a symbol, or the impact of a diff. */
export function MapPage() {
  const { query } = route.value
  const of = (name: string) => query.get(name) ?? ""
  const [folder, file, symbol, view, diff] = [of("folder"), of("file"), of("symbol"), of("view"), of("diff")]
  const submit = (event: Event) => {
    event.preventDefault()
    const name = (new FormData(event.target as HTMLFormElement).get("symbol") as string).trim()
    location.hash = linkTo("map", { folder, symbol: name, view })
  }
  const body = () => {
    if (symbol !== "")
      return html`<${Neighbourhood} key=${`${symbol} ${of("path")} ${view}`} name=${symbol} path=${of("path")} view=${view} />`
    if (diff !== "") return html`<${ImpactOfDiff} key=${diff} revision=${diff} />`
    return html`<${Folders} folder=${folder} file=${file} colour=${of("colour") || "centrality"} />`
  }
  return html`<main class="wide">
    <h1>Code map</h1>
    <form class="filters" onSubmit=${submit}>
      <label>Symbol <${Complete} of="symbol" name="symbol" value=${symbol} placeholder="Owner.name" /></label><button>Show</button>
      <a class="button" href=${linkTo("map")} aria-current=${symbol === "" && diff === "" ? "page" : undefined}>Folders</a>
      <a class="button" href=${linkTo("map", { diff: "HEAD" })} aria-current=${diff !== "" ? "page" : undefined}>Impact of uncommitted changes</a>
    </form>
    ${body()}
  </main>`
}

function Folders({ folder, file, colour }: { folder: string; file: string; colour: string }) {
  const { data, error } = useLoaded(
    (abort) => {
      const memories = colour === "memories" ? "true" : undefined
      return fetchJson<{ items: MapItem[]; left_out: number }>("map", { path: folder, memories }, abort)
    },
    [folder, colour === "memories" && live.value?.memory, live.value?.version],
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

function Treemap({ items, colour }: { items: readonly MapItem[]; colour: string }) {
  const drawn = items.filter(({ lines }) => lines > 0)
  const boxes = treemap(
    drawn.map(({ lines }) => lines),
    { x: 0, y: 0, ...SIZE },
  )
  const shade = shadeOf(drawn, colour)
  return html`<svg class="treemap" viewBox=${`0 0 ${SIZE.width} ${SIZE.height}`} role="group" aria-label="Folders and files by lines">
    ${drawn.map((item, nth) => html`<${Cell} key=${item.path} item=${item} box=${boxes[nth]!} shade=${shade} colour=${colour} />`)}</svg>`
}

type ItemShade = (item: MapItem) => { readonly class: string; readonly opacity: number }

const HUES = 6

/** Colour of an item: an opacity of the accent, or a hue for the most frequent languages. */
function shadeOf(items: readonly MapItem[], colour: string): ItemShade {
  if (colour === "language") {
    const names = [
      ...new Set(items.flatMap(({ language, inside }) => [language, ...inside.map((each) => each.language)])),
    ]
    return ({ language }) => ({ class: `hue${names.indexOf(language) % HUES}`, opacity: 0.55 })
  }
  const value = measureOf(colour)
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

/**
 * Returns a function for the number that an item's opacity shows: time of the last change, memories per line, or
 * centrality.
 */
function measureOf(colour: string): (item: MapItem) => number {
  switch (colour) {
    case "changed":
      return ({ changed }) => changed
    case "memories":
      return ({ memories, lines }) => (lines === 0 ? 0 : Math.log2(1 + (1000 * memories) / lines))
    default:
      return ({ centrality }) => Math.log2(1 + centrality)
  }
}

const HEADER = 20
/** Smallest box in pixels that shows its name. */
const MIN_NAME = { width: 56, height: 16 }

function Cell({
  item,
  box,
  shade,
  colour,
}: {
  item: MapItem
  box: Rectangle
  shade: ItemShade
  colour: string
}) {
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
    <title>${path}\n${plural(lines, "line")}, ${plural(files, "file")}, ${item.language}${item.memories > 0 && `, ${plural(item.memories, "memory", "memories")}`}</title>
    <rect ...${box} class=${isDivided ? "folder-box" : shade(item).class} fill-opacity=${isDivided ? 1 : shade(item).opacity} />
    ${boxes.slice(0, inside.length).map((each, nth) => html`<${Inner} key=${inside[nth]!.path} item=${inside[nth]!} box=${each} shade=${shade} />`)}
    ${hasRoom && html`<text x=${box.x + 6} y=${box.y + 14}>${fitName(name + (is_folder ? "/" : ""), box.width)}</text>`}
  </a>`
}

function Inner({ item, box, shade }: { item: MapItem; box: Rectangle; shade: ItemShade }) {
  const hasRoom = box.width > MIN_NAME.width && box.height > MIN_NAME.height
  return html`<rect ...${box} class=${shade(item).class} fill-opacity=${shade(item).opacity} />
    ${hasRoom && html`<text x=${box.x + 6} y=${box.y + 14}>${fitName(item.name, box.width)}</text>`}`
}

function fitName(name: string, width: number): string {
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
      fetchJson<{ outline: (Symbol & { level: number })[] }>(
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
