import { writeFileSync } from "node:fs"
import { type MineRequest, mineRepository } from "./mine-repository.ts"

export type MineTask = MineRequest & { readonly target: string }

export type MineReport = { readonly base: string; readonly count: number; readonly error: string | null }

declare const self: Worker

self.onmessage = async ({ data: { target, ...request } }: MessageEvent<MineTask>) => {
  try {
    const { base, tasks } = await mineRepository(request)
    writeFileSync(target, tasks.map((task) => `${JSON.stringify(task)}\n`).join(""))
    self.postMessage({ base, count: tasks.length, error: null } satisfies MineReport)
  } catch (error) {
    self.postMessage({ base: "", count: 0, error: String(error) } satisfies MineReport)
  }
}
