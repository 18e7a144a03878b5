// Linux stamps files with the time of the last tick, up to 10 ms ago (CONFIG_HZ=100); doubled.
const TICK_MS = 20
// FAT counts in two seconds, HFS+ and old NFS in one: their times have no fraction.
const COARSE_GRAIN_MS = 2000

/**
 * True if something stamped so may have changed after it was looked at, without its time showing it: it was
 * stamped within the clock's grain of the scan, or after it began.
 */
export function isRacy(mtimeMs: number, startedAtMs: number): boolean {
  // Nearly every file: this is asked of all of them.
  if (mtimeMs <= startedAtMs - COARSE_GRAIN_MS) return false
  const grainMs = Math.round(mtimeMs * 1000) % 1_000_000 === 0 ? COARSE_GRAIN_MS : TICK_MS
  return mtimeMs > startedAtMs - grainMs
}
