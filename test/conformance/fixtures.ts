import { type ListToolsResult, type McpServer, ResourceTemplate } from "@modelcontextprotocol/server"
import { z } from "zod"
import { Subscriptions } from "../../src/doors/mcp/resources/serve.ts"
import type { RegisterOffer } from "../../src/doors/mcp/session/session.ts"
import { registerAsking } from "./asking-tools.ts"
import { registerInputTools } from "./input-tools.ts"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
const text = (value: string) => ({ type: "text" as const, text: value })
const image = { type: "image" as const, data: PNG, mimeType: "image/png" }
const resource = (uri: string, mimeType: string, value: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: value },
})

/**
 * The tools, resources and prompts that the conformance suite requires of a server, registered in our
 * protocol layer.
 */
export const offerFixtures: RegisterOffer = (server) => {
  registerContentTools(server)
  registerAsking(server)
  registerInputTools(server)
  registerResources(server)
  registerPrompts(server)
  offerSchemaTool(server)
  new Subscriptions().serve(server)
  server.server.registerCapabilities({ completions: {} })
  server.server.setRequestHandler("completion/complete", ({ params: { argument } }) => {
    const values = ["paris", "park", "party"].filter((value) => value.startsWith(argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
}

function registerContentTools(server: McpServer): void {
  const simple = (name: string, description: string, content: object[]) =>
    server.registerTool(name, { description }, () => ({ content: content as never }))
  simple("test_simple_text", "Text", [text("This is a simple text response for testing.")])
  simple("test_image_content", "An image", [image])
  simple("test_audio_content", "A sound", [{ type: "audio", data: WAV, mimeType: "audio/wav" }])
  simple("test_embedded_resource", "A resource", [
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ])
  simple("test_multiple_content_types", "Several kinds", [
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ])
  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing")
  })
}

function registerResources(server: McpServer): void {
  const read = (uri: string, content: object) => ({ contents: [{ uri, ...content }] as never })
  server.registerResource("text", "test://static-text", { description: "Text" }, ({ href }) =>
    read(href, { mimeType: "text/plain", text: "This is the content of the static text resource." }),
  )
  server.registerResource("binary", "test://static-binary", { description: "Bytes" }, ({ href }) =>
    read(href, { mimeType: "image/png", blob: PNG }),
  )
  server.registerResource("watched", "test://watched-resource", { description: "Watched" }, ({ href }) =>
    read(href, { mimeType: "text/plain", text: "Watched" }),
  )
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "By id" },
    ({ href }, { id }) =>
      read(href, {
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }),
  )
}

function registerPrompts(server: McpServer): void {
  const messages = (...contents: object[]) => ({
    messages: contents.map((content) => ({ role: "user" as const, content: content as never })),
  })
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () =>
    messages(text("This is a simple prompt for testing.")),
  )
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => messages(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      messages(
        resource(resourceUri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ),
  )
  server.registerPrompt("test_prompt_with_image", { description: "With an image" }, () =>
    messages(image, text("Please analyze the image above.")),
  )
}

/** Adds a tool to the SDK's list whose schema has keywords that zod would not write. */
function offerSchemaTool({ server }: McpServer): void {
  type Handlers = Map<string, (request: unknown, extra: unknown) => Promise<ListToolsResult>>
  const list = (server as unknown as { _requestHandlers: Handlers })._requestHandlers.get("tools/list")!
  server.setRequestHandler("tools/list", async (request, extra) => {
    const { tools } = await list(request, extra)
    const tool = {
      name: "json_schema_2020_12_tool",
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object" as const,
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      },
    }
    return { tools: [...tools, tool] }
  })
}
