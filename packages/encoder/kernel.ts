// The forward pass of a BERT-like encoder in integers and 32-bit floats: the same bits on every system, because the order of
// every sum is fixed and no function of the host is used.

const LN_EPS: f32 = 1e-12

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
  quant = align(wide + <usize>t * <usize>widest * 4)
  scales = align(quant + <usize>t * <usize>i * 2)
  mixed = align(scales + <usize>t * 4)
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

function quantize(source: usize, n: i32, k: i32, limit: f32): void {
  for (let r = 0; r < n; r++) {
    const row = source + <usize>(r * k) * 4
    let m = f32x4.splat(0)
    for (let c = 0; c < k; c += 4) m = f32x4.max(m, f32x4.abs(v128.load(row + <usize>c * 4)))
    let top = max(max(f32x4.extract_lane(m, 0), f32x4.extract_lane(m, 1)), max(f32x4.extract_lane(m, 2), f32x4.extract_lane(m, 3)))
    if (top < 1e-20) top = 1e-20
    const times = f32x4.splat(limit / top)
    store<f32>(scales + <usize>r * 4, top / limit)
    const to = quant + <usize>(r * k) * 2
    for (let c = 0; c < k; c += 8) {
      const lo = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(row + <usize>c * 4), times)))
      const hi = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(row + <usize>c * 4, 16), times)))
      v128.store(to + <usize>c * 2, i16x8.narrow_i32x4_s(lo, hi))
    }
  }
}

// @ts-ignore: decorator
@inline function total(v: v128): i32 {
  return i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3)
}

/** target (n × m) = quantised rows (n × k) times the rows of w (m × k), scaled, plus bias. */
function linear(w: usize, target: usize, n: i32, k: i32, m: i32): void {
  const ws = w + <usize>m * <usize>k
  const bias = ws + <usize>m * 4
  const rowBytes = <usize>k * 2
  for (let o = 0; o < m; o += 4) {
    const w0 = w + <usize>o * <usize>k
    const w1 = w0 + <usize>k
    const w2 = w1 + <usize>k
    const w3 = w2 + <usize>k
    const sv = v128.load(ws + <usize>o * 4)
    const bv = v128.load(bias + <usize>o * 4)
    let r = 0
    for (; r + 1 < n; r += 2) {
      const q0 = quant + <usize>r * rowBytes
      const q1 = q0 + rowBytes
      let a0 = i32x4.splat(0), a1 = i32x4.splat(0), a2 = i32x4.splat(0), a3 = i32x4.splat(0)
      let b0 = i32x4.splat(0), b1 = i32x4.splat(0), b2 = i32x4.splat(0), b3 = i32x4.splat(0)
      for (let c: usize = 0; c < <usize>k; c += 8) {
        const p = v128.load(q0 + (c << 1))
        const q = v128.load(q1 + (c << 1))
        const v0 = v128.load8x8_s(w0 + c)
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(p, v0))
        b0 = i32x4.add(b0, i32x4.dot_i16x8_s(q, v0))
        const v1 = v128.load8x8_s(w1 + c)
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(p, v1))
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(q, v1))
        const v2 = v128.load8x8_s(w2 + c)
        a2 = i32x4.add(a2, i32x4.dot_i16x8_s(p, v2))
        b2 = i32x4.add(b2, i32x4.dot_i16x8_s(q, v2))
        const v3 = v128.load8x8_s(w3 + c)
        a3 = i32x4.add(a3, i32x4.dot_i16x8_s(p, v3))
        b3 = i32x4.add(b3, i32x4.dot_i16x8_s(q, v3))
      }
      const ya = f32x4.convert_i32x4_s(i32x4(total(a0), total(a1), total(a2), total(a3)))
      const yb = f32x4.convert_i32x4_s(i32x4(total(b0), total(b1), total(b2), total(b3)))
      const sa = f32x4.splat(load<f32>(scales + <usize>r * 4))
      const sb = f32x4.splat(load<f32>(scales + <usize>r * 4, 4))
      v128.store(target + <usize>(r * m + o) * 4, f32x4.add(f32x4.mul(f32x4.mul(ya, sv), sa), bv))
      v128.store(target + <usize>((r + 1) * m + o) * 4, f32x4.add(f32x4.mul(f32x4.mul(yb, sv), sb), bv))
    }
    if (r < n) {
      const q0 = quant + <usize>r * rowBytes
      let a0 = i32x4.splat(0), a1 = i32x4.splat(0), a2 = i32x4.splat(0), a3 = i32x4.splat(0)
      for (let c: usize = 0; c < <usize>k; c += 8) {
        const p = v128.load(q0 + (c << 1))
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(p, v128.load8x8_s(w0 + c)))
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(p, v128.load8x8_s(w1 + c)))
        a2 = i32x4.add(a2, i32x4.dot_i16x8_s(p, v128.load8x8_s(w2 + c)))
        a3 = i32x4.add(a3, i32x4.dot_i16x8_s(p, v128.load8x8_s(w3 + c)))
      }
      const ya = f32x4.convert_i32x4_s(i32x4(total(a0), total(a1), total(a2), total(a3)))
      const sa = f32x4.splat(load<f32>(scales + <usize>r * 4))
      v128.store(target + <usize>(r * m + o) * 4, f32x4.add(f32x4.mul(f32x4.mul(ya, sv), sa), bv))
    }
  }
}

/** e to the power of v, relative error below 2e-7; v is at most 88. */
// @ts-ignore: decorator
@inline function exp4(v: v128): v128 {
  const low = f32x4.max(v, f32x4.splat(-87))
  const n = f32x4.nearest(f32x4.mul(low, f32x4.splat(1.44269504)))
  let r = f32x4.sub(low, f32x4.mul(n, f32x4.splat(0.693359375)))
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.12194440e-4)))
  let p = f32x4.splat(1.9875691500e-4)
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3))
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3))
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2))
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1))
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1))
  p = f32x4.add(f32x4.mul(f32x4.mul(p, r), r), f32x4.add(r, f32x4.splat(1)))
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23)
  return f32x4.mul(p, power)
}

/** x·Φ(x) in place; erf by Abramowitz and Stegun 7.1.26. */
function gelu(p: usize, count: i32): void {
  const one = f32x4.splat(1)
  for (let c: usize = 0; c < <usize>count * 4; c += 16) {
    const v = v128.load(p + c)
    const z = f32x4.mul(f32x4.abs(v), f32x4.splat(0.70710678))
    const t = f32x4.div(one, f32x4.add(one, f32x4.mul(z, f32x4.splat(0.3275911))))
    let s = f32x4.splat(1.061405429)
    s = f32x4.add(f32x4.mul(s, t), f32x4.splat(-1.453152027))
    s = f32x4.add(f32x4.mul(s, t), f32x4.splat(1.421413741))
    s = f32x4.add(f32x4.mul(s, t), f32x4.splat(-0.284496736))
    s = f32x4.add(f32x4.mul(s, t), f32x4.splat(0.254829592))
    const e = f32x4.sub(one, f32x4.mul(f32x4.mul(s, t), exp4(f32x4.neg(f32x4.mul(z, z)))))
    // x·½(1 + sign(x)·erf|x|) = ½(x + |x|·erf|x|)
    v128.store(p + c, f32x4.mul(f32x4.splat(0.5), f32x4.add(v, f32x4.mul(f32x4.abs(v), e))))
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
  const factor: f32 = <f32>1 / sqrt<f32>(<f32>size)
  const bytes = <usize>size * 4
  for (let h = 0; h < heads; h++) {
    const q = wide + <usize>h * bytes
    const k = q + <usize>hidden * 4
    const v = k + <usize>hidden * 4
    for (let r = 0; r < n; r++) {
      const query = q + <usize>r * stride
      let top: f32 = -3e38
      for (let t = 0; t < n; t++) {
        const key = k + <usize>t * stride
        let s = f32x4.splat(0)
        for (let c: usize = 0; c < bytes; c += 16) s = f32x4.add(s, f32x4.mul(v128.load(query + c), v128.load(key + c)))
        const score = sum4(s) * factor
        store<f32>(scores + <usize>t * 4, score)
        top = max(top, score)
      }
      for (let t = n; t < ((n + 3) & ~3); t++) store<f32>(scores + <usize>t * 4, -3e38)
      for (let t: usize = 0; t < <usize>n * 4; t += 16) {
        const e = exp4(f32x4.sub(v128.load(scores + t), f32x4.splat(top)))
        v128.store(scores + t, e)
      }
      let share: f32 = 0
      for (let t = 0; t < n; t++) share += load<f32>(scores + <usize>t * 4)
      share = <f32>1 / share
      const to = mixed + <usize>r * <usize>hidden * 4 + <usize>h * bytes
      for (let c: usize = 0; c < bytes; c += 16) {
        let s = f32x4.splat(0)
        for (let t = 0; t < n; t++)
          s = f32x4.add(s, f32x4.mul(f32x4.splat(load<f32>(scores + <usize>t * 4)), v128.load(v + <usize>t * stride + c)))
        v128.store(to + c, f32x4.mul(s, f32x4.splat(share)))
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
  // Limits keep 32-bit sums of k products below 2^31.
  const narrow: f32 = 8191
  for (let l = 0; l < layers; l++) {
    quantize(x, n, hidden, narrow)
    linear(w, wide, n, hidden, 3 * hidden)
    w += linearBytes(3 * hidden, hidden)
    attend(n)
    quantize(mixed, n, hidden, narrow)
    linear(w, wide, n, hidden, hidden)
    w += linearBytes(hidden, hidden)
    norm(x, wide, w, n, hidden)
    w += <usize>hidden * 8
    quantize(x, n, hidden, narrow)
    linear(w, wide, n, hidden, inner)
    w += linearBytes(inner, hidden)
    gelu(wide, n * inner)
    quantize(wide, n, inner, narrow)
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
