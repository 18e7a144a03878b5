import { isIP } from "node:net"

/**
 * True when a host with this name can only be this machine. The name may be an IPv6 address with or without brackets.
 */
export function isLoopback(name: string): boolean {
  if (name === "localhost" || name === "::1" || name === "[::1]") return true
  return isIP(name) === 4 && name.startsWith("127.")
}
