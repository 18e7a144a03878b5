import { AmanError } from "../base/errors.ts"

/** A folder's name is 255 bytes long at most on every file system of note; some is left for what stands beside it. */
const LONGEST = 230

/**
 * An address as the name of a folder, and `addressIn` back without loss. Letters in upper case are marked, since
 * some file systems do not tell them apart: "git@github.com:Org/my_repo" is "git@github.com=3a,org+my_repo".
 */
export function folderName(address: string): string {
  const name = Array.from(Buffer.from(address, "utf8"), encoded).join("").replace(/\.$/, "=2e")
  if (name.length <= LONGEST) return name
  throw new AmanError("USAGE", "the address of the repository is too long to name a folder after it", {
    hint: "give a local repository a shorter path, a host an alias in ~/.ssh/config",
  })
}

/** The address that a folder is named after; null for a name that `folderName` never gives. */
export function addressIn(name: string): string | null {
  const bytes = name.replace(/,([a-z])|=([0-9a-f]{2})|\+/g, (_, letter?: string, hex?: string) => {
    if (letter !== undefined) return letter.toUpperCase()
    return hex === undefined ? "/" : String.fromCharCode(Number.parseInt(hex, 16))
  })
  const address = Buffer.from(bytes, "latin1").toString("utf8")
  try {
    return folderName(address) === name ? address : null
  } catch {
    return null
  }
}

function encoded(byte: number): string {
  const sign = String.fromCharCode(byte)
  if (sign === "/") return "+"
  if (/[a-z0-9._@~-]/.test(sign)) return sign
  return /[A-Z]/.test(sign) ? `,${sign.toLowerCase()}` : `=${byte.toString(16).padStart(2, "0")}`
}
