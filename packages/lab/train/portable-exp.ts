/**
 * eˣ for x ≤ 0, computed by sums and products alone, because the last digit of Math.exp may differ between
 * machines.
 */
export function portableExp(x: number): number {
  if (x < -80) return 0
  const power = Math.floor(x * Math.LOG2E + 0.5)
  const r = x - power * Math.LN2
  const series =
    1 +
    r *
      (1 +
        r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040 + r / 40320)))))))
  return series * POWERS[power + 128]!
}

/** The powers of two from 2^-128 to 2^1. */
const POWERS = new Float64Array(130)
POWERS[128] = 1
for (let i = 127; i >= 0; i--) POWERS[i] = POWERS[i + 1]! / 2
POWERS[129] = 2
