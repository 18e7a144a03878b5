import { z } from "zod"
import { AGENT_ACTIONS } from "../../app/memory/actions/actions.ts"
import { AmanError } from "../../base/errors.ts"
import { custom, text } from "../../verbs/fields.ts"
import { MAY_REMOVE, toolResult } from "../render/tool-result.ts"
import description from "./manage.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

const TARGETS = ["status", "log", "knowledge", "repositories", "projects"] as const

const FIELDS = {
  tool: text(100, { text: `${TARGETS.join(", ")}; for help, any tool` }),
  action: text(100, { text: 'What to do; "help": the arguments of the tool' }),
  arguments: custom<Readonly<Record<string, unknown>>>(
    // The properties are examples, because some clients refuse an object without properties.
    {
      type: "object",
      additionalProperties: {},
      properties: { id: { type: "string" }, topic: { type: "string" } },
    },
    { text: "Its other arguments; also taken beside action" },
  ),
}

/** Registers `manage`, which calls the tools that are not listed by default. */
export function registerManage(tools: ToolBox): void {
  const config = {
    title: "Manage memories, index, repositories",
    description,
    usual: ["tool", "action", "arguments"] as const,
    fields: FIELDS,
    isOpen: true,
    outputSchema: z.looseObject({}),
    annotations: MAY_REMOVE,
    hasView: true,
  }
  tools.register("manage", config, async ({ tool, action, arguments: nested, ...beside }, call) => {
    const target = tool?.trim() || targetOf(action)
    const help = action === "help" || target === "manage" ? tools.help(target) : null
    if (help !== null) return { content: [{ type: "text", text: help }], structuredContent: { help } }
    if (action !== "help" && isTarget(target)) {
      const isNamedByAction = tool === undefined && isTarget(action ?? "")
      const rest = action === undefined || isNamedByAction ? {} : { action }
      return tools.call(target, { ...rest, ...beside, ...nested }, call)
    }
    return toolResult(() => {
      throw new AmanError("USAGE", `manage does not know the tool ${JSON.stringify(target)}`, {
        hint: `tools are ${TARGETS.join(", ")}; others are called by themselves`,
      })
    })
  })
}

function isTarget(name: string): name is (typeof TARGETS)[number] {
  return TARGETS.some((target) => target === name)
}

/** The tool to which an action belongs, for a call that names no tool. The action may itself be a tool's name. */
function targetOf(action: string | undefined): string {
  if (action === undefined || action === "help") return "manage"
  if (isTarget(action) || !AGENT_ACTIONS.some((each) => each === action)) return action
  return "knowledge"
}
