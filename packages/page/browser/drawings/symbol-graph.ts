import { html } from "htm/preact"
import { useMemo, useRef, useState } from "preact/hooks"
import {
  dot,
  type Graph,
  type GraphNode,
  joinGraphs,
  MAX_NODES,
  mermaid,
  NO_GRAPH,
} from "../../../../src/symbols/answer/drawing.ts"
import type { GraphAnswer } from "../../../../src/symbols/answer/drawn-symbols.ts"
import type { SymbolAnswer } from "../../../../src/symbols/answer/symbol-answer.ts"
import { fetchJson, live } from "../api.ts"
import { Failure, Notices, number, Path, plural, useLoaded } from "../parts.ts"
import { linkTo } from "../route.ts"
import { GraphView, save, saveSvg } from "./graph-view.ts"

type SymbolGraphAnswer = Pick<GraphAnswer, "graph" | "tests" | "notices">

type Asked = { name: string; path: string; view: string }

/** A symbol with its callers, callees and implementations, with everything that may break if it changes, or its tests. */
export function Neighbourhood({ name, path, view }: Asked) {
  const tab = (to: string, label: string) =>
    html`<a class="button" href=${linkTo("map", { symbol: name, path, view: to })} aria-current=${view === to ? "page" : undefined}>${label}</a>`
  return html`<p class="chips tabs">${tab("", "Neighbourhood")}${tab("impact", "Impact")}${tab("tests", "Tests")}</p>
    <${view === "tests" ? Tests : Around} name=${name} path=${path} view=${view} />`
}

function Around({ name, path, view }: Asked) {
  const relation = view === "impact" ? "impact" : "neighbourhood"
  const limit = view === "impact" ? MAX_NODES : undefined
  const { data, error } = useLoaded(
    (abort) => fetchJson<SymbolGraphAnswer>("graph", { name, path, relation, limit }, abort),
    [name, path, relation, live.value?.version],
  )
  return html`<${Shown} answer=${data} error=${error} waiting="Following calls…" none="Nothing in this project uses it, and it uses nothing" asked="asked for" />`
}

/** The tests that reach a symbol, nearest first, and the commands that run them. */
function Tests({ name, path }: Asked) {
  const { data, error } = useLoaded(
    (abort) => fetchJson<SymbolAnswer>("symbol", { name, path, relation: "tests" }, abort),
    [name, path, live.value?.version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Following calls…</p>`
  const { related, total, commands = [], unresolved, notices } = data
  const unclear =
    unresolved.total === 0
      ? []
      : [`${plural(unresolved.total, "use")} could not be resolved: more tests may reach it`]
  return html`<section><h2>Tests that reach it: ${total}</h2><ul class="paths" tabindex="0" aria-label="Tests that reach it">${related.map(
    ({ name: test, path: file, start_line, through = [] }) =>
      html`<li key=${`${file}:${start_line}`}><${Path} path=${file} /><span class="at">:${start_line}</span> ${test}
        ${through.length > 0 && html` <span class="facts">through ${through.join(" > ")}</span>`}</li>`,
  )}</ul></section>
  ${commands.length > 0 && html`<section><h2>To run them</h2>${commands.map((each) => html`<pre key=${each} class="command" tabindex="0">${each}</pre>`)}</section>`}
  <${Notices} notices=${[...unclear, ...notices]} />`
}

/** A drawing of the symbols that the uncommitted changes may break. */
export function ImpactOfDiff({ revision }: { revision: string }) {
  const { data, error } = useLoaded(
    (abort) =>
      fetchJson<SymbolGraphAnswer>("graph", { relation: "impact", diff: revision, limit: 100 }, abort),
    [revision, live.value?.version],
  )
  return html`<${Shown} answer=${data} error=${error} waiting="Comparing with the last commit…" none="Nothing that changed is used elsewhere" asked="changed" />`
}

type ShownProps = {
  answer: SymbolGraphAnswer | null
  error: unknown
  waiting: string
  none: string
  asked: string
}

function Shown({ answer, error, waiting, none, asked }: ShownProps) {
  const [expanded, setExpanded] = useState<readonly GraphNode[]>([])
  const version = live.value?.version
  const cache = useRef({ version, answers: new Map<string, Promise<SymbolGraphAnswer>>() })
  // When the index has changed, the graphs of expanded symbols are requested again.
  if (cache.current.version !== version) cache.current = { version, answers: new Map() }
  const { answers } = cache.current
  const answerOf = (node: GraphNode) => {
    const found = answers.get(node.id) ?? around(node)
    answers.set(node.id, found)
    return found
  }
  const { data: more } = useLoaded(() => Promise.all(expanded.map(answerOf)), [expanded, version])
  if (error !== null) return html`<${Failure} error=${error} />`
  if (answer === null) return html`<p class="state" role="status">${waiting}</p>`
  const graph = (more ?? []).map((each) => each.graph).reduce(joinGraphs, answer.graph)
  const notices = [...new Set([answer, ...(more ?? [])].flatMap((each) => each.notices))]
  const expand = (id: string) => {
    const node = graph.nodes.find((each) => each.id === id)
    if (node === undefined || node.role === "file" || expanded.some((each) => each.id === id)) return
    setExpanded([...expanded, node])
  }
  return html`<${Notices} notices=${notices} />
    <${Drawing} graph=${graph} first=${answer.graph} none=${none} asked=${asked} expand=${expand} />
    ${
      answer.tests.length > 0 &&
      html`<section><h2>Tests that reach it: ${plural(answer.tests.length, "file")}</h2>
      <ul class="paths" tabindex="0" aria-label="Tests that reach it">${answer.tests.map((path) => html`<li key=${path}><${Path} path=${path} /></li>`)}</ul></section>`
    }`
}

/** The graph around a symbol that was clicked; if the request fails, only a notice with the reason. */
async function around({ name, path }: GraphNode): Promise<SymbolGraphAnswer> {
  try {
    const { graph, notices } = await fetchJson<SymbolGraphAnswer>("graph", { name, path })
    const nodes = graph.nodes.map(demoted)
    return { graph: { ...graph, nodes }, tests: [], notices: notices.map((each) => `${name}: ${each}`) }
  } catch (error) {
    const notice = `${name} could not be expanded: ${(error as Error).message}`
    return { graph: NO_GRAPH, tests: [], notices: [notice] }
  }
}

/** The node without the look of the requested symbol, for a drawing in which another symbol was clicked. */
function demoted(node: GraphNode): GraphNode {
  return node.role === "asked" ? { ...node, role: "related" } : node
}

type DrawingProps = { graph: Graph; first: Graph; none: string; asked: string; expand: (id: string) => void }

function Drawing({ graph: whole, first, none, asked, expand }: DrawingProps) {
  const [opened, setOpened] = useState<readonly string[]>([])
  const { graph, closed } = useMemo(() => withFiles(whole, first, opened), [whole, first, opened])
  const connected = new Set(graph.edges.flatMap(({ from, to }) => [from, to]))
  const drawn = graph.nodes.filter(({ id }) => connected.has(id))
  const alone = graph.nodes.filter(({ id }) => !connected.has(id))
  const starts = drawn.filter(({ role }) => role === "asked" || role === "removed").map(({ id }) => id)
  const nodes = drawn.map(({ id, name, kind, path, line, role, is_test }) => ({
    id,
    // Files in different folders often have the same name.
    label: role === "file" && !closed.has(id) ? path.split("/").slice(-2).join("/") : name,
    title: `${name}, ${kind}, ${path}:${line}`,
    look: `${role}${is_test ? " test" : ""}`,
  }))
  const edges = graph.edges.map(({ from, to, certainty }) => ({ from, to, look: certainty }))
  const choose = (id: string) => (closed.has(id) ? setOpened([...opened, id]) : expand(id))
  const inFiles =
    closed.size === 0
      ? ""
      : `, ${number([...closed.values()].reduce((a, b) => a + b))} of them in ${plural(closed.size, "file")} that open on a click`
  return html`${
    drawn.length === 0
      ? html`<p class="empty">${none}</p>`
      : html`<div class="legend"><span role="status">${plural(whole.nodes.length - alone.length, "symbol")}${inFiles}</span>
      <span><i class="key asked"></i>${asked}</span><span><i class="key"></i>code</span><span><i class="key test"></i>test</span>
      <span><svg class="key-line" aria-hidden="true"><path class="arrow" d="M0 6H28" /></svg>certain</span>
      <span><svg class="key-line" aria-hidden="true"><path class="arrow possible" d="M0 6H28" /></svg>possible</span>
      <span><svg class="key-line" aria-hidden="true"><path class="arrow by name" d="M0 6H28" /></svg>by name</span>
      <span class="actions"><button onClick=${() => saveSvg(".graph", "graph.svg")}>SVG</button>
      <button onClick=${() => save("graph.mmd", mermaid(whole))}>Mermaid</button>
      <button onClick=${() => save("graph.dot", dot(whole))}>DOT</button></span></div>
      <${GraphView} label="Graph" nodes=${nodes} edges=${edges} starts=${starts} choose=${choose} />
      <p class="hint">An arrow leads from a symbol to what it uses. Click a symbol to add what is around it.</p>`
  }
  ${
    alone.length > 0 &&
    html`<section><h2>Without uses in this drawing</h2><p class="chips">${alone.map(
      ({ id, name, path, kind }) =>
        html`<a key=${id} class="button" href=${linkTo("map", { symbol: name, path })}>${name} <span class="facts">${kind}</span></a>`,
    )}</p></section>`
  }`
}

/** Number of symbols above which three and more of one file are drawn as one box, because a longer column is unreadable. */
const MIN_CLOSED = 40

/** The graph with one node, and the number of symbols, for each closed file; what a click has added stays in sight. */
function withFiles(graph: Graph, { nodes: known }: Graph, opened: readonly string[]) {
  const related = known.filter(({ role }) => role === "related" || role === "file")
  const files = [...Map.groupBy(related, ({ path }) => path)]
    .filter(([path, all]) => known.length > MIN_CLOSED && all.length > 2 && !opened.includes(path))
    .sort(([, a], [, b]) => b.length - a.length)
  const closed = new Map(files.map(([path, all]) => [path, all.length]))
  const into = new Map(files.flatMap(([path, all]) => all.map(({ id }) => [id, path])))
  const boxes = files.map(([path, all]): GraphNode => {
    const name = `${all.length} in ${path.slice(path.lastIndexOf("/") + 1)}`
    return { ...all[0]!, id: path, name, kind: plural(all.length, "symbol"), line: 1, role: "file" }
  })
  const edges = graph.edges.map(({ from, to, certainty }) => {
    return { from: into.get(from) ?? from, to: into.get(to) ?? to, certainty }
  })
  const nodes = [...boxes, ...graph.nodes.filter(({ id }) => !into.has(id))]
  return { graph: joinGraphs(NO_GRAPH, { nodes, edges, left_out: graph.left_out }), closed }
}
