import { writeFileSync } from "node:fs"
import { join } from "node:path"

const WORKER = join(import.meta.dir, "..", "src/index/pipeline/worker.ts")

/**
 * Starts workers like those of the program, except that they throw an error for any batch that contains the file
 * `fatal`.
 */
export function mortalWorker(folder: string, fatal: string): () => Worker {
  return workerThat('throw new Error("died of it")', join(folder, "mortal.ts"), fatal)
}

/**
 * Like mortalWorker, but instead of throwing, the worker reports the files before `fatal` as done and then
 * never ends.
 */
export function stallingWorker(folder: string, fatal: string): () => Worker {
  const before = "event.data.files.findIndex((file) => file.path === fatal)"
  return workerThat(
    `self.postMessage({ progress: ${before} }); for (;;) {}`,
    join(folder, "stalling.ts"),
    fatal,
  )
}

function workerThat(fails: string, path: string, fatal: string): () => Worker {
  writeFileSync(
    path,
    `import ${JSON.stringify(WORKER)}
     const work = self.onmessage
     const fatal = ${JSON.stringify(fatal)}
     self.onmessage = (event) => {
       if (event.data.kind === "parse" && event.data.files.some((file) => file.path === fatal)) { ${fails} }
       return work(event)
     }`,
  )
  return () => new Worker(path, { type: "module" })
}
