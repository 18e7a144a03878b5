export type Rectangle = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Divides a box among amounts, largest first, in rows whose parts are as square as possible ("squarified treemap",
 * Bruls, Huizing and van Wijk 2000). Returns a box for each amount, in their order.
 */
export function treemap(amounts: readonly number[], box: Rectangle): Rectangle[] {
  const total = amounts.reduce((sum, amount) => sum + amount, 0)
  const scale = total === 0 ? 0 : (box.width * box.height) / total
  const areas = amounts.map((amount) => amount * scale)
  const boxes: Rectangle[] = []
  let rest = box
  while (boxes.length < areas.length) {
    const side = Math.min(rest.width, rest.height)
    let row = [areas[boxes.length]!]
    for (const area of areas.slice(boxes.length + 1)) {
      if (worstRatio([...row, area], side) > worstRatio(row, side)) break
      row = [...row, area]
    }
    const [placed, left] = placeRow(row, rest)
    boxes.push(...placed)
    rest = left
  }
  return boxes
}

/** The largest ratio of the two sides of a part, if parts with these areas fill a row along a side of this length. */
function worstRatio(row: readonly number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0)
  if (sum === 0) return Number.POSITIVE_INFINITY
  const [max, min] = [Math.max(...row), Math.min(...row)]
  return Math.max((side ** 2 * max) / sum ** 2, sum ** 2 / (side ** 2 * min))
}

/** The boxes of a row along the shorter side of a box, and the rest of the box. */
function placeRow(row: readonly number[], { x, y, width, height }: Rectangle): [Rectangle[], Rectangle] {
  const sum = row.reduce((total, area) => total + area, 0)
  const isColumn = width >= height
  const side = isColumn ? height : width
  const depth = side === 0 ? 0 : sum / side
  let along = 0
  const boxes = row.map((area): Rectangle => {
    const length = depth === 0 ? 0 : area / depth
    const placed = isColumn
      ? { x, y: y + along, width: depth, height: length }
      : { x: x + along, y, width: length, height: depth }
    along += length
    return placed
  })
  const rest = isColumn
    ? { x: x + depth, y, width: Math.max(0, width - depth), height }
    : { x, y: y + depth, width, height: Math.max(0, height - depth) }
  return [boxes, rest]
}
