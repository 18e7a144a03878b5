/*
 * The view of search results, symbols and conflicts for hosts that show pages beside an answer (extension MCP Apps,
 * SEP-1865). It is one page for all tools; the host hands it the result of a call.
 */

import type { ClientCapabilities, ReadResourceResult, Tool } from "@modelcontextprotocol/server"

export const VIEW_URI = "ui://aman/view.html"
/** Key in a result's `_meta` for the data of the view. Unlike `structuredContent`, no host shows it to the model. */
export const VIEW_DATA = "aman/view"
const EXTENSION = "io.modelcontextprotocol/ui"
const MIME_TYPE = "text/html;profile=mcp-app"

/** True if a client with these capabilities shows views. */
export function showsViews(capabilities: ClientCapabilities | undefined): boolean {
  const types = capabilities?.extensions?.[EXTENSION]?.["mimeTypes"]
  return Array.isArray(types) && types.includes(MIME_TYPE)
}

/** The definition of a tool whose results the view shows. */
export function withView(tool: Tool): Tool {
  return { ...tool, _meta: { ...tool._meta, ui: { resourceUri: VIEW_URI } } }
}

/** The page as a resource; it may load nothing from anywhere. */
export function viewResource(page: string): ReadResourceResult {
  const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }
  const _meta = { ui: { csp, prefersBorder: true } }
  return { contents: [{ uri: VIEW_URI, mimeType: MIME_TYPE, text: page, _meta }] }
}
