import { isIP } from "node:net"
import { isLoopback } from "../../base/loopback.ts"

type Allowed = { readonly host: string; readonly also: readonly string[] }

/**
 * Against DNS rebinding: a page of a foreign name whose address becomes ours sends its own name along. Names are those
 * of this machine, the one that was listened at, and those the user allows; to others than this machine an address
 * without a name says nothing of where a page comes from, so there it may be any.
 */
export function isAllowedHost(header: string | null, { host, also }: Allowed): boolean {
  const name = hostnameOf(`http://${header ?? ""}`)
  if (name === null) return false
  if (isLoopback(name) || name === bare(host) || isNamed(name, also)) return true
  return !isLoopback(bare(host)) && isIP(name) !== 0
}

/** A page's origin; only browsers send one. */
export function isAllowedOrigin(header: string | null, { host, also }: Allowed): boolean {
  if (header === null) return true
  const name = hostnameOf(header)
  if (name === null) return false
  return isLoopback(name) || (name === bare(host) && isIP(name) === 0) || isNamed(name, also)
}

function isNamed(name: string, list: readonly string[]): boolean {
  return list.some((each) => bare(each) === name)
}

function hostnameOf(url: string): string | null {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  // Nothing but the name and the port.
  if (parsed.href !== `${parsed.origin}/`) return null
  return bare(parsed.hostname)
}

/** Without brackets, in lower case. */
function bare(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, "$1")
}
