/** The answer of an action, as data for programs and as text. */
export type KnowledgeAnswer = { readonly data: object; readonly text: string; readonly found: boolean }

/** `force`: accept text that looks like a credential. */
export type Forced = { readonly force?: boolean | undefined }

export type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }
