import { nodeEnvironment } from "../../src/base/index.ts"
import { EXIT } from "../../src/doors/index.ts"
import { eachLine, endOwn, startOwn } from "./own-processes.ts"

type UpOptions = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly port: number
  readonly signal: AbortSignal
  /** Shows a line to the user. */
  readonly say: (line: string) => void
}

/** Time in ms in which the processes end by themselves; this one ends two seconds after a signal. */
const END_MS = 1500

/**
 * Runs a worker and a query node as processes of this one until `signal` is aborted or one of them ends. Then the other one
 * is ended too; a process that ended by itself is named. Both end if this process is killed. The exit code.
 */
export async function runUp({ env, port, signal, say }: UpOptions): Promise<number> {
  const parts = (
    [
      ["worker", ["worker"], env],
      ["server", ["serve", "--port", `${port}`, "--processes", "1"], nodeEnvironment(env)],
    ] as const
  ).map(([name, args, environment]) => {
    const child = startOwn(args, environment)
    return { name, child, shown: eachLine(child, say) }
  })
  const stopped = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener("abort", () => resolve(null), { once: true })
  })
  const first = await Promise.race([
    stopped,
    ...parts.map(async (part) => part.child.exited.then(() => part)),
  ])
  if (first !== null) {
    const { exitCode, signalCode } = first.child
    say(`the ${first.name} ended (${signalCode ?? `exit code ${exitCode}`}), so that everything ends here`)
  }
  await endOwn(
    parts.map(({ child }) => child),
    END_MS,
  )
  await Promise.all(parts.map(({ shown }) => shown))
  return first === null ? EXIT.ok : EXIT.failure
}
