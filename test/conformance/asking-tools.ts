import type { McpServer, ServerContext } from "@modelcontextprotocol/server"
import { z } from "zod"

const PAUSE_MS = 50
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] })

/** The suite's tools that send messages to the client before they answer. */
export function registerAsking(server: McpServer): void {
  server.registerTool("test_tool_with_logging", { description: "Logs" }, async (call) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await call.mcpReq.notify({ method: "notifications/message", params: { level: "info", data } })
      await Bun.sleep(PAUSE_MS)
    }
    return text("logged")
  })
  server.registerTool("test_tool_with_progress", { description: "Progresses" }, async (call) => {
    for (const progress of [0, 50, 100]) {
      await tellProgress(call, progress)
      await Bun.sleep(PAUSE_MS)
    }
    return text("done")
  })
  server.registerTool("test_reconnection", { description: "Closes its stream" }, async (call) => {
    call.http?.closeSSE?.()
    await Bun.sleep(PAUSE_MS)
    return text("Reconnection test completed")
  })
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, call) => {
      const content = { type: "text" as const, text: prompt }
      const params = { messages: [{ role: "user" as const, content }], maxTokens: 100 }
      const answer = await server.server.createMessage(params, { relatedRequestId: call.mcpReq.id })
      return text(`LLM response: ${"text" in answer.content ? answer.content.text : ""}`)
    },
  )
  registerElicitation(server)
}

async function tellProgress({ mcpReq: { _meta, notify } }: ServerContext, progress: number): Promise<void> {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return
  const params = { progressToken, progress, total: 100 }
  await notify({ method: "notifications/progress", params })
}

function registerElicitation(server: McpServer): void {
  const ask = async (message: string, properties: object, required: string[], call: ServerContext) => {
    const requestedSchema = { type: "object" as const, properties: properties as never, required }
    const options = { relatedRequestId: call.mcpReq.id }
    return server.server.elicitInput({ mode: "form", message, requestedSchema }, options)
  }
  server.registerTool(
    "test_elicitation",
    { description: "Asks the person", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, call) => {
      const properties = {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      }
      const { action, content } = await ask(message, properties, ["username", "email"], call)
      return text(`User response: action: ${action}, content: ${JSON.stringify(content)}`)
    },
  )
  const completed = async (properties: object, call: ServerContext) => {
    const { action, content } = await ask("Please fill this in", properties, [], call)
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
  }
  server.registerTool("test_elicitation_sep1034_defaults", { description: "Defaults" }, (call) =>
    completed(
      {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
      call,
    ),
  )
  const options = ["option1", "option2", "option3"]
  const titled = (key: string) =>
    [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${["First", "Second", "Third"][n - 1]} ${key}` }))
  server.registerTool("test_elicitation_sep1330_enums", { description: "Choices" }, (call) =>
    completed(
      {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled("Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
      },
      call,
    ),
  )
}
