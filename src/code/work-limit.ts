/**
 * Says whether this thread has worked for longer than `ms` since now. A process that was stopped, or a machine that
 * slept or had no processor to spare, is no reason to give a file up: it would stay so until the file changes.
 */
export function workLimit(ms: number): () => boolean {
  const deadline = performance.now() + ms
  const before = workedMs()
  // The clock is the cheaper to ask, and no thread works longer than time passes.
  return () => performance.now() > deadline && workedMs() - before > ms
}

/** Processor time of this thread. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
