import { html } from "htm/preact"
import { render } from "preact"
import { useState } from "preact/hooks"
import type { MapData } from "./map-types.ts"
import { MapView } from "./map-view.ts"
import "../style.css"

/** The map in a file of its own: everything it shows is in the file. */
function ExportedMap({ name, map, uses, marks, changes, impact }: MapData) {
  const [at, choose] = useState(decodeURIComponent(location.hash.slice(1)))
  const { since, symbol } = marks
  const choosing = (path: string) => {
    history.replaceState(null, "", `#${encodeURIComponent(path)}`)
    choose(path)
  }
  return html`<main class="wide"><h1>${name}${since !== undefined && `, changes since ${since}`}${symbol !== undefined && `, impact of ${symbol}`}</h1>
    <${MapView} map=${map} uses=${uses} changes=${changes} impact=${impact} at=${at} choose=${choosing} linkTo=${null} /></main>`
}

const data = JSON.parse(document.querySelector("#data")!.textContent!) as MapData
document.title = `${data.name}: code map`
render(html`<${ExportedMap} ...${data} />`, document.body)
