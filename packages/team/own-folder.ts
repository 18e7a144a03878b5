import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { folderName } from "../../src/ask/index.ts"
import { AmanError, log, messageOf, realPlace, userDataDir } from "../../src/base/index.ts"
import { LeaderLock, LOCK_FILE } from "../../src/store/index.ts"

/** The folder that only this worker or node uses, until `lead` is disposed of. */
export type OwnFolder = { readonly name: string; readonly base: string; readonly lead: LeaderLock }

/**
 * Takes the folder for this process. `name` is the host's name by default. Throws REPOS_BUSY if a process of this
 * role and name already runs.
 */
export function takeOwnFolder(role: "worker" | "node", name: string = hostname()): OwnFolder {
  const base = folderOf(role, name)
  mkdirSync(base, { recursive: true, mode: 0o700 })
  const lead = LeaderLock.take(base)
  if (lead !== null) return { name, base, lead }
  throw new AmanError("REPOS_BUSY", `a ${role} named ${name} is running already`, {
    hint: "give this one another name: --name NAME",
  })
}

/**
 * Removes the folder; false if there is none or a process has taken it. What cannot be removed, such as a file that another
 * program has open on Windows, is logged and stays.
 */
export function removeOwnFolder(role: "worker" | "node", name: string): boolean {
  const base = folderOf(role, name)
  if (!existsSync(base)) return false
  using lead = LeaderLock.take(base)
  if (lead === null) return false
  try {
    for (const each of readdirSync(base))
      if (each !== LOCK_FILE) rmSync(join(base, each), { recursive: true, force: true })
    lead.removeFile()
    rmdirSync(base)
  } catch (error) {
    log.warn("the folder of a former process stays", {
      ...{ folder: base, error: messageOf(error), remedy: "delete it" },
    })
  }
  return true
}

function folderOf(role: string, name: string): string {
  return join(realPlace(userDataDir()), "team", `${role}s`, folderName(name))
}
