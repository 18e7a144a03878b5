/**
 * Resident memory of this process in bytes; 0 if the system cannot tell, for example with too many open
 * files.
 */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return 0
  }
}
