/** `import text from "./x.md" with { type: "text" }`: the file's text, embedded by the build. */
declare module "*.md" {
  const text: string
  // biome-ignore lint/style/noDefaultExport: what such an import is
  export default text
}
