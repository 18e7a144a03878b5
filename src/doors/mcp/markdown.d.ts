/** `import text from "./x.md" with { type: "text" }`: the file's text, embedded by the build. */
declare module "*.md" {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an import of a text file is a default import
  export default text
}
