// The forward pass of a BERT-like encoder in integers and 32-bit floats: the same bits on every system, because the order of
// every sum is fixed and no function of the host is used.

const LN_EPS: f32 = 1e-12

/** Pairs of 1 as i16, then the numbers that exp4 and gelu need. Loaded, because the engine builds a constant vector anew each time. */
const ONES = memory.data<u32>([0x00010001], 16)
const EXP = memory.data<f32>([
  -87, 1.44269504, 0.693359375, -2.12194440e-4,
  1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1,
], 16)
const ERF = memory.data<f32>([
  1, 0.70710678, 0.3275911, 1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.5,
], 16)

// @ts-ignore: decorator
@inline function constant(table: usize, place: i32): v128 { return v128.load32_splat(table + ((<usize>place) << 2)) }

let hidden: i32 = 0
let inner: i32 = 0
let layers: i32 = 0
let heads: i32 = 0
let maxTokens: i32 = 0
let weights: usize = 0
let layerBytes: usize = 0
let x: usize = 0
let wide: usize = 0
let quant: usize = 0
let scales: usize = 0
let sums: usize = 0
let mixed: usize = 0
let scores: usize = 0
let end: usize = 0

function align(p: usize): usize { return (p + 15) & ~15 }

/** Bytes of a linear layer: weights as rows of i8, then a scale and a bias per row. */
// @ts-ignore: decorator
@inline function linearBytes(rows: i32, columns: i32): usize {
  return <usize>rows * <usize>columns + <usize>rows * 8
}

/** Lays out the memory; returns where the weights of the layers are to be written. */
export function init(h: i32, i: i32, l: i32, a: i32, t: i32): usize {
  hidden = h; inner = i; layers = l; heads = a; maxTokens = t
  layerBytes = linearBytes(3 * h, h) + linearBytes(h, h) + linearBytes(i, h) + linearBytes(h, i) + <usize>h * 16
  weights = align(<usize>__heap_base)
  x = align(weights + layerBytes * <usize>l + <usize>h * 8)
  wide = align(x + <usize>t * <usize>h * 4)
  const widest = max(3 * h, i)
  // attend reads up to three rows after the last.
  quant = align(wide + <usize>(t + 3) * <usize>widest * 4)
  scales = align(quant + <usize>t * <usize>i)
  sums = align(scales + <usize>t * 4)
  mixed = align(sums + <usize>t * 4)
  scores = align(mixed + <usize>t * <usize>h * 4)
  end = align(scores + <usize>t * 4)
  const pages = <i32>((end + 65535) >>> 16)
  if (memory.size() < pages) memory.grow(pages - memory.size())
  return weights
}

/** Where the sums of words' and types' vectors are to be written. */
export function input(): usize { return x }

/** Where the vectors of positions are to be written. */
export function positions(): usize { return wide }

/** Makes numbers of 7 bits of the weights at weights(): the half of each, rounded down, plus 64. */
export function prepare(): void {
  let w = weights + <usize>hidden * 8
  for (let l = 0; l < layers; l++) {
    w = halve(w, 3 * hidden, hidden)
    w = halve(w, hidden, hidden) + <usize>hidden * 8
    w = halve(w, inner, hidden)
    w = halve(w, hidden, inner) + <usize>hidden * 8
  }
}

function halve(w: usize, rows: i32, columns: i32): usize {
  const last = w + <usize>rows * <usize>columns
  for (let at = w; at < last; at += 16)
    v128.store(at, i8x16.shr_u(v128.xor(v128.load(at), i8x16.splat(-128)), 1))
  return w + linearBytes(rows, columns)
}

/** Makes i8 of n rows of k numbers, with the scale of each row and, for `linear`, -255 times its sum. */
function quantize(source: usize, n: i32, k: i32): void {
  for (let r = 0; r < n; r++) {
    const row = source + <usize>(r * k) * 4
    let m = f32x4.splat(0)
    for (let c = 0; c < k; c += 4) m = f32x4.max(m, f32x4.abs(v128.load(row + <usize>c * 4)))
    let top = max(max(f32x4.extract_lane(m, 0), f32x4.extract_lane(m, 1)), max(f32x4.extract_lane(m, 2), f32x4.extract_lane(m, 3)))
    if (top < 1e-20) top = 1e-20
    const times = f32x4.splat(<f32>127 / top)
    // Halved, because linear doubles.
    store<f32>(scales + <usize>r * 4, top / <f32>254)
    const to = quant + <usize>(r * k)
    let sum = i32x4.splat(0)
    for (let c = 0; c < k; c += 16) {
      const from = row + <usize>c * 4
      const q0 = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from), times)))
      const q1 = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from, 16), times)))
      const q2 = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from, 32), times)))
      const q3 = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from, 48), times)))
      sum = i32x4.add(sum, i32x4.add(i32x4.add(q0, q1), i32x4.add(q2, q3)))
      v128.store(to + <usize>c, i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(q0, q1), i16x8.narrow_i32x4_s(q2, q3)))
    }
    const total = i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
    store<i32>(sums + <usize>r * 4, -255 * total)
  }
}

/** sum + the products of 16 numbers q of 8 bits and v of 7. Same on every system, because |2·128·127| fits into 16 bits. */
// @ts-ignore: decorator
@inline function dot(sum: v128, q: v128, v: v128, ones: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.relaxed_dot_i8x16_i7x16_s(q, v), ones))
}

/** The sums of the lanes of each. */
// @ts-ignore: decorator
@inline function totals(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7))
  return i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3))
}

/**
 * target (n × m) = quantised rows (n × k) times the rows of w (m × k), scaled, plus bias. A number v of w stands for
 * 2·(v - 63.75), so 4·sum(q·v) - 255·sum(q) is twice the product.
 */
function linear(w: usize, target: usize, n: i32, k: i32, m: i32): void {
  const ws = w + <usize>m * <usize>k
  const bias = ws + <usize>m * 4
  const ones = v128.load32_splat(ONES)
  for (let o = 0; o < m; o += 4) {
    const w0 = w + <usize>o * <usize>k
    const w1 = w0 + <usize>k
    const w2 = w1 + <usize>k
    const w3 = w2 + <usize>k
    const sv = v128.load(ws + <usize>o * 4)
    const bv = v128.load(bias + <usize>o * 4)
    let r = 0
    for (; r + 1 < n; r += 2) {
      const q0 = quant + <usize>(r * k)
      const q1 = q0 + <usize>k
      let a0 = i32x4.splat(0), a1 = i32x4.splat(0), a2 = i32x4.splat(0), a3 = i32x4.splat(0)
      let b0 = i32x4.splat(0), b1 = i32x4.splat(0), b2 = i32x4.splat(0), b3 = i32x4.splat(0)
      for (let c: usize = 0; c < <usize>k; c += 16) {
        const p = v128.load(q0 + c)
        const q = v128.load(q1 + c)
        const v0 = v128.load(w0 + c)
        a0 = dot(a0, p, v0, ones)
        b0 = dot(b0, q, v0, ones)
        const v1 = v128.load(w1 + c)
        a1 = dot(a1, p, v1, ones)
        b1 = dot(b1, q, v1, ones)
        const v2 = v128.load(w2 + c)
        a2 = dot(a2, p, v2, ones)
        b2 = dot(b2, q, v2, ones)
        const v3 = v128.load(w3 + c)
        a3 = dot(a3, p, v3, ones)
        b3 = dot(b3, q, v3, ones)
      }
      finish(target, r, o, m, totals(a0, a1, a2, a3), sv, bv)
      finish(target, r + 1, o, m, totals(b0, b1, b2, b3), sv, bv)
    }
    if (r < n) {
      const q0 = quant + <usize>(r * k)
      let a0 = i32x4.splat(0), a1 = i32x4.splat(0), a2 = i32x4.splat(0), a3 = i32x4.splat(0)
      for (let c: usize = 0; c < <usize>k; c += 16) {
        const p = v128.load(q0 + c)
        a0 = dot(a0, p, v128.load(w0 + c), ones)
        a1 = dot(a1, p, v128.load(w1 + c), ones)
        a2 = dot(a2, p, v128.load(w2 + c), ones)
        a3 = dot(a3, p, v128.load(w3 + c), ones)
      }
      finish(target, r, o, m, totals(a0, a1, a2, a3), sv, bv)
    }
  }
}

/** Stores four numbers of row r from o, of their sums of products. */
// @ts-ignore: decorator
@inline function finish(target: usize, r: i32, o: i32, m: i32, products: v128, sv: v128, bv: v128): void {
  const whole = i32x4.add(i32x4.shl(products, 2), v128.load32_splat(sums + <usize>r * 4))
  const y = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(whole), sv), v128.load32_splat(scales + <usize>r * 4))
  v128.store(target + <usize>(r * m + o) * 4, f32x4.add(y, bv))
}

/** e to the power of v, relative error below 2e-7; v is at most 88. */
// @ts-ignore: decorator
@inline function exp4(v: v128): v128 {
  const low = f32x4.max(v, constant(EXP, 0))
  const n = f32x4.nearest(f32x4.mul(low, constant(EXP, 1)))
  let r = f32x4.sub(low, f32x4.mul(n, constant(EXP, 2)))
  r = f32x4.sub(r, f32x4.mul(n, constant(EXP, 3)))
  let p = constant(EXP, 4)
  p = f32x4.add(f32x4.mul(p, r), constant(EXP, 5))
  p = f32x4.add(f32x4.mul(p, r), constant(EXP, 6))
  p = f32x4.add(f32x4.mul(p, r), constant(EXP, 7))
  p = f32x4.add(f32x4.mul(p, r), constant(EXP, 8))
  p = f32x4.add(f32x4.mul(p, r), constant(EXP, 9))
  p = f32x4.add(f32x4.mul(f32x4.mul(p, r), r), f32x4.add(r, constant(EXP, 10)))
  return i32x4.add(p, i32x4.shl(i32x4.trunc_sat_f32x4_s(n), 23))
}

/** x·Φ(x) in place; erf by Abramowitz and Stegun 7.1.26. */
function gelu(p: usize, count: i32): void {
  const one = constant(ERF, 0)
  for (let c: usize = 0; c < <usize>count * 4; c += 16) {
    const v = v128.load(p + c)
    const z = f32x4.mul(f32x4.abs(v), constant(ERF, 1))
    const t = f32x4.div(one, f32x4.add(one, f32x4.mul(z, constant(ERF, 2))))
    let s = constant(ERF, 3)
    s = f32x4.add(f32x4.mul(s, t), constant(ERF, 4))
    s = f32x4.add(f32x4.mul(s, t), constant(ERF, 5))
    s = f32x4.add(f32x4.mul(s, t), constant(ERF, 6))
    s = f32x4.add(f32x4.mul(s, t), constant(ERF, 7))
    const e = f32x4.sub(one, f32x4.mul(f32x4.mul(s, t), exp4(f32x4.neg(f32x4.mul(z, z)))))
    // x·½(1 + sign(x)·erf|x|) = ½(x + |x|·erf|x|)
    v128.store(p + c, f32x4.mul(constant(ERF, 8), f32x4.add(v, f32x4.mul(f32x4.abs(v), e))))
  }
}

// @ts-ignore: decorator
@inline function sum4(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
}

/** p = layer norm of (p + added), with the factors and the summands at g and g + 4·k. */
function norm(p: usize, added: usize, g: usize, n: i32, k: i32): void {
  const shift = g + <usize>k * 4
  for (let r = 0; r < n; r++) {
    const row = p + <usize>(r * k) * 4
    const other = added + <usize>(r * k) * 4
    let s = f32x4.splat(0)
    for (let c: usize = 0; c < <usize>k * 4; c += 16) {
      const v = f32x4.add(v128.load(row + c), v128.load(other + c))
      v128.store(row + c, v)
      s = f32x4.add(s, v)
    }
    const mean = f32x4.splat(sum4(s) / <f32>k)
    let q = f32x4.splat(0)
    for (let c: usize = 0; c < <usize>k * 4; c += 16) {
      const d = f32x4.sub(v128.load(row + c), mean)
      q = f32x4.add(q, f32x4.mul(d, d))
    }
    const inv = f32x4.splat(<f32>1 / sqrt<f32>(sum4(q) / <f32>k + LN_EPS))
    for (let c: usize = 0; c < <usize>k * 4; c += 16) {
      const d = f32x4.mul(f32x4.sub(v128.load(row + c), mean), inv)
      v128.store(row + c, f32x4.add(f32x4.mul(d, v128.load(g + c)), v128.load(shift + c)))
    }
  }
}

/** Self-attention over rows of query, key and value (n × 3·hidden) into mixed (n × hidden). */
function attend(n: i32): void {
  const size = hidden / heads
  const stride = <usize>hidden * 12
  const factor = f32x4.splat(<f32>1 / sqrt<f32>(<f32>size))
  const bytes = <usize>size * 4
  for (let h = 0; h < heads; h++) {
    const q = wide + <usize>h * bytes
    const k = q + <usize>hidden * 4
    const v = k + <usize>hidden * 4
    for (let r = 0; r < n; r++) {
      const query = q + <usize>r * stride
      let most = f32x4.splat(-3e38)
      // Four keys at once. The scores of those after the last are replaced below.
      for (let t = 0; t < n; t += 4) {
        const k0 = k + <usize>t * stride
        const k1 = k0 + stride
        const k2 = k1 + stride
        const k3 = k2 + stride
        let a = f32x4.splat(0), b = f32x4.splat(0), d = f32x4.splat(0), e = f32x4.splat(0)
        for (let c: usize = 0; c < bytes; c += 16) {
          const p = v128.load(query + c)
          a = f32x4.add(a, f32x4.mul(p, v128.load(k0 + c)))
          b = f32x4.add(b, f32x4.mul(p, v128.load(k1 + c)))
          d = f32x4.add(d, f32x4.mul(p, v128.load(k2 + c)))
          e = f32x4.add(e, f32x4.mul(p, v128.load(k3 + c)))
        }
        const ab = f32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
        const de = f32x4.add(v128.shuffle<i32>(d, e, 0, 4, 1, 5), v128.shuffle<i32>(d, e, 2, 6, 3, 7))
        const four = f32x4.mul(f32x4.add(v128.shuffle<i64>(ab, de, 0, 2), v128.shuffle<i64>(ab, de, 1, 3)), factor)
        v128.store(scores + <usize>t * 4, four)
        if (t + 4 <= n) most = f32x4.max(most, four)
      }
      let top = max(max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)), max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)))
      for (let t = n & ~3; t < n; t++) top = max(top, load<f32>(scores + <usize>t * 4))
      for (let t = n; t < ((n + 3) & ~3); t++) store<f32>(scores + <usize>t * 4, -3e38)
      let sum = f32x4.splat(0)
      const from = f32x4.splat(top)
      for (let t: usize = 0; t < <usize>n * 4; t += 16) {
        const e = exp4(f32x4.sub(v128.load(scores + t), from))
        v128.store(scores + t, e)
        sum = f32x4.add(sum, e)
      }
      // Those after the last have e to the power of -87, which the sum does not notice.
      const share = f32x4.splat(<f32>1 / sum4(sum))
      const to = mixed + <usize>r * <usize>hidden * 4 + <usize>h * bytes
      for (let c: usize = 0; c < bytes; c += 64) {
        let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0)
        let at = v + c
        for (let t: usize = 0; t < <usize>n * 4; t += 4) {
          const w = v128.load32_splat(scores + t)
          s0 = f32x4.add(s0, f32x4.mul(w, v128.load(at)))
          s1 = f32x4.add(s1, f32x4.mul(w, v128.load(at, 16)))
          s2 = f32x4.add(s2, f32x4.mul(w, v128.load(at, 32)))
          s3 = f32x4.add(s3, f32x4.mul(w, v128.load(at, 48)))
          at += stride
        }
        v128.store(to + c, f32x4.mul(s0, share))
        v128.store(to + c, f32x4.mul(s1, share), 16)
        v128.store(to + c, f32x4.mul(s2, share), 32)
        v128.store(to + c, f32x4.mul(s3, share), 48)
      }
    }
  }
}

/**
 * Runs the layers over the n rows at input(), whose first are the sums of the embeddings, not yet normalised; leaves their
 * unit mean in the first row.
 */
export function encode(n: i32): usize {
  let w = weights
  norm(x, wide, w, n, hidden)
  w += <usize>hidden * 8
  for (let l = 0; l < layers; l++) {
    quantize(x, n, hidden)
    linear(w, wide, n, hidden, 3 * hidden)
    w += linearBytes(3 * hidden, hidden)
    attend(n)
    quantize(mixed, n, hidden)
    linear(w, wide, n, hidden, hidden)
    w += linearBytes(hidden, hidden)
    norm(x, wide, w, n, hidden)
    w += <usize>hidden * 8
    quantize(x, n, hidden)
    linear(w, wide, n, hidden, inner)
    w += linearBytes(inner, hidden)
    gelu(wide, n * inner)
    quantize(wide, n, inner)
    linear(w, mixed, n, inner, hidden)
    w += linearBytes(hidden, inner)
    norm(x, mixed, w, n, hidden)
    w += <usize>hidden * 8
  }
  for (let c: usize = 0; c < <usize>hidden * 4; c += 16) {
    let s = f32x4.splat(0)
    for (let r = 0; r < n; r++) s = f32x4.add(s, v128.load(x + <usize>r * <usize>hidden * 4 + c))
    v128.store(x + c, s)
  }
  let q = f32x4.splat(0)
  for (let c: usize = 0; c < <usize>hidden * 4; c += 16) {
    const v = v128.load(x + c)
    q = f32x4.add(q, f32x4.mul(v, v))
  }
  const inv = f32x4.splat(<f32>1 / sqrt<f32>(max(sum4(q), <f32>1e-24)))
  for (let c: usize = 0; c < <usize>hidden * 4; c += 16) v128.store(x + c, f32x4.mul(v128.load(x + c), inv))
  return x
}
