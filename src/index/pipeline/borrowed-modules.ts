import { compileModule, takeModulesFrom } from "../../code/parse/compiled-modules.ts"
import type { LentModule } from "./messages.ts"

const waiting = new Map<string, (module: WebAssembly.Module | null) => void>()

/**
 * Makes this thread request its parser modules from the main thread; each arrives through `receiveModule`.
 */
export function borrowModules(ask: (key: string) => void): void {
  takeModulesFrom(async (key) => {
    const lent = new Promise<WebAssembly.Module | null>((resolve) => waiting.set(key, resolve))
    ask(key)
    return (await lent) ?? compileModule(key)
  })
}

export function receiveModule({ key, module }: LentModule): void {
  waiting.get(key)?.(module)
  waiting.delete(key)
}
