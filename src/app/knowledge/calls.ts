import type { EntryFilter, RelationRequest, RememberRequest } from "./requests.ts"

/**
 * What can be done with what is known, beside remembering and recalling; the doors turn words and arguments into it.
 */
export type KnowledgeCall =
  | { readonly action: "get"; readonly ids: readonly string[] }
  | (Page &
      EntryFilter & {
        readonly action: "list"
        readonly known_at?: string | undefined
        /** Only what was deleted. */
        readonly deleted?: boolean | undefined
      })
  /** One topic's entries in their order. */
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
      /** All of it. */
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
  | (Forced & RelationRequest & { readonly action: "relate" })
  | (RelationRequest & { readonly action: "unrelate" })
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
  /** Topics, entities, or entries into one with a text of its own. */
  | { readonly action: "merge"; readonly from: string; readonly into: string }
  | (Forced & { readonly action: "merge-entries"; readonly ids: readonly string[]; readonly text: string })
  | (Forced & { readonly action: "rename"; readonly topic: string; readonly to: string })
  | { readonly action: "stale"; readonly topic?: string | undefined }
  /** Look again at what an entry speaks of; with `accept` what is there now counts as seen. */
  | { readonly action: "refresh"; readonly ids: readonly string[]; readonly accept?: boolean | undefined }
  | ({
      readonly action: "export"
      readonly path?: string | undefined
      readonly format?: string | undefined
      readonly overwrite?: boolean | undefined
      readonly with_paths?: boolean | undefined
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

  /** Projects with what they are known by; linking this folder to one; deriving all anew from the log. */
  | { readonly action: "projects" }
  | { readonly action: "link"; readonly to: string }
  | { readonly action: "rebuild" }
  /** Whether the project's knowledge is kept in step with its `.aman-memory/`; and doing so, both ways. */
  | { readonly action: "share"; readonly how?: string | undefined; readonly dry_run?: boolean | undefined }
  | {
      readonly action: "sync"
      readonly dry_run?: boolean | undefined
      readonly accept_purges?: boolean | undefined
    }

/** What looks like a credential is stored all the same. */
type Forced = { readonly force?: boolean | undefined }

export type Direction = "outgoing" | "incoming" | "both"

/** Where a person works: what they name may lie anywhere. Never an argument of an agent. */
type FromPerson = { readonly cwd?: string | undefined }

type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }

/** Plain data for programs, and the same in words. */
export type KnowledgeAnswer = { readonly data: object; readonly text: string; readonly found: boolean }
