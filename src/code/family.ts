const FAMILIES: Readonly<Record<string, string>> = {
  javascript: "js",
  typescript: "js",
  tsx: "js",
  vue: "js",
  svelte: "js",
  html: "js",
  c: "c",
  cpp: "c",
  "objective-c": "c",
  java: "jvm",
  kotlin: "jvm",
  scala: "jvm",
}

/** Languages whose code names each other's definitions. */
export function familyOf(language: string): string {
  return FAMILIES[language] ?? language
}

/** Where a name of another file has to be imported by its name before it stands alone. */
export function importsNames(family: string): boolean {
  return family === "js" || family === "python" || family === "rust"
}

/** Where a method is called without what it belongs to. */
export function hasImplicitThis(family: string): boolean {
  return /^(?:jvm|c|csharp|ruby|swift|dart)$/.test(family)
}

/** Where files of one folder see each other's names. */
export function sharesFolder(family: string): boolean {
  return /^(?:go|jvm|swift|csharp|php|dart|terraform)$/.test(family)
}
