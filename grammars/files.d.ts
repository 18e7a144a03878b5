/** `import path from "x.wasm" with { type: "file" }`: a real path in development, an embedded one in the binary. */
declare module "*.wasm" {
  const path: string
  // biome-ignore lint/style/noDefaultExport: what such an import is
  export default path
}

declare module "*.zst" {
  const path: string
  // biome-ignore lint/style/noDefaultExport: what such an import is
  export default path
}

declare module "*.scm" {
  const path: string
  // biome-ignore lint/style/noDefaultExport: what such an import is
  export default path
}

declare module "*/THIRD_PARTY_NOTICES" {
  const text: string
  // biome-ignore lint/style/noDefaultExport: what such an import is
  export default text
}

declare module "*.bin" {
  const path: string
  // biome-ignore lint/style/noDefaultExport: what such an import is
  export default path
}
