import { existsSync } from "node:fs"
import type { MarkKind, ProjectMark, ProjectRow, ProjectsTable } from "../../store/knowledge/projects.ts"
import type { KnownProject } from "./match.ts"
import { isSameRepository, type Repository } from "./repository.ts"

/** All projects with what is known of them; `repository`: that of the folder which is compared with theirs. */
export function knownProjects(projects: ProjectsTable, repository: Repository | null): KnownProject[] {
  const marks = Map.groupBy(projects.marks(), ({ project }) => project)
  return projects.all().map((row) => known(row, marks.get(row.id) ?? [], repository))
}

function known(
  { id, name }: ProjectRow,
  marks: readonly ProjectMark[],
  repository: Repository | null,
): KnownProject {
  const values = (kind: MarkKind) => marks.filter((mark) => mark.kind === kind).map(({ value }) => value)
  return {
    id,
    name,
    rootCommits: values("root-commit"),
    remotes: values("remote"),
    paths: values("path").map((path) => ({
      path,
      isThere: existsSync(path),
      isSameRepository: isSameRepository(repository, path),
    })),
  }
}
