import { html } from "htm/preact"
import type {
  DefinitionAnswer,
  ReferenceAnswer,
  SymbolAnswer,
} from "../../../src/symbols/answer/symbol-answer.ts"
import { fetchJson, live } from "./api.ts"
import { Failure, Notices, Path, plural, useLoaded } from "./parts.ts"
import { linkTo } from "./route.ts"

/** Number of uses that are asked for, the most that the server gives. */
const LIMIT = 500

type Place = { readonly path: string; readonly line: number; readonly repository?: string | undefined }

/** Where a name on a line is defined and used, and how certain each is; links lead to the places. */
export function NameUses({ path, line, name, repository }: Place & { name: string }) {
  const { data, error } = useLoaded(
    (abort) => {
      const asked = { name, path: `${path}:${line}`, repository, relation: "references", limit: LIMIT }
      return fetchJson<SymbolAnswer>("symbol", asked, abort)
    },
    [path, line, name, repository, live.value?.version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Following the name…</p>`
  const { definitions, references, unresolved, total, notices } = data
  const [defined] = definitions
  const isHere = (at: Place) => at.path === path && at.line === line
  const own = [...references, ...unresolved.places].find(isHere)?.certainty
  const isDefinedHere = definitions.some((each) => isHere({ path: each.path, line: each.start_line }))
  return html`<div class="paths" tabindex="0" aria-label="Definitions and uses">
    <${Definitions} definitions=${definitions} certainty=${own ?? (isDefinedHere ? "certain" : undefined)} />
    <h2>${plural(total, "use")}${defined && !repository && html` · <a href=${linkTo("map", { impact: defined.name, path: defined.path })}>What may break</a>`}</h2>
    <ul>${references.map(useItem)}</ul>
    ${unresolved.total > 0 && html`<h2>May mean something else: ${unresolved.total}</h2><ul>${unresolved.places.map(useItem)}</ul>`}
    <${Notices} notices=${notices} /></div>`
}

type DefinitionsProps = {
  readonly definitions: readonly DefinitionAnswer[]
  readonly certainty: ReferenceAnswer["certainty"] | undefined
}

function Definitions({ definitions, certainty }: DefinitionsProps) {
  return html`<h2>Defined</h2><ul>${definitions.map(
    ({ path, start_line: line, signature, kind, repository }) =>
      html`<li><${PlaceLink} path=${path} line=${line} repository=${repository} /> <code>${signature}</code> <span class="facts">${kind}${certainty && ` · ${certainty}`}</span></li>`,
  )}</ul>`
}

function useItem({ path, line, text, within, certainty, repository }: ReferenceAnswer) {
  return html`<li key=${`${path}:${line}`}><${PlaceLink} path=${path} line=${line} repository=${repository} /> <code>${text.trim()}</code>${" "}<span class="facts">${within !== null && `in ${within} · `}${certainty}</span></li>`
}

function PlaceLink({ path, line, repository }: Place) {
  return html`<a href=${linkTo("file", { path, repository, line: String(line) })}><${Path} path=${path} /><span class="at">:${line}</span></a>`
}
