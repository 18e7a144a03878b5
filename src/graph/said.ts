import { heirOf, USE, type Use } from "../code/use-code.ts"

/** What a file's uses say besides. */
export type Said = {
  /** The modules that each name is imported from. */
  readonly imported: ReadonlyMap<string, readonly string[]>
  readonly bases: ReadonlyMap<string, ReadonlySet<string>>
  /** Where each name is extended or implemented. */
  readonly inherited: ReadonlyMap<string, readonly Use[]>
  /** Where names are bound, by the path of the value. */
  readonly typed: ReadonlyMap<string, readonly Use[]>
}

export function saidBy(uses: readonly Use[]): Said {
  return {
    imported: importedBy(uses),
    bases: basesIn(uses),
    inherited: Map.groupBy(uses.filter(isBase), nameOf),
    typed: Map.groupBy(uses.filter(isBound).map(asLocal), nameOf),
  }
}

function nameOf({ name }: Use): string {
  return name
}

function isBase({ flags }: Use): boolean {
  return (flags & USE.base) !== 0
}

function isBound({ flags, qualifier, path }: Use): boolean {
  return (flags & USE.declares) !== 0 && (qualifier !== null || (path ?? null) !== null)
}

/** `{ name } = value`: a local of the value's member. */
function asLocal(use: Use): Use {
  const isMember = (use.flags & USE.member) !== 0 && use.path
  return isMember ? { ...use, qualifier: `${use.path}.${use.name}` } : use
}

function importedBy(uses: readonly Use[]): Map<string, string[]> {
  const imported = new Map<string, string[]>()
  for (const { name, flags, qualifier } of uses) {
    if ((flags & USE.import) === 0 || qualifier === null) continue
    const modules = imported.get(name)
    if (!modules) imported.set(name, [qualifier])
    else if (!modules.includes(qualifier)) modules.push(qualifier)
  }
  return imported
}

function basesIn(uses: readonly Use[]): Map<string, Set<string>> {
  const bases = new Map<string, Set<string>>()
  for (const use of uses) {
    const heir = heirOf(use)
    if (heir !== null) bases.set(heir, (bases.get(heir) ?? new Set()).add(use.name))
  }
  return bases
}
