import { isIP } from "node:net"

/** True when a host of this name, an IPv6 address with or without brackets, can only be this machine. */
export function isLoopback(name: string): boolean {
  if (name === "localhost" || name === "::1" || name === "[::1]") return true
  return isIP(name) === 4 && name.startsWith("127.")
}
