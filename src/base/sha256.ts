/** 64 hexadecimal digits. Bun's own: to load node:crypto costs every start several milliseconds. */
export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}
