/** A test of a path's end: "ts", ".ts" and "*.ts" mean the same, whatever the case. Null where nothing is asked. */
export function endsIn(extensions: readonly string[]): ((path: string) => boolean) | null {
  const endings = extensions.map(bare).flatMap((name) => (name === "" ? [] : [`.${name}`]))
  if (endings.length === 0) return null
  return (path) => endings.some((ending) => path.toLowerCase().endsWith(ending))
}

function bare(extension: string): string {
  const name = extension.trim().toLowerCase()
  return name.replace(/^\*?\.+/u, "")
}
