/** Why a file cannot be changed: what is wrong with it, and where. A reason for a person, never a bug. */
export class Unfit extends Error {
  readonly line: number | null

  constructor(message: string, line: number | null = null) {
    super(message)
    this.name = "Unfit"
    this.line = line
  }
}
