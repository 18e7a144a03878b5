/** A store, a server that opens it, and a test, with known uses of each other's names. */
export const STORE_FILES: Readonly<Record<string, string>> = {
  "web/store.ts": `/** Opens the store at a path. */
export function openStore(path: string): Store {
  return new Store(path)
}
export class Store {
  close(): void {}
}
`,
  "web/server.ts": `import { openStore as open, Store } from "./store.ts"
export function serve(): void {
  const store = open("x")
  stop(store)
}
function stop(store: Store): void {
  store.close()
}
`,
  "web/store.test.ts": `import { serve } from "./server.ts"
test("serves", () => {
  serve()
})
`,
}
