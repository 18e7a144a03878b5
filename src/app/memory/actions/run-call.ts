import { resolveEntryName, resolveOwnEntryName } from "../id-named.ts"
import type { Memory } from "../memory.ts"
import type { KnowledgeAnswer, KnowledgeCall } from "./calls.ts"

/** Runs the call; an entry may be given by its key as well. */
export async function runCall(memory: Memory, call: KnowledgeCall): Promise<KnowledgeAnswer> {
  return run(memory, withoutKeys(memory, call))
}

const SINGLE = ["id", "successor", "around"] as const
/** Actions that remove entries; for these a key selects only an entry of this project. */
const REMOVING: ReadonlySet<KnowledgeCall["action"]> = new Set(["delete", "purge"])

type Named = Readonly<Partial<Record<(typeof SINGLE)[number], string>>> & { readonly ids?: readonly string[] }

function withoutKeys(memory: Memory, call: KnowledgeCall): KnowledgeCall {
  const resolved = (name: string) =>
    (REMOVING.has(call.action) ? resolveOwnEntryName : resolveEntryName)(memory, name)
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

/** Each group of actions has its own file, which is loaded when needed. */
async function run(memory: Memory, call: KnowledgeCall): Promise<KnowledgeAnswer> {
  switch (call.action) {
    case "get":
    case "list":
    case "entries":
    case "history":
    case "changes":
    case "sessions":
      return (await import("./read-entries.ts")).readEntries(memory, call)
    case "revise":
    case "append":
    case "tag":
    case "untag":
    case "delete":
    case "restore":
    case "purge":
    case "invalidate":
    case "merge-entries":
      return (await import("./change-entries.ts")).changeEntries(memory, call)
    case "entities":
    case "entity":
    case "merge-entities":
    case "delete-entity":
    case "relate":
    case "unrelate":
    case "related":
    case "path":
    case "communities":
      return (await import("./graph-calls.ts")).graphCalls(memory, call)
    case "stale":
    case "refresh":
      return (await import("./source-calls.ts")).sourceCalls(memory, call)
    case "topics":
    case "tags":
    case "digest":
    case "stats":
    case "xref":
    case "timeline":
    case "recent":
      return (await import("./overview-calls.ts")).overviewCalls(memory, call)
    case "prune":
    case "compact":
    case "merge":
    case "rename":
      return (await import("./upkeep-calls.ts")).upkeepCalls(memory, call)
    case "reconstruct":
      return (await import("./reconstruct-call.ts")).reconstructCall(memory, call)
    case "export":
    case "import":
      return (await import("./exchange-calls.ts")).exchangeCalls(memory, call)
    case "share":
    case "sync":
      return (await import("./share-calls.ts")).shareCalls(memory, call)
    case "projects":
    case "link":
    case "rebuild":
      return (await import("./store-calls.ts")).storeCalls(memory, call)
  }
}
