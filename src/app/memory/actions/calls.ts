import type { NewRelation } from "../../../memory/entries/new-entry.ts"
import type { EntryFilter, RememberRequest } from "../requests.ts"

/**
 * An action on the memory other than remember and recall; command line and MCP server build it from
 * arguments.
 */
export type KnowledgeCall =
  | { readonly action: "get"; readonly ids: readonly string[] }
  | (Page &
      EntryFilter & {
        readonly action: "list"
        readonly known_at?: string | undefined
        /** True: only deleted entries. */
        readonly deleted?: boolean | undefined
      })
  /** Entries of one topic, in order. */
  | (Page & { readonly action: "entries"; readonly topic: string; readonly match?: string | undefined })
  | (Forced &
      Partial<RememberRequest> & {
        readonly action: "revise"
        readonly id: string
        readonly reason?: string | undefined
      })
  | (Forced & { readonly action: "append"; readonly id: string; readonly text: string })
  | (Forced & {
      readonly action: "tag" | "untag"
      readonly ids: readonly string[]
      readonly tags: readonly string[]
    })
  | {
      readonly action: "delete"
      readonly ids?: readonly string[]
      /** Applies to all entries of this topic. */
      readonly topic?: string | undefined
      readonly reason?: string | undefined
    }
  | { readonly action: "restore" | "purge"; readonly ids: readonly string[] }
  | {
      readonly action: "invalidate"
      readonly id: string
      readonly reason?: string | undefined
      readonly successor?: string | undefined
      readonly at?: string | undefined
    }
  | { readonly action: "history"; readonly id: string }
  | { readonly action: "changes"; readonly since: string; readonly limit?: number | undefined }
  | { readonly action: "xref"; readonly topic: string }
  | (EntryFilter & { readonly action: "tags" | "topics" | "digest" | "stats" })
  | { readonly action: "sessions"; readonly limit?: number | undefined }
  | (Page & {
      readonly action: "entities"
      readonly match?: string | undefined
      readonly type?: string | undefined
    })
  | (Forced & {
      readonly action: "entity"
      readonly name: string
      readonly type?: string | undefined
      readonly description?: string | undefined
      readonly aliases?: readonly string[] | undefined
      readonly global?: boolean | undefined
    })
  | { readonly action: "merge-entities"; readonly from: string; readonly into: string }
  | { readonly action: "delete-entity"; readonly name: string }
  | (Forced & NewRelation & { readonly action: "relate" })
  | (NewRelation & { readonly action: "unrelate" })
  | {
      readonly action: "related"
      readonly entity: string
      readonly depth?: number | undefined
      readonly direction?: Direction | undefined
      readonly types?: readonly string[] | undefined
    }
  | { readonly action: "path"; readonly from: string; readonly to: string }
  | { readonly action: "communities" }
  | {
      readonly action: "reconstruct"
      readonly query: string
      readonly max_tokens?: number | undefined
    }
  | (EntryFilter & { readonly action: "timeline"; readonly around?: string | undefined } & Page)
  | (EntryFilter & {
      readonly action: "recent"
      readonly days?: number | undefined
      readonly hours?: number | undefined
    } & Page)
  | { readonly action: "prune"; readonly days?: number | undefined }
  | { readonly action: "compact"; readonly topic?: string | undefined }
  /** Merges topics or entities; `merge-entries` merges entries into a new one with `text`. */
  | { readonly action: "merge"; readonly from: string; readonly into: string }
  | (Forced & { readonly action: "merge-entries"; readonly ids: readonly string[]; readonly text: string })
  | (Forced & { readonly action: "rename"; readonly topic: string; readonly to: string })
  | { readonly action: "stale"; readonly topic?: string | undefined }
  /** Checks the source of entries again; with `accept` the current lines are confirmed. */
  | { readonly action: "refresh"; readonly ids: readonly string[]; readonly accept?: boolean | undefined }
  | ({
      readonly action: "export"
      readonly path?: string | undefined
      readonly format?: string | undefined
      readonly overwrite?: boolean | undefined
      readonly with_paths?: boolean | undefined
      /** Include deleted entries; only for JSON Lines. */
      readonly with_deleted?: boolean | undefined
      /** A full backup: every project, all revisions, deleted entries. Not available to agents. */
      readonly everything?: boolean | undefined
    } & FromPerson &
      EntryFilter)
  | (FromPerson & {
      readonly action: "import"
      readonly path: string
      readonly format?: string | undefined
      readonly dry_run?: boolean | undefined
      readonly delete_missing?: boolean | undefined
      readonly force?: boolean | undefined
      readonly skip_bad?: boolean | undefined
    })

  /** Lists projects with their marks; links this folder to a project; rebuilds the tables from the log. */
  | { readonly action: "projects" }
  | { readonly action: "link"; readonly to: string }
  | { readonly action: "rebuild" }
  /** Turns sharing through `.aman-memory/` on or off; synchronises in both directions. */
  | { readonly action: "share"; readonly how?: string | undefined; readonly dry_run?: boolean | undefined }
  | {
      readonly action: "sync"
      /** Receive only these changes. */
      readonly ids?: readonly string[] | undefined
      /** A person has reviewed the changes and accepts them. */
      readonly accept?: boolean | undefined
      /** `digest` of the changes that the person has reviewed. */
      readonly seen?: string | undefined
      readonly trust?: boolean | undefined
      readonly dry_run?: boolean | undefined
      readonly accept_purges?: boolean | undefined
    }

/** `force`: accept text that looks like a credential. */
type Forced = { readonly force?: boolean | undefined }

export type Direction = "outgoing" | "incoming" | "both"

/** Working folder of a person, whose paths may be anywhere. Absent in calls of agents. */
type FromPerson = { readonly cwd?: string | undefined }

type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }

/** The answer as data for programs and as text. */
export type KnowledgeAnswer = { readonly data: object; readonly text: string; readonly found: boolean }
