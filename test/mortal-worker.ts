import { writeFileSync } from "node:fs"
import { join } from "node:path"

const WORKER = join(import.meta.dir, "..", "src", "indexing", "worker.ts")

/** Starts workers that do what ours do, and die of any batch that holds a file of this name. */
export function mortalWorker(folder: string, fatal: string): () => Worker {
  const path = join(folder, "mortal.ts")
  writeFileSync(
    path,
    `import ${JSON.stringify(WORKER)}
     const work = self.onmessage
     self.onmessage = (event) => {
       if (event.data.kind === "parse" && event.data.files.some((file) => file.path === ${JSON.stringify(fatal)}))
         throw new Error("died of it")
       return work(event)
     }`,
  )
  return () => new Worker(path, { type: "module" })
}
