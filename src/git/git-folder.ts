// What HFS+ does not see in a name (git's utf8.c, next_hfs_char).
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/**
 * Whether a file system might take this name for `.git`: in other case, with characters that it does not see, or as
 * Windows spells it (trailing dots and spaces, a stream, the short name). Git guards its folder in the same way.
 */
export function isGitFolderName(name: string): boolean {
  const seen = seenAs(name)
  return seen === ".git" || seen === "git~1"
}

/** The name that a careless file system makes of it, in lower case. */
export function seenAs(name: string): string {
  return name
    .replace(IGNORED, "")
    .replace(/:.*$/su, "")
    .replace(/[. ]+$/u, "")
    .toLowerCase()
}
