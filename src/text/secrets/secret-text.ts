import { isPrivateKey, mayHoldSecrets } from "../../base/secrets.ts"
import { holdsCredential } from "./credentials.ts"

/**
 * True if the text is secret: a private key in a file of any name, or a credential in a file that may hold
 * secrets by its name. `path` is relative to the root, or a bare name.
 */
export function isSecretText(path: string, text: string): boolean {
  return isPrivateKey(text) || (mayHoldSecrets(path) && holdsCredential(text))
}
