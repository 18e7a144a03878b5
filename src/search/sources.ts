import { AmanError } from "../base/errors.ts"
import type { Embedder } from "../embed/port.ts"
import type { QueryVector } from "../embed/query-vectors.ts"
import type { KeywordIndex } from "../keyword/keyword-index.ts"
import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import type { VectorIndex } from "../vector/port.ts"
import type { KeywordWeights } from "./classify.ts"
import type { FileFacts } from "./file-facts.ts"
import type { FileFilter } from "./filter.ts"
import type { Likeness } from "./like.ts"
import type { PhraseCheck, ReadText } from "./phrases.ts"

/** What a search reads: one state of one index. */
export type SearchSources = {
  readonly store: Store
  readonly keyword: Pick<KeywordIndex, "query" | "holders" | "someHolders" | "estimate">
  /** Null where there are no vectors yet, or none are wanted. */
  readonly vectors: VectorIndex | null
  readonly embedder: Embedder
  /** The space beside the built-in one, where it is whole and wanted. */
  readonly other?: OtherSource | null
  readonly facts: FileFacts
  /** Throws SourcesTouched where files that this reads from were altered since: for who waited for something. */
  readonly afterWait?: () => void
}

/** What is mapped must not be read any more, for it may be cut: take the sources anew. */
export class SourcesTouched extends AmanError {
  constructor() {
    super("INDEX_BUSY", "files of the index were altered while a question waited", { hint: "ask again" })
  }
}

export type OtherSource = {
  readonly vectors: VectorIndex
  readonly embedQuery: (text: string) => Promise<QueryVector>
}

/** Embeds queries for a space beside the built-in one; null where the settings do not want that space. */
export type AskOther = (space: SpaceRow) => OtherSource["embedQuery"] | null

export type SearchOptions = {
  /** Files to return, and how many better ones to pass over. */
  readonly limit: number
  readonly offset?: number | undefined
  readonly mode: "hybrid" | "keyword" | "semantic"
  readonly filter: FileFilter
  /** Where in the project the user stands; "" at its top. */
  readonly folder: string
  readonly explain: boolean
  /** Names the query asks for besides those in its text. */
  readonly names?: readonly string[]
  readonly phrases?: PhraseCheck | null
  /** Reads what may say the query word for word. */
  readonly readText?: ReadText
  /** Whatever passes the filter is looked at, though none of the query's words is known to be in it. */
  readonly everyFile?: boolean
  /** A place to find others like. */
  readonly likeness?: Likeness | null
  /** Other weights of the channels than the seed's, and another damping of their fusion. */
  readonly weights?: KeywordWeights
  readonly rrfK?: number
  /** Called between the steps of a search; throws where the answer is not wanted any more. */
  readonly check?: () => void
}
