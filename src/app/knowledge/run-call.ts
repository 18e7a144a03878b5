import type { KnowledgeAnswer, KnowledgeCall } from "./calls.ts"
import { idNamed, ownIdNamed } from "./id-named.ts"
import type { Memory } from "./memory.ts"

/** Does what the call says; an entry may be named by its key, too. */
export async function runCall(memory: Memory, call: KnowledgeCall): Promise<KnowledgeAnswer> {
  return run(memory, withoutKeys(memory, call))
}

const SINGLE = ["id", "successor", "around"] as const
/** What these take away they take by its key only where it is this project's. */
const TAKES_AWAY: ReadonlySet<KnowledgeCall["action"]> = new Set(["delete", "purge"])

type Named = Readonly<Partial<Record<(typeof SINGLE)[number], string>>> & { readonly ids?: readonly string[] }

function withoutKeys(memory: Memory, call: KnowledgeCall): KnowledgeCall {
  const resolved = (name: string) => (TAKES_AWAY.has(call.action) ? ownIdNamed : idNamed)(memory, name)
  const named = call as Named
  const ids = SINGLE.flatMap((field) => {
    const name = named[field]
    return name === undefined ? [] : [[field, resolved(name)]]
  })
  return {
    ...call,
    ...Object.fromEntries(ids),
    ...(named.ids === undefined ? {} : { ids: named.ids.map(resolved) }),
  }
}

/** One file a family of actions, loaded when one of them is asked for. */
async function run(memory: Memory, call: KnowledgeCall): Promise<KnowledgeAnswer> {
  switch (call.action) {
    case "get":
    case "list":
    case "entries":
    case "history":
    case "changes":
    case "sessions":
      return (await import("./calls/read-entries.ts")).readEntries(memory, call)
    case "revise":
    case "append":
    case "tag":
    case "untag":
    case "delete":
    case "restore":
    case "purge":
    case "invalidate":
    case "merge-entries":
      return (await import("./calls/change-entries.ts")).changeEntries(memory, call)
    case "entities":
    case "entity":
    case "merge-entities":
    case "delete-entity":
    case "relate":
    case "unrelate":
    case "related":
    case "path":
    case "communities":
      return (await import("./calls/graph-calls.ts")).graphCalls(memory, call)
    case "stale":
    case "refresh":
      return (await import("./calls/source-calls.ts")).sourceCalls(memory, call)
    case "topics":
    case "tags":
    case "digest":
    case "stats":
    case "xref":
    case "timeline":
    case "recent":
      return (await import("./calls/overview-calls.ts")).overviewCalls(memory, call)
    case "prune":
    case "compact":
    case "merge":
    case "rename":
      return (await import("./calls/upkeep-calls.ts")).upkeepCalls(memory, call)
    case "reconstruct":
      return (await import("./calls/reconstruct-call.ts")).reconstructCall(memory, call)
    case "export":
    case "import":
      return (await import("./calls/exchange-calls.ts")).exchangeCalls(memory, call)
    case "share":
    case "sync":
      return (await import("./calls/share-calls.ts")).shareCalls(memory, call)
    case "projects":
    case "link":
    case "rebuild":
      return (await import("./calls/store-calls.ts")).storeCalls(memory, call)
  }
}
