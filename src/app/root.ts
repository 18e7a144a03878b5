import { resolve } from "node:path"
export function findRoot(o: { root?: string | undefined; cwd: string }): { root: string; folder: string } {
  return { root: resolve(o.cwd, o.root ?? "."), folder: "" }
}
