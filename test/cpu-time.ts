/**
 * Processor time of this process in milliseconds, all its threads together. Tests of bounded work measure this rather
 * than the clock, which also counts what other processes do on a busy machine.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
