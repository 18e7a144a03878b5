/** The answer of an action, as data for programs and as text. */
export type KnowledgeAnswer = { readonly data: object; readonly text: string; readonly found: boolean }

/** `force`: accept text that looks like a credential. */
export type ForceOption = { readonly force?: boolean | undefined }

export type PageOptions = { readonly limit?: number | undefined; readonly offset?: number | undefined }
