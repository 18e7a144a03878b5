/**
 * doors: arguments in, one verb, text or JSON out.
 *
 * `cli` is the command line, `mcp` the protocol of agents (stdio and HTTP), `hooks` answers the events of agents, `setup`
 * edits their settings, `doctor` checks what a person would look at first.
 *
 * Rules: stdout belongs to the protocol in `serve`; a hook exits with 0 whatever happens; a command loads only what it
 * needs, which is why most of this room is loaded when first called.
 */

export { type Command, EXIT, type Flag, type FlagValues, type Input } from "./cli/command.ts"
export { PARSING } from "./cli/commands.ts"
export { numberFlag, standardInput, subcommand } from "./cli/flags.ts"
export { bytes, plural, printableLine } from "./cli/text.ts"
export { messagesIn, refusal } from "./mcp/http/responses.ts"
export { registerContext, registerRead, registerSymbol } from "./mcp/tools/code.ts"
export { registerSearch } from "./mcp/tools/search.ts"
export { ToolBox, type ToolSession } from "./mcp/tools/tool-box.ts"
export { withArguments } from "./mcp/transports/gate.ts"
export { CONTEXT, RANKED_MODES, READ, SEARCH, SYMBOL, searchRequest } from "./verbs/code.ts"
export {
  type ArgumentsOf,
  choice,
  type Fields,
  fromBody,
  fromQuery,
  pick,
  required,
  text,
  toggle,
  valuesProblem,
  whole,
  without,
} from "./verbs/fields.ts"
export { CALL, RECALL } from "./verbs/memory.ts"

// Loaded when first needed, so that a command starts fast.
export const loadClients = () => import("./setup/clients/clients.ts")
export const loadCommandsModule = () => import("./cli/commands.ts")
export const loadFlags = () => import("./cli/flags.ts")
export const loadHelp = () => import("./cli/help.ts")
export const loadOffer = () => import("./mcp/offer.ts")
export const loadReport = () => import("./cli/commands/report.ts")
export const loadRun = () => import("./cli/run.ts")
export const loadRunHook = () => import("./hooks/run-hook.ts")
export const loadSearchCommand = () => import("./cli/commands/search.ts")
export const loadServeHttp = () => import("./mcp/http/serve-http.ts")
export const loadServeStdio = () => import("./mcp/session/serve-stdio.ts")
export const loadSetup = () => import("./setup/setup.ts")
export const loadSetupJson = () => import("./setup/setup-json.ts")
export const loadTryHooks = () => import("./hooks/try-hooks.ts")
