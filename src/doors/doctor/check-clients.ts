import { type CheckResult, homeDir, version } from "../../base/index.ts"

/** Checks for each installed agent and editor whether it is set up to start this aman. */
export async function checkClients(root: string | null): Promise<CheckResult[]> {
  const home = homeDir()
  // When run from source, there is no program that a client could start.
  if (home === "" || version === "0.0.0-dev") return []
  const { clientFolders } = await import("../setup/clients/places.ts")
  const { findClients } = await import("../setup/clients/client-state.ts")
  const { clientState } = await import("../setup/clients/client-state.ts")
  const { hooksDisabledBy } = await import("../setup/setting-at.ts")
  const { untrustedHooks } = await import("../setup/setting-at.ts")
  const { env, platform, execPath: executable } = process
  const places = clientFolders(env, platform, home)
  const environment = { env, platform, executable }
  const clients = findClients(places, env).filter(({ sign }) => sign !== null)
  return clients.map(({ client }) => {
    const state = clientState(client, { places, project: null }, environment)!
    const inProject = root === null ? null : clientState(client, { places, project: root }, environment)
    const isOfProject = state.mcp === "missing" && inProject !== null && inProject.mcp !== "missing"
    const off = hooksDisabledBy(client, places)
    const untrusted = untrustedHooks(client, { places, project: isOfProject ? root : null })
    return clientCheck({ ...client, off, untrusted }, isOfProject ? inProject : state, isOfProject)
  })
}

type RegisteredClient = {
  readonly id: string
  readonly name: string
  /** Setting that disables all hooks; null if none does. */
  readonly off: string | null
  /** Number of events whose hooks wait for a person's approval. */
  readonly untrusted: number
}
type State = import("../setup/clients/client-state.ts").ClientState

function clientCheck(
  { id, name, off, untrusted }: RegisteredClient,
  { mcp, hooks, problem }: State,
  isOfProject: boolean,
): CheckResult {
  const command = `aman setup ${id}${isOfProject ? " --project" : ""}`
  const where = isOfProject ? " in this project" : ""
  const check = (state: CheckResult["state"], message: string, next: string | null): CheckResult => {
    return { name: "client", state, message: `${name}: ${message}`, next }
  }
  if (problem !== null) {
    const line = problem.line === null ? "" : `:${problem.line}`
    return check("warning", `${problem.file}${line}: ${problem.message}`, `repair it, then run: ${command}`)
  }
  if (mcp === "missing") return check("ok", "not set up", `run: ${command}`)
  if (mcp === "other" || hooks === "other")
    return check("warning", `its settings start a different aman program${where}`, `run: ${command}`)
  if (hooks === "there" && off !== null) {
    return check(
      "warning",
      `set up${where}, but its hooks are disabled: ${off}`,
      "enable hooks there if you want them; the server works without",
    )
  }
  if (hooks === "there" && untrusted > 0) {
    return check(
      "warning",
      `set up${where}, but hooks for ${untrusted} of its events do not run: ${name} waits for you to trust them`,
      `start it and choose to trust them, or review them with /hooks`,
    )
  }
  if (hooks === "missing") return check("ok", `set up${where}, without hooks`, `to add them: ${command}`)
  return check("ok", `set up${where}${hooks === null ? "" : ", with hooks"}`, null)
}
