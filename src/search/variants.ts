/** React Native's and Expo's suffixes: a bundler takes the file of its platform in place of the plain one. */
const PLATFORM = /\.(?:ios|android|native|web|windows|macos)(?=\.[cm]?[jt]sx?$)/

/**
 * The files of each module that has one for a platform: button.tsx, button.ios.tsx, button.android.tsx.
 * Keys are the paths of such modules' files; the groups keep the order given.
 */
export function platformVariants(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>()
  for (const group of Map.groupBy(paths, (path) => path.replace(PLATFORM, "")).values()) {
    if (group.length < 2) continue
    for (const path of group) groups.set(path, group)
  }
  return groups
}
