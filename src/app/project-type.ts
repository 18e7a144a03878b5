export function describeProject(_: unknown): { projectTypes: string[]; sourceFolders: string[] } {
  return { projectTypes: [], sourceFolders: [] }
}
