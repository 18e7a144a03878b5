/** Indexes of the Int32 values in the memory that a search thread shares with the thread that started it. */
export const SHARED = {
  /** Anything but 0 ends the search soon. */
  cancelled: 0,
  files: 1,
  matches: 2,
  searched: 3,
} as const

export const SHARED_BYTES = Object.keys(SHARED).length * Int32Array.BYTES_PER_ELEMENT
