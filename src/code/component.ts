import type { CodeSymbol } from "./parsed-file.ts"
import { isBlankRow, type TextLines } from "./text-lines.ts"

/** The component that a Vue or Svelte file is, named as the file; `index` is named as its folder. */
export function componentOf(path: string, lines: TextLines): CodeSymbol {
  let row = 0
  while (row < lines.count - 1 && isBlankRow(lines, row)) row++
  const name = componentName(path)
  return {
    name,
    kind: "component",
    signature: `<${name}>`,
    startLine: row + 1,
    endLine: Math.max(lines.count, row + 1),
    owner: null,
    doc: null,
  }
}

function componentName(path: string): string {
  const [file = "", folder] = path.split("/").reverse()
  // Nuxt's Chart.client.vue is Chart; Chart.test.svelte is not.
  const stem = file.replace(/(?<=.)(?:\.(?:client|server|global|ce))?\.[^.]*$/, "")
  return stem.toLowerCase() === "index" && folder ? folder : stem
}
