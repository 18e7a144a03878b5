import { ErrorCode, McpError, type ReadResourceResult } from "@modelcontextprotocol/sdk/types.js"
import type { KnowledgeCall } from "../../app/knowledge/calls.ts"
import type { ServedProject } from "../../app/serve-project.ts"
import { AmanError } from "../../base/errors.ts"
import type { Memories } from "../memories.ts"
import type { Session } from "../session.ts"
import { symbolText } from "../symbol-text.ts"
import { type ResourceName, resourceName } from "./uris.ts"

/** The protocol's own: https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling */
const NOT_FOUND = -32002
const MAP_TOKENS = 4000
const MOST_ENTRIES = 100

type Content = { readonly mimeType: string; readonly text: string }

/** What stands at an address; -32002 where nothing does. */
export async function readResource(
  uri: string,
  session: Session,
  memories: Memories,
): Promise<ReadResourceResult> {
  try {
    const content = await session.call(async (project) => {
      const name = resourceName(uri, project.root)
      if (name === null)
        throw new AmanError("NOT_FOUND", `${JSON.stringify(uri)} is no resource of this project`)
      return contentOf(name, project, memories)
    })
    return { contents: [{ uri, ...content }] }
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    const code = error.code === "USAGE" ? ErrorCode.InvalidParams : NOT_FOUND
    throw new McpError(code, error.message, { uri })
  }
}

async function contentOf(name: ResourceName, project: ServedProject, memories: Memories): Promise<Content> {
  switch (name.kind) {
    case "status":
      return json(await project.status())
    case "map": {
      const { mapText } = await import("../../app/map/map-text.ts")
      return markdown(mapText(await project.map(), { tokens: MAP_TOKENS }))
    }
    case "file":
      return fileContent(await project.read({ path: name.path }))
    case "chunk":
      return fileContent(await project.chunk(name.path, name.line))
    case "symbol": {
      const request = { name: name.name, relation: "definition", limit: 50, offset: 0 } as const
      return markdown(symbolText(await project.symbol(request)))
    }
    case "memory":
      return known(memories, { action: "get", ids: [name.id] })
    case "topic":
      return known(memories, { action: "entries", topic: name.topic, limit: MOST_ENTRIES })
  }
}

type Read = Extract<KnowledgeCall, { action: "get" | "entries" }>

async function known(memories: Memories, call: Read): Promise<Content> {
  const { runCall } = await import("../../app/knowledge/run-call.ts")
  const answer = await memories.use((memory) => runCall(memory, call))
  if (!answer.found) throw new AmanError("NOT_FOUND", "nothing is remembered there")
  return markdown(answer.text)
}

function fileContent({ text, language }: { readonly text: string; readonly language: string }): Content {
  return { mimeType: language === "markdown" ? "text/markdown" : "text/plain", text }
}

function markdown(text: string): Content {
  return { mimeType: "text/markdown", text }
}

function json(value: unknown): Content {
  return { mimeType: "application/json", text: JSON.stringify(value, null, 2) }
}
