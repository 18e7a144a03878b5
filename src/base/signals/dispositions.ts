import { constants } from "node:os"
import { openSystemLibrary } from "../system-library.ts"

export type SignalName = "SIGHUP" | "SIGINT" | "SIGTERM"

/** Offset of the flags in `struct sigaction`, in bytes, and the value of SA_RESETHAND. The handler, 8 bytes, comes first. */
const LAYOUTS: Readonly<Partial<Record<NodeJS.Platform, { flagsAt: number; resetsHandler: number }>>> = {
  linux: { flagsAt: 136, resetsHandler: 0x8000_0000 },
  darwin: { flagsAt: 12, resetsHandler: 0x4 },
}
/** Larger than the structure on any platform. */
const STRUCTURE_BYTES = 256

/**
 * Makes the system reset these signals to the default action after their handler was called once: the next
 * signal then works whatever this process is doing. False if libc cannot be called, as on Windows.
 */
export function resetAfterFirst(names: readonly SignalName[]): boolean {
  const layout = LAYOUTS[process.platform]
  if (layout === undefined || library() === null) return false
  return names.every((name) => {
    const action = actionOf(name)
    if (action === null || isDefault(action)) return false
    action.setUint32(layout.flagsAt, action.getUint32(layout.flagsAt, true) | layout.resetsHandler, true)
    return library()!.sigaction(constants.signals[name], new Uint8Array(action.buffer), null) === 0
  })
}

/** True if a signal that had a handler was received since `resetAfterFirst`. */
export function wasReceived(name: SignalName): boolean {
  const action = actionOf(name)
  return action !== null && isDefault(action)
}

function actionOf(name: SignalName): DataView | null {
  const action = new Uint8Array(STRUCTURE_BYTES)
  const isRead = library()?.sigaction(constants.signals[name], null, action) === 0
  return isRead ? new DataView(action.buffer) : null
}

function isDefault(action: DataView): boolean {
  return action.getBigUint64(0, true) === 0n
}

/** Flag of poll(2): the other side has closed the stream. */
const POLLHUP = 0x10
/** Linux only: the other side of a socket has stopped writing. */
const POLLRDHUP = process.platform === "linux" ? 0x2000 : 0

/** True if the writer of standard input has closed it. */
export function isInputClosed(): boolean {
  const request = new Int16Array([0, 0, POLLRDHUP, 0])
  if ((library()?.poll(request, 1n, 0) ?? 0) < 1) return false
  return (request[3]! & (POLLHUP | POLLRDHUP)) !== 0
}

const FUNCTIONS = {
  sigaction: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
} as const
let opened: ReturnType<typeof openSystemLibrary<typeof FUNCTIONS>> | undefined

function library() {
  if (opened === undefined) opened = openSystemLibrary(FUNCTIONS)
  return opened
}
