import { isCompiled } from "../../src/base/index.ts"
import { EXIT } from "../../src/doors/index.ts"

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
      ["worker", ["worker"]],
      ["server", ["serve", "--port", `${port}`]],
    ] as const
  ).map(([name, args]) => {
    const child = Bun.spawn([...ownCommand(), "team", ...args], {
      // In a session of its own, a process gets no Ctrl-C from the terminal, only the signal from here.
      ...{ env, stdin: "ignore", stdout: "pipe", stderr: "inherit", detached: true },
      // A process whose channel closes ends itself.
      ipc: () => {},
    })
    return { name, child, shown: showLines(child.stdout, say) }
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
  for (const { child } of parts) child.kill("SIGTERM")
  const ended = Promise.all(parts.map(({ child }) => child.exited))
  await Promise.race([ended, Bun.sleep(END_MS)])
  for (const { child } of parts) child.kill("SIGKILL")
  await ended
  await Promise.all(parts.map(({ shown }) => shown))
  return first === null ? EXIT.ok : EXIT.failure
}

/** The command line of this program; a development run is that of its first file. */
function ownCommand(): string[] {
  return isCompiled() ? [process.execPath] : [process.execPath, Bun.main]
}

async function showLines(stream: ReadableStream<Uint8Array>, say: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const part of stream) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = lines.pop()!
    for (const line of lines) say(line)
  }
}
