import { html } from "htm/preact"
import { useState } from "preact/hooks"
import { runAction } from "../api.ts"
import { GraphView, saveSvg, type ViewEdge, type ViewNode } from "../drawings/graph-view.ts"
import { Failure, number, plural, useLoaded } from "../parts.ts"
import type { MemoryEntry } from "./entry-dialog.ts"
import { type Filter, type Navigate, Row } from "./entry-list.ts"

type EntityName = { readonly name: string; readonly type: string }
type EntitySummary = EntityName & { readonly entry_count: number; readonly relation_count: number }
type Relation = { readonly from: string; readonly type: string; readonly to: string }
type RelatedAnswer = {
  readonly entities: readonly EntityName[]
  readonly relations: readonly Relation[]
  readonly entries: readonly MemoryEntry[]
  readonly truncated: boolean
}

const MAX_LISTED = 60
/** Maximum number of entities in a drawing; more cannot be read. */
const MAX_DRAWN = 150

type Props = { chosen: string; version: string; go: Navigate }

/** A graph of the people, services and components that entries name, with the relations between them. */
export function Entities({ filter, chosen, version, go }: Props & { filter: Filter }) {
  const { data, error } = useLoaded(
    () => runAction<{ entities: EntitySummary[]; total: number }>({ action: "entities", limit: MAX_LISTED }),
    [version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Loading…</p>`
  const [first] = data.entities
  if (first === undefined)
    return html`<section><p class="empty">No entities yet: entries name them, and “Link” in an entry relates them</p></section>`
  const entity = filter.entity === "" ? first.name : filter.entity
  return html`<section>
    <p class="state" role="status">${plural(data.total, "entity", "entities")}${data.total > MAX_LISTED && `, the ${MAX_LISTED} most named`}</p>
    <p class="chips">${data.entities.map(
      ({ name, type, entry_count }) =>
        html`<button key=${name} aria-pressed=${name === entity} title=${type} onClick=${() => go({ entity: name, id: "" })}>${name} <span class="facts">${number(entry_count)}</span></button>`,
    )}</p>
    <${EntityGraph} key=${entity} entity=${entity} chosen=${chosen} version=${version} go=${go} /></section>`
}

function EntityGraph({ entity, chosen, version, go }: Props & { entity: string }) {
  const [more, setMore] = useState<readonly RelatedAnswer[]>([])
  const [problem, setProblem] = useState<unknown>(null)
  const ask = (name: string) => runAction<RelatedAnswer>({ action: "related", entity: name })
  const { data, error } = useLoaded(() => ask(entity), [entity, version])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Loading…</p>`
  const expand = (name: string) => ask(name).then((found) => setMore((old) => [...old, found]), setProblem)
  const { nodes, edges, leftOut } = entityDrawing(entity, [data, ...more])
  return html`
    ${problem !== null && html`<${Failure} error=${problem} />`}
    ${
      edges.length === 0
        ? html`<p class="empty">${entity} has no relations yet</p>`
        : html`<div class="legend"><span>${plural(nodes.length, "entity", "entities")}${leftOut > 0 && `, ${number(leftOut)} more do not fit`}${data.truncated && ", of more than 100"}</span>
        <span><svg class="key-line" aria-hidden="true"><path class="arrow" d="M0 6H28" /></svg>relation</span>
        <span><svg class="key-line" aria-hidden="true"><path class="arrow name" d="M0 6H28" /></svg>named in the same entry</span>
        <span class="actions"><button onClick=${() => saveSvg(".graph", "entities.svg")}>SVG</button></span></div>
      <${GraphView} label="Entities" nodes=${nodes} edges=${edges} starts=${[entity]} choose=${expand} />`
    }
    <h2>Entries about ${entity} and what is related to it</h2>
    <ul class="review">${data.entries.map((entry) => html`<li key=${entry.id}><${Row} entry=${entry} isChosen=${entry.id === chosen} choose=${() => go({ id: entry.id })} /></li>`)}</ul>`
}

type EntityDrawing = {
  readonly nodes: readonly ViewNode[]
  readonly edges: readonly ViewEdge[]
  readonly leftOut: number
}

/** Related entities to draw: those with a relation, and those that an entry names together with `entity`. */
function entityDrawing(entity: string, all: readonly RelatedAnswer[]): EntityDrawing {
  const relations = new Map<string, ViewEdge>()
  for (const { from, to, type } of all.flatMap((each) => each.relations))
    relations.set(`${from} ${type} ${to}`, { from, to, label: type, look: "certain" })
  const connected = new Set(
    [...relations.values()].flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]),
  )
  const together = new Map<string, ViewEdge>()
  for (const { entities, entries } of all) {
    const centre = entities[0]?.name ?? entity
    const entriesOfCentre = entries.filter((entry) => entry.entities.includes(centre))
    for (const other of entriesOfCentre.flatMap((entry) => entry.entities))
      if (other !== centre && !connected.has(`${centre} ${other}`) && !together.has(`${other} ${centre}`))
        together.set(`${centre} ${other}`, { from: centre, to: other, look: "by name" })
  }
  const edges = [...relations.values(), ...together.values()]
  const names = [...new Set([entity, ...edges.flatMap(({ from, to }) => [from, to])])]
  const shown = new Set(names.slice(0, MAX_DRAWN))
  const types = new Map(
    all.flatMap(({ entities }) => entities.map(({ name, type }) => [name, type] as const)),
  )
  return {
    nodes: [...shown].map((name) => ({
      id: name,
      label: name,
      title: [name, types.get(name)].filter(Boolean).join(", "),
      look: name === entity ? "asked" : "related",
    })),
    edges: edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    leftOut: names.length - shown.size,
  }
}
