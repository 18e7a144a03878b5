/** The answer of an action, as data for programs and as text. */
export type KnowledgeAnswer = {
  readonly data: object
  readonly text: string
  readonly found: boolean
  /** True if a recovery lost something, or cannot say whether it did. */
  readonly hasLosses?: boolean
}

/** `force`: accept text that looks like a credential. */
export type ForceOption = { readonly force?: boolean | undefined }

export type PageOptions = { readonly limit?: number | undefined; readonly offset?: number | undefined }
