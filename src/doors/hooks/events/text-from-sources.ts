import type { HookCall } from "../agents/hook-call.ts"
import type { Clock } from "../hook-sources.ts"
import { HookSources } from "../hook-sources.ts"
import { HookPage, TOOL_TOKENS } from "../page.ts"
import type { SessionLog } from "../session-log.ts"
import { HOW_TO_KEEP, isCheck, noteFixed, passesAgain } from "./after-tool.ts"
import { beforeTool } from "./before-tool.ts"
import { promptSubmit } from "./prompt-submit.ts"
import { sessionStart } from "./session-start.ts"
import { noteMentioned, unmentionedFix } from "./stop.ts"
import { subagentStart } from "./subagent-start.ts"

/** The hook's text for a call, from notes and index; null if none. */
export async function textFromSources(
  call: HookCall,
  session: SessionLog,
  clock: Clock,
): Promise<string | null> {
  using sources = new HookSources(call.cwd || process.cwd(), clock)
  if (!sources.config.hooks.isEnabled) return null
  const text = await textOf(call, sources, session)
  if (sources.config.ui.recordsCalls && !sources.isTrial) {
    const { recordHook } = await import("../../mcp/tools/record.ts")
    await recordHook(call, sources, text)
  }
  return text
}

async function textOf(call: HookCall, sources: HookSources, session: SessionLog): Promise<string | null> {
  switch (call.event) {
    case "session-start":
      return await sessionStart(call, sources, session)
    case "prompt-submit":
      return await promptSubmit(call, sources, session)
    case "pre-tool-use":
      return await beforeTool(call, sources, session)
    case "post-tool-use":
      return isCheck(call) ? passing(call, sources, session) : await beforeTool(call, sources, session)
    case "stop":
      return nothingKept(sources, session)
    case "subagent-start":
      return subagentStart(sources)
  }
}

function passing(call: HookCall, sources: HookSources, session: SessionLog): string | null {
  const name = passesAgain(call, session)
  if (name === null || !noteFixed(session, name, sources.lastEvent)) return null
  return paragraph([`\`${name}\` failed earlier in this session and passes now.`, ...HOW_TO_KEEP])
}

/** Minimum time between two texts at the end of a turn. */
const STOP_INTERVAL_MS = 120_000

/**
 * Text at the end of a turn; null if there is none. The text makes the agent continue for another turn. Therefore it
 * is given once, and only if the agent stored no memory about a fixed build or test.
 */
function nothingKept(sources: HookSources, session: SessionLog): string | null {
  const fixed = unmentionedFix(session, sources.now.getTime(), STOP_INTERVAL_MS)
  if (fixed === null || sources.lastEvent > fixed.event || !noteMentioned(session)) return null
  return paragraph([
    `In this session \`${fixed.name}\` failed and passes now; nothing was remembered since.`,
    ...HOW_TO_KEEP,
    "Otherwise nothing needs to be done.",
  ])
}

function paragraph(lines: readonly string[]): string | null {
  const page = new HookPage(TOOL_TOKENS)
  page.add(lines)
  return page.text
}
