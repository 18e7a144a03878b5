import { compileModule, takeModulesFrom } from "../code/compiled-modules.ts"
import type { LentModule } from "./messages.ts"

const waiting = new Map<string, (module: WebAssembly.Module | null) => void>()

/** Has this thread ask for the modules that it parses with; each asked for comes back through `receiveModule`. */
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
