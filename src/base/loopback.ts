import { isIP } from "node:net"

/** True when a host of this name, without brackets, can only be this machine. */
export function isLoopback(name: string): boolean {
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."))
}
