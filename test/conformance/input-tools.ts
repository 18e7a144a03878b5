import {
  type CallToolResult,
  inputRequired,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { senderOf } from "../../src/doors/mcp/session/session.ts"

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] })
const ask = (message: string, name: string) =>
  inputRequired.elicit({
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { [name]: { type: "string" } }, required: [name] },
  })
const sample = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens: 100,
  })

const SEALED = "sealed"

type Requests = Parameters<typeof inputRequired>[0]

/** The suite's tools and prompt of version 2026-07-28 that ask the client with `input_required`. */
export function registerInputTools(server: McpServer): void {
  const register = (name: string, answer: (call: ServerContext) => object) =>
    server.registerTool(name, { description: "Asks with input_required" }, (call) => answer(call) as never)
  /** A tool that asks for all of `requests` and then answers with what it got. */
  const asking = (name: string, requests: Requests) =>
    register(name, ({ mcpReq: { inputResponses } }) => {
      const isAnswered = Object.keys(requests.inputRequests ?? {}).every(
        (key) => inputResponses?.[key] !== undefined,
      )
      if (!isAnswered) return inputRequired(requests)
      return text(`state-ok: ${JSON.stringify(inputResponses)}`)
    })
  const roots = inputRequired.listRoots()
  const confirm = ask("Please confirm", "ok")
  asking("test_input_required_result_elicitation", {
    inputRequests: { user_name: ask("What is your name?", "name") },
  })
  asking("test_input_required_result_sampling", {
    inputRequests: { capital_question: sample("What is the capital of France?") },
  })
  asking("test_input_required_result_list_roots", { inputRequests: { client_roots: roots } })
  asking("test_input_required_result_request_state", { inputRequests: { confirm }, requestState: "first" })
  asking("test_input_required_result_tampered_state", { inputRequests: { confirm }, requestState: SEALED })
  asking("test_input_required_result_multiple_inputs", {
    inputRequests: {
      user_name: ask("What is your name?", "name"),
      greeting: sample("Generate a greeting"),
      client_roots: roots,
    },
    requestState: "all",
  })
  asking("test_streaming_elicitation", { inputRequests: { confirm } })
  register("test_input_required_result_multi_round", ({ mcpReq: { inputResponses, requestState } }) => {
    if (inputResponses === undefined)
      return inputRequired({
        inputRequests: { step1: ask("Step 1: What is your name?", "name") },
        requestState: "1",
      })
    if (requestState() === "1")
      return inputRequired({
        inputRequests: { step2: ask("Step 2: What is your favorite color?", "color") },
        requestState: "2",
      })
    return text("done")
  })
  register("test_input_required_result_capabilities", (call) => {
    const { capabilities } = senderOf(call)
    return inputRequired({
      inputRequests: {
        ...(capabilities?.elicitation && { user_name: ask("What is your name?", "name") }),
        ...(capabilities?.sampling && { question: sample("What is the capital of France?") }),
      },
    })
  })
  register("test_missing_capability", () => text("sampled"))
  register("test_logging_tool", async ({ mcpReq }: ServerContext) => {
    await mcpReq.log("info", "logged")
    return text("logged")
  })
  refuseBefore(server)
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks" }, ({ mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? inputRequired({
          inputRequests: { user_context: ask("What context should the prompt use?", "context") },
        })
      : { messages: [{ role: "user", content: { type: "text", text: "With the context" } }] },
  )
}

/** Refuses calls of two tools with errors of the protocol, which a registered tool would return as its answer. */
function refuseBefore({ server }: McpServer): void {
  type Handler = (request: unknown, call: ServerContext) => Promise<CallToolResult>
  const handlers = (server as unknown as { _requestHandlers: Map<string, Handler> })._requestHandlers
  const answer = handlers.get("tools/call")!
  server.setRequestHandler("tools/call", (request, call) => {
    const { name } = request.params
    if (name === "test_missing_capability" && senderOf(call).capabilities?.sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    const { inputResponses, requestState } = call.mcpReq
    const isChanged = inputResponses !== undefined && requestState() !== SEALED
    if (name === "test_input_required_result_tampered_state" && isChanged)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "the request's state was changed")
    return answer(request, call)
  })
}
