export type Objective = (point: Float64Array) => { value: number; gradient: Float64Array }

const MEMORY = 10
const MAX_STEPS = 200

/** L-BFGS with a backtracking line search (Nocedal and Wright, algorithm 7.5) for smooth convex functions. */
export function minimize(objective: Objective, start: Float64Array, tolerance = 1e-5): Float64Array {
  let point: Float64Array = start
  const first = objective(point)
  let value = first.value
  let gradient: Float64Array = first.gradient
  const steps: Float64Array[] = []
  const changes: Float64Array[] = []
  for (let iteration = 0; iteration < MAX_STEPS; iteration++) {
    if (norm(gradient) < tolerance * Math.max(1, norm(point))) break
    const direction = descentDirection(gradient, steps, changes)
    const slope = dot(direction, gradient)
    let length = iteration === 0 ? 1 / Math.max(1, norm(gradient)) : 1
    let next = along(point, direction, length)
    let there = objective(next)
    while (there.value > value + 1e-4 * length * slope && length > 1e-12) {
      length /= 2
      next = along(point, direction, length)
      there = objective(next)
    }
    if (value - there.value < 1e-10 * Math.abs(value)) return next
    steps.push(difference(next, point))
    changes.push(difference(there.gradient, gradient))
    if (steps.length > MEMORY) {
      steps.shift()
      changes.shift()
    }
    point = next
    value = there.value
    gradient = there.gradient
  }
  return point
}

function descentDirection(
  gradient: Float64Array,
  steps: readonly Float64Array[],
  changes: readonly Float64Array[],
): Float64Array {
  let q: Float64Array = gradient.slice()
  const alphas: number[] = []
  for (let i = steps.length - 1; i >= 0; i--) {
    const alpha = dot(steps[i]!, q) / dot(steps[i]!, changes[i]!)
    alphas[i] = alpha
    q = along(q, changes[i]!, -alpha)
  }
  const last = steps.length - 1
  if (last >= 0) {
    const scale = dot(steps[last]!, changes[last]!) / dot(changes[last]!, changes[last]!)
    q = q.map((x) => x * scale)
  }
  for (let i = 0; i < steps.length; i++) {
    const beta = dot(changes[i]!, q) / dot(steps[i]!, changes[i]!)
    q = along(q, steps[i]!, alphas[i]! - beta)
  }
  return q.map((x) => -x)
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

function norm(a: Float64Array): number {
  return Math.sqrt(dot(a, a))
}

function along(point: Float64Array, direction: Float64Array, length: number): Float64Array {
  return point.map((x, i) => x + length * direction[i]!)
}

function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((x, i) => x - b[i]!)
}
