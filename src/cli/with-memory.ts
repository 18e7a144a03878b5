import type { Memory } from "../app/knowledge/memory.ts"
import type { Input } from "./command.ts"

/** Opens the knowledge as it is seen from the project that the flags name, and closes it. */
export async function withMemory<T>(input: Input, use: (memory: Memory) => Promise<T>): Promise<T> {
  const { openMemory } = await import("../app/knowledge/memory.ts")
  using memory = await openMemory({ cwd: input.cwd, root: input.flags.text("root") })
  return await use(memory)
}
