import type { LentModule } from "./messages.ts"

/** Compiles the modules of parsers once for all workers of a pool. */
export class LentModules {
  readonly #compiled = new Map<string, Promise<WebAssembly.Module | null>>()

  async lend(key: string, worker: Worker): Promise<void> {
    const compiled = this.#compiled.get(key) ?? compile(key)
    this.#compiled.set(key, compiled)
    const reply: LentModule = { key, module: await compiled }
    try {
      worker.postMessage(reply)
    } catch {
      // It has ended meanwhile.
    }
  }

  /** What no worker holds can be given back. */
  forget(): void {
    this.#compiled.clear()
  }
}

/** Null where it fails: the worker tries by itself then, and says of which file why. */
async function compile(key: string): Promise<WebAssembly.Module | null> {
  try {
    const { compileModule } = await import("../code/compiled-modules.ts")
    return await compileModule(key)
  } catch {
    return null
  }
}
