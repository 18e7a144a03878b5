/** Keeps the best of many scored places in a heap whose root is the worst kept. */
export class TopFiles {
  readonly places: number[] = []
  private readonly scores: number[] = []
  private readonly limit: number
  private readonly isBefore: (place: number, other: number) => boolean

  /** `isBefore` decides between equal scores. */
  constructor(limit: number, isBefore: (place: number, other: number) => boolean) {
    this.limit = limit
    this.isBefore = isBefore
  }

  /** No score below this can enter. */
  get least(): number {
    return this.places.length < this.limit ? 0 : (this.scores[0] ?? Number.POSITIVE_INFINITY)
  }

  offer(place: number, score: number): void {
    if (this.places.length < this.limit) {
      this.places.push(place)
      this.scores.push(score)
      this.rise(this.places.length - 1)
    } else if (this.limit > 0 && this.isWorse(this.places[0]!, this.scores[0]!, place, score)) {
      this.places[0] = place
      this.scores[0] = score
      this.sink()
    }
  }

  private isWorse(place: number, score: number, other: number, otherScore: number): boolean {
    return score < otherScore || (score === otherScore && this.isBefore(other, place))
  }

  private rise(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.isWorseAt(at, parent)) return
      this.swap(at, parent)
      at = parent
    }
  }

  private sink(): void {
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= this.places.length) return
      if (child + 1 < this.places.length && this.isWorseAt(child + 1, child)) child++
      if (!this.isWorseAt(child, at)) return
      this.swap(at, child)
      at = child
    }
  }

  private isWorseAt(at: number, other: number): boolean {
    return this.isWorse(this.places[at]!, this.scores[at]!, this.places[other]!, this.scores[other]!)
  }

  private swap(at: number, other: number): void {
    const { places, scores } = this
    ;[places[at], places[other]] = [places[other]!, places[at]!]
    ;[scores[at], scores[other]] = [scores[other]!, scores[at]!]
  }
}
