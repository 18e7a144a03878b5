/** Whether what looks like a credential is stored all the same, as options of the store. */
export function forceOf({ force = false }: { readonly force?: boolean | undefined }): {
  readonly force: boolean
} {
  return { force }
}
