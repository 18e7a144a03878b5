import { html } from "htm/preact"
import { useMemo, useState } from "preact/hooks"
import type { CodeMap, MapFile } from "../../../../src/context/map/code-map.ts"
import type { GraphAnswer } from "../../../../src/symbols/answer/drawn-symbols.ts"
import { number, plural } from "../parts.ts"
import { changesIn, MapCanvas, type Marks, type Shade } from "./map-canvas.ts"
import { type Box, type BoxEdge, KINDS, type MapModel, mapModel, once } from "./map-model.ts"
import type { CodeChanges, CodeUses } from "./map-types.ts"

export type Impact = Pick<GraphAnswer, "graph" | "tests" | "notices">

export type MapViewProps = {
  readonly map: CodeMap
  /** Null while they are being followed. */
  readonly uses: CodeUses | null
  readonly changes: CodeChanges | null
  readonly impact: Impact | null
  /** Path of the selected folder or file; "" for none. */
  readonly at: string
  readonly choose: (path: string) => void
  /** Address of a file or function outside of the map; null in a file without a server. */
  readonly linkTo: ((path: string, line: number, name: string | null) => string) | null
}

const COLOURS = [
  ["centrality", "How much it is used"],
  ["language", "Language"],
  ["changed", "Recent change"],
  ["memories", "Memories"],
] as const
const KIND_NAMES = {
  code: "code",
  test: "tests",
  vendored: "vendored and generated",
  other: "documents, data, examples",
}
const MAX_ROWS = 60

/** The drawing of a project, and beside it in words what it shows of the selected part. */
export function MapView({ map, uses, changes, impact, at, choose, linkTo }: MapViewProps) {
  const [kinds, setKinds] = useState<ReadonlySet<string>>(new Set(["code"]))
  const [colour, setColour] = useState<string>("centrality")
  const [inside, setInside] = useState<Box | null>(null)
  const shown = useMemo(() => shownKinds(map, kinds), [map, kinds])
  const [size, setSize] = useState({ width: 1000, height: 600 })
  const model = useMemo(() => mapModel(map, uses, shown, size), [map, uses, shown, size])
  const marks = useMemo(() => marksOf(changes, impact), [changes, impact])
  const shadeOf = useMemo(() => once(shading(map, colour)), [map, colour])
  const box = model.boxes.get(at) ?? null
  const selected = inside !== null && inside.path === at ? inside : box
  const select = (next: Box | null) => {
    setInside(next?.kind === "function" ? next : null)
    choose(next?.path ?? "")
  }
  const toggle = (kind: string) => {
    const next = new Set(kinds)
    if (!next.delete(kind)) next.add(kind)
    setKinds(next)
  }
  const label = `${plural(model.root.children.length, "module")} by lines, with arrows to what they use. Arrow keys move, plus and minus zoom, 0 shows all; the list beside it has the same in words.`
  return html`<div class="filters"><fieldset class="kinds"><legend class="hidden">Shown</legend>${kindsIn(
    map,
  ).map(
    ([kind, count]) =>
      html`<label><input type="checkbox" checked=${shown.has(kind)} onChange=${() => toggle(kind)} /> ${plural(count, "file")} of ${KIND_NAMES[kind]}</label>`,
  )}</fieldset>
    <label>Colour <select value=${colour} onChange=${(event: Event) => setColour((event.target as HTMLSelectElement).value)}>
      ${COLOURS.map(([value, name]) => html`<option value=${value}>${name}</option>`)}</select></label></div>
    <div class="map"><${MapCanvas} label=${label} model=${model} selected=${selected} shadeOf=${shadeOf} marks=${marks} choose=${select} resize=${setSize} />
    <section class="map-side" aria-label="In words" tabindex="0">
      ${uses === null && html`<p class="state" role="status">Following uses, for the arrows…</p>`}
      ${selected === null ? html`<${Overview} model=${model} marks=${marks} select=${select} hasUses=${uses !== null} />` : html`<${Selected} key=${selected.path + selected.line} box=${selected} model=${model} marks=${marks} select=${select} linkTo=${linkTo} />`}
    </section></div>
    <p class="hint">Areas are lines of code. An arrow leads from the user to the used, with the number of certain uses of types, functions and constants;
      calls of methods are not counted. Modules that use others are above them${model.cycles.length > 0 && html`; <span class="back">red</span> arrows go against this order and close a cycle`}. Double-click or wheel to zoom.
      ${uses !== null && uses.not_followed > 0 && ` ${plural(uses.not_followed, "name")} were not followed, because it took more than a minute.`}
      ${uses !== null && uses.not_drawn > 0 && ` ${plural(uses.not_drawn, "function and type", "functions and types")} are not drawn.`}
      ${map.left_out > 0 && ` ${plural(map.left_out, "file")}, the smallest ones, are not drawn.`}</p>
    <${MarksLegend} changes=${changes} impact=${impact} />`
}

/** The kinds that a project has, with their numbers of files. */
function kindsIn({ files }: CodeMap) {
  return KINDS.map((kind) => [kind, files.filter((file) => file.kind === kind).length] as const).filter(
    ([, count]) => count > 0,
  )
}

/** The kinds of files to draw; a project without code of its own is drawn whole. */
function shownKinds({ files }: CodeMap, kinds: ReadonlySet<string>): ReadonlySet<string> {
  return files.some(({ kind }) => kinds.has(kind)) ? kinds : new Set(KINDS)
}

function marksOf(changes: CodeChanges | null, impact: Impact | null): Marks {
  const nodes = impact?.graph.nodes ?? []
  return {
    changed: new Map(changes?.files.map((file) => [file.path, file])),
    affected: new Set(nodes.filter(({ role }) => role !== "removed").map(({ path }) => path)),
  }
}

const HUES = ["accent", "type", "string", "number", "keyword", "function"] as const

/** Colour of a box: an opacity of the accent, or a hue for the most frequent languages. */
function shading({ files }: CodeMap, colour: string): (box: Box) => Shade {
  const fileOf = (box: Box) => box.file ?? box.parent?.file ?? null
  if (colour === "language") {
    const lines = new Map<string, number>()
    for (const file of files) lines.set(file.language, (lines.get(file.language) ?? 0) + file.lines)
    const names = [...lines].sort(([, a], [, b]) => b - a).map(([name]) => name)
    return (box) => {
      const at = names.indexOf(fileOf(box)?.language ?? "")
      return at < 0 ? { colour: "comment", opacity: 0.2 } : { colour: HUES[at % HUES.length]!, opacity: 0.5 }
    }
  }
  const value = measureOf(colour)
  const all = files.map(value).filter((each) => each > 0)
  const [min, max] = all.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Number.POSITIVE_INFINITY, 0],
  )
  return (box) => {
    const file = fileOf(box)
    const own = file === null ? 0 : value(file)
    const share = max! > min! && own > 0 ? (own - min!) / (max! - min!) : 0
    const opacity = 0.12 + 0.55 * share
    return { colour: "accent", opacity: box.kind === "function" ? opacity * 0.7 + 0.1 : opacity }
  }
}

/** A function for the number that a file's opacity shows: time of the last change, memories per line, or centrality. */
function measureOf(colour: string): (file: MapFile) => number {
  switch (colour) {
    case "changed":
      return ({ changed }) => changed
    case "memories":
      return ({ memories, lines }) => (lines === 0 ? 0 : Math.log2(1 + (1000 * memories) / lines))
    default:
      return ({ centrality }) => Math.log2(1 + centrality)
  }
}

type SideProps = {
  readonly model: MapModel
  readonly marks: Marks
  readonly select: (box: Box | null) => void
}

/** The modules in the order in which they are drawn, and those that use each other. */
function Overview({ model, marks, select, hasUses }: SideProps & { hasUses: boolean }) {
  const { root, cycles } = model
  const edges = model.edgesAmong(root)
  const both = edges.flatMap((edge) => {
    const back = edges.find(({ from, to }) => from === edge.to && to === edge.from)
    return back !== undefined &&
      edge.count >= back.count &&
      !(edge.count === back.count && edge.from.path > edge.to.path)
      ? [{ edge, back }]
      : []
  })
  const affected = [...marks.affected].flatMap((path) => model.boxes.get(path) ?? [])
  return html`${
    affected.length > 0 &&
    html`<h2>May be affected</h2><ul class="rows">${affected
      .slice(0, MAX_ROWS)
      .map(
        (box) => html`<${Row} key=${box.path} box=${box} select=${select} facts=${[box.parent!.path]} />`,
      )}</ul>`
  }
    <h2>${plural(root.children.length, "module")}</h2>
    <ul class="rows">${root.children.map((box) => {
      const [uses, users] = [edges.filter(({ from }) => from === box), edges.filter(({ to }) => to === box)]
      return html`<${Row} key=${box.path} box=${box} select=${select} facts=${[sizeOf(box), hasUses ? `uses ${uses.length}, used by ${users.length}` : "", changesIn(box, marks, model)]} />`
    })}</ul>
    ${
      both.length > 0 &&
      html`<h2>Use each other</h2><ul class="rows">${both
        .slice(0, MAX_ROWS)
        .map(
          ({ edge: { from, to, count }, back }) =>
            html`<li key=${`${from.path} ${to.path}`}><${Name} box=${from} select=${select} /> <span class="facts">→ ${number(count)}, <span class="back">← ${number(back.count)}</span></span> <${Name} box=${to} select=${select} /></li>`,
        )}</ul>`
    }
    ${cycles.map((group) => group.length > 2 && html`<p class="hint">In one cycle: ${group.map(({ name }) => name).join(", ")}</p>`)}`
}

type SelectedProps = SideProps & { readonly box: Box } & Pick<MapViewProps, "linkTo">

/** A module, folder, file or function: what it uses, what uses it, and what is in it. */
function Selected({ box, model, marks, select, linkTo }: SelectedProps) {
  const { uses, users } = useMemo(
    () => (box.kind === "function" ? { uses: [], users: [] } : model.edgesOf(box)),
    [box, model],
  )
  const parts = box.children.filter(({ kind }) => kind !== "rest")
  const outer = box.parent?.kind === "map" ? null : box.parent
  const name = box.kind === "function" ? box.name : null
  const changes = changesIn(box, marks, model)
  return html`<p class="filters"><button onClick=${() => select(null)}>All modules</button>${outer !== null && html` <button onClick=${() => select(outer)}>${outer.name}</button>`}</p>
    <h2 class="path">${name ?? (box.path === "." ? box.name : box.path)}</h2>
    <p class="facts">${[box.kind, sizeOf(box), box.file?.language, changes, marks.affected.has(box.path) && "may be affected"].filter(Boolean).join(" · ")}</p>
    ${linkTo !== null && (box.file !== null || name !== null) && html`<p class="filters"><a class="button" href=${linkTo(box.path, Math.max(1, box.line), null)}>Open the file</a>${name !== null && html` <a class="button" href=${linkTo(box.path, box.line, name)}>What uses it</a>`}</p>`}
    <${Edges} title="Uses" edges=${uses} other=${(edge: BoxEdge) => edge.to} select=${select} />
    <${Edges} title="Used by" edges=${users} other=${(edge: BoxEdge) => edge.from} select=${select} />
    ${parts.length > 0 && html`<h2>${box.kind === "file" ? "Functions and types" : "Inside"}</h2><ul class="rows">${parts.slice(0, MAX_ROWS).map((each) => html`<${Row} key=${each.path + each.line} box=${each} select=${select} facts=${[sizeOf(each), changesIn(each, marks, model)]} />`)}</ul>`}
    ${parts.length > MAX_ROWS && html`<p class="facts">${number(parts.length - MAX_ROWS)} smaller ones are on the map</p>`}`
}

type EdgesProps = {
  title: string
  edges: readonly BoxEdge[]
  other: (edge: BoxEdge) => Box
  select: SideProps["select"]
}

function Edges({ title, edges, other, select }: EdgesProps) {
  if (edges.length === 0) return null
  return html`<h2>${title}</h2><ul class="rows">${edges
    .slice(0, MAX_ROWS)
    .map(
      (edge) =>
        html`<li key=${other(edge).path}><${Name} box=${other(edge)} select=${select} /> <span class=${edge.isBack ? "facts back" : "facts"}>${plural(edge.count, "use")}</span></li>`,
    )}</ul>`
}

function Row({ box, facts, select }: { box: Box; facts: readonly string[]; select: SideProps["select"] }) {
  return html`<li><${Name} box=${box} select=${select} /> <span class="facts">${facts.filter((each) => each !== "").join(" · ")}</span></li>`
}

function Name({ box, select }: { box: Box; select: SideProps["select"] }) {
  const text =
    box.kind === "module" ||
    box.kind === "function" ||
    box.parent?.kind === "folder" ||
    box.parent?.kind === "module"
      ? box.name
      : box.path
  return html`<button class="link" data-path=${box.path} title=${box.path} onClick=${() => select(box)}>${text}${box.kind === "folder" && "/"}</button>`
}

function sizeOf({ kind, files, lines }: Box): string {
  const size = plural(lines, "line")
  return kind === "module" || kind === "folder" ? `${plural(files, "file")}, ${size}` : size
}

function MarksLegend({ changes, impact }: Pick<MapViewProps, "changes" | "impact">) {
  const affected = impact?.graph.nodes.filter(({ role }) => role === "related" || role === "file") ?? []
  const files = new Set(affected.map(({ path }) => path)).size
  return html`${
    changes !== null &&
    html`<p class="legend"><span><i class="key added"></i>added</span><span><i class="key removed"></i>removed</span>
    <span>${plural(changes.files.length, "changed file")}${
      changes.deleted.length > 0 &&
      `, deleted: ${changes.deleted
        .map(({ path }) => path)
        .slice(0, 10)
        .join(", ")}`
    }</span></p>`
  }
  ${
    impact !== null &&
    html`<p class="legend"><span><i class="key affected"></i>may be affected</span><span>${plural(affected.length, "symbol")} in ${plural(files, "file")}${impact.tests.length > 0 && `, ${plural(impact.tests.length, "file")} of tests`}</span></p>
    ${impact.notices.length > 0 && html`<ul class="paths" tabindex="0" aria-label="Not in this drawing">${impact.notices.map((each) => html`<li key=${each}>${each}</li>`)}</ul>`}`
  }`
}
