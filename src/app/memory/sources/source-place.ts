import { statSync } from "node:fs"
import { join } from "node:path"
import { userDataDir } from "../../../base/paths.ts"
import type { LocalProject } from "../../../memory/anchors/place.ts"
import type { Project } from "../../project/open-project.ts"

/**
 * The project in the form that checks of source lines need: access to its files and to the definitions in its index.
 */
export function localProject(project: Project): LocalProject {
  const { root, config } = project
  return {
    root,
    ownFolders: [config.index.dir, userDataDir()],
    maxFileBytes: config.index.maxFileBytes,
    indexedText: (path, hash) => project.reader()?.store.documentTexts.find(path, hash) ?? null,
    findSymbol: (name) => {
      const store = project.reader()?.store
      if (store === undefined) return []
      const definitions = store.symbols.findByName(name, 20)
      const paths = new Map(
        store.files.named(definitions.map(({ fileId }) => fileId)).map(({ id, path }) => [id, path]),
      )
      return definitions.flatMap(({ fileId, startLine, endLine }) => {
        const path = paths.get(fileId)
        return path === undefined ? [] : [{ path, startLine, endLine }]
      })
    },
    definitionsOf: (path) => {
      const store = project.reader()?.store
      const file = store?.files.byPath(path)
      if (!store || !file) return null
      const stat = statSync(join(root, path), { throwIfNoEntry: false })
      const isCurrent = stat?.size === file.size && stat.mtimeMs === file.mtimeMs
      return isCurrent ? store.symbols.ofFile(file.id) : null
    },
  }
}
