import { html } from "htm/preact"
import { useEffect, useRef } from "preact/hooks"
import { type Box, type BoxEdge, isIn, type MapModel, once } from "./map-model.ts"

export type Shade = { readonly colour: Colour; readonly opacity: number }
/** What is drawn on the boxes of files, by path. */
export type Marks = {
  readonly changed: ReadonlyMap<string, { readonly added: number; readonly removed: number }>
  readonly affected: ReadonlySet<string>
}

type CanvasProps = {
  readonly label: string
  readonly model: MapModel
  readonly selected: Box | null
  readonly shadeOf: (box: Box) => Shade
  readonly marks: Marks
  readonly choose: (box: Box | null) => void
  /** Called with the size of the canvas in pixels, which the map has to fill. */
  readonly resize: (size: { readonly width: number; readonly height: number }) => void
}

/** A zoomed part of the world: its scale in pixels per unit, and its top left corner. */
type Camera = { scale: number; x: number; y: number }

const COLOURS =
  "page panel line edge text soft accent warn type string number keyword comment function".split(" ")
type Colour = "accent" | "warn" | "type" | "string" | "number" | "keyword" | "comment" | "function"
type Palette = Readonly<Record<string, string>>

/** Maximum number of arrows that are drawn at once, the heaviest ones. */
const MAX_ARROWS = 40
const MAX_COUNTS = 14
const MAX_SCALE = 400
/** Number of texts whose widths are kept. */
const MAX_WIDTHS = 20_000

/** The map: boxes within boxes, and arrows for uses. It is drawn when something changes; drag, wheel and keys move it. */
export function MapCanvas(props: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawing = useRef<MapDrawing | null>(null)
  useEffect(() => {
    const own = new MapDrawing(canvas.current!)
    drawing.current = own
    return () => own.close()
  }, [])
  useEffect(() => drawing.current!.show(props))
  return html`<canvas class="map-canvas" ref=${canvas} role="img" tabindex="0" aria-label=${props.label}></canvas>`
}

class MapDrawing {
  readonly #canvas: HTMLCanvasElement
  readonly #pen: CanvasRenderingContext2D
  readonly #stop = new AbortController()
  readonly #resized: ResizeObserver
  #props: CanvasProps | null = null
  #camera: Camera = { scale: 1, x: 0, y: 0 }
  /** Size of the canvas in pixels of the page. Asking the element for it takes time, and a frame needs it for each box. */
  #size = { width: 0, height: 0 }
  #palette: Palette = {}
  #changesIn: (box: Box) => string = () => ""
  #font = ""
  readonly #widths = new Map<string, number>()
  #isDue = false
  #hovered: Box | null = null

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas
    this.#pen = canvas.getContext("2d", { alpha: false })!
    this.#resized = new ResizeObserver(() => this.#resize())
    this.#resized.observe(canvas)
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      act: (event: HTMLElementEventMap[K]) => void,
      options = {},
    ) => canvas.addEventListener(type, act, { signal: this.#stop.signal, ...options })
    let grabbed: { x: number; y: number; moved: boolean } | null = null
    on("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId)
      grabbed = { x: event.offsetX, y: event.offsetY, moved: false }
    })
    on("pointermove", (event) => {
      const { offsetX, offsetY } = event
      if (grabbed === null) return this.#hover(this.#boxAt(offsetX, offsetY))
      const [dx, dy] = [offsetX - grabbed.x, offsetY - grabbed.y]
      if (!grabbed.moved && Math.hypot(dx, dy) < 4) return
      grabbed = { x: offsetX, y: offsetY, moved: true }
      this.#move(-dx, -dy)
    })
    on("pointerup", (event) => {
      const isClick = grabbed !== null && !grabbed.moved
      grabbed = null
      if (isClick) this.#props?.choose(this.#boxAt(event.offsetX, event.offsetY))
    })
    on("pointerleave", () => this.#hover(null))
    on("dblclick", (event) => {
      const box = this.#boxAt(event.offsetX, event.offsetY)
      if (box !== null) this.#zoomTo(box)
    })
    on(
      "wheel",
      (event) => {
        event.preventDefault()
        const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1)
        this.#zoom(2 ** (-pixels / 300), event.offsetX, event.offsetY)
      },
      { passive: false },
    )
    on("keydown", (event) => this.#press(event))
    const theme = matchMedia("(prefers-color-scheme: dark)")
    theme.addEventListener("change", () => this.#readPalette(), { signal: this.#stop.signal })
    this.#readPalette()
  }

  close(): void {
    this.#stop.abort()
    this.#resized.disconnect()
  }

  show(props: CanvasProps): void {
    const before = this.#props
    this.#props = props
    if (before?.marks !== props.marks || before.model !== props.model)
      this.#changesIn = once((box) => changesIn(box, props.marks, props.model))
    if (before === null) this.#resize()
    const { width, height } = props.model.root
    if (before?.model.root.width !== width || before.model.root.height !== height) this.#zoomTo(null)
    if (before?.selected !== props.selected && props.selected !== null) this.#reveal(props.selected)
    this.#draw()
  }

  #readPalette(): void {
    const probe = document.createElement("i")
    this.#canvas.after(probe)
    this.#palette = Object.fromEntries(
      COLOURS.map((name) => {
        probe.style.color = `var(--${name})`
        return [name, getComputedStyle(probe).color]
      }),
    )
    probe.remove()
    this.#draw()
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    this.#size = { width, height }
    this.#canvas.width = Math.round(width * devicePixelRatio)
    this.#canvas.height = Math.round(height * devicePixelRatio)
    this.#props?.resize(this.#size)
    this.#draw()
  }

  #press(event: KeyboardEvent): void {
    const { width: clientWidth, height: clientHeight } = this.#size
    const step = 60
    const act = {
      ArrowLeft: () => this.#move(-step, 0),
      ArrowRight: () => this.#move(step, 0),
      ArrowUp: () => this.#move(0, -step),
      ArrowDown: () => this.#move(0, step),
      "+": () => this.#zoom(1.4, clientWidth / 2, clientHeight / 2),
      "-": () => this.#zoom(1 / 1.4, clientWidth / 2, clientHeight / 2),
      "0": () => this.#zoomTo(null),
      Enter: () => this.#zoomTo(this.#props?.selected ?? null),
      Escape: () => this.#props?.choose(null),
    }[event.key]
    if (act === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    act()
  }

  /** Moves the camera, in pixels, and keeps the map in the window. */
  #move(dx: number, dy: number): void {
    const { scale } = this.#camera
    const within = (at: number, size: number, length: number) => {
      const room = length - size / scale
      return room <= 0 ? room / 2 : Math.max(0, Math.min(room, at))
    }
    const { width: clientWidth, height: clientHeight } = this.#size
    const { width, height } = this.#props!.model.root
    this.#camera.x = within(this.#camera.x + dx / scale, clientWidth, width)
    this.#camera.y = within(this.#camera.y + dy / scale, clientHeight, height)
    this.#draw()
  }

  /** Changes the scale; the point at these pixels stays where it is. */
  #zoom(factor: number, px: number, py: number): void {
    const { scale, x, y } = this.#camera
    const next = Math.max(1, Math.min(MAX_SCALE, scale * factor))
    this.#camera = { scale: next, x: x + px / scale - px / next, y: y + py / scale - py / next }
    this.#move(0, 0)
  }

  /** Shows a box in the whole window; null is the whole map. */
  #zoomTo(box: Box | null): void {
    const { x, y, width, height } = box ?? this.#props!.model.root
    const { width: clientWidth, height: clientHeight } = this.#size
    const scale = Math.min(MAX_SCALE, 0.94 * Math.min(clientWidth / width, clientHeight / height))
    this.#camera.scale = Math.max(1, scale)
    this.#camera.x = x + width / 2 - clientWidth / this.#camera.scale / 2
    this.#camera.y = y + height / 2 - clientHeight / this.#camera.scale / 2
    this.#move(0, 0)
  }

  /** Zooms to a box that is outside of the window, or too small to be seen, or larger than the window. */
  #reveal(box: Box): void {
    const { scale, x, y } = this.#camera
    const { width: clientWidth, height: clientHeight } = this.#size
    const [left, top] = [(box.x - x) * scale, (box.y - y) * scale]
    const isSeen =
      left >= -1 &&
      top >= -1 &&
      left + box.width * scale <= clientWidth + 1 &&
      top + box.height * scale <= clientHeight + 1
    if (!isSeen || Math.min(box.width, box.height) * scale < 12)
      this.#zoomTo(box.kind === "module" ? null : box.parent)
  }

  #boxAt(px: number, py: number): Box | null {
    const { scale, x, y } = this.#camera
    const [wx, wy] = [x + px / scale, y + py / scale]
    let at: Box | null = null
    let next = this.#props?.model.root
    while (next !== undefined) {
      if (next.kind !== "map" && next.kind !== "rest") at = next
      if (next.kind !== "map" && !this.#isOpen(next)) break
      next = next.children.find(
        (box) => box.x <= wx && wx < box.x + box.width && box.y <= wy && wy < box.y + box.height,
      )
    }
    // At the scale of the whole map, a click chooses the module.
    const isFar = at !== null && at.kind !== "module" && Math.min(at.width, at.height) * scale < 14
    return isFar ? (at?.parent ?? at) : at
  }

  #hover(box: Box | null): void {
    if (box === this.#hovered) return
    this.#hovered = box
    this.#canvas.title = box === null ? "" : titleOf(box)
    this.#draw()
  }

  /** True for a box that is large enough to be drawn as its parts. */
  #isOpen({ width, height, kind }: Box): boolean {
    const { scale } = this.#camera
    const min = kind === "file" ? 110 : 20
    return width * scale > min && height * scale > min
  }

  #draw(): void {
    if (this.#isDue) return
    this.#isDue = true
    requestAnimationFrame(() => {
      this.#isDue = false
      if (this.#props !== null && !this.#stop.signal.aborted) this.#paint(this.#props)
    })
  }

  #paint(props: CanvasProps): void {
    const pen = this.#pen
    const ratio = devicePixelRatio
    pen.setTransform(ratio, 0, 0, ratio, 0, 0)
    pen.textBaseline = "top"
    // A canvas that was resized has forgotten its font.
    this.#font = ""
    pen.fillStyle = this.#palette["page"]!
    pen.fillRect(0, 0, this.#size.width, this.#size.height)
    for (const box of props.model.root.children) this.#box(box, props)
    const names: Box[] = []
    for (const box of props.model.root.children) this.#outlines(box, names)
    const { selected } = props
    if (this.#hovered !== null && this.#hovered !== selected) this.#frame(this.#hovered, "text", 1)
    if (selected !== null) this.#frame(selected, "accent", 3)
    const edges = this.#edges(props)
    for (const { edge, colour, max } of edges.toReversed()) this.#arrow(edge, colour, max)
    for (const box of names) this.#name(box)
    for (const { edge } of edges.slice(0, MAX_COUNTS)) this.#count(edge)
    this.#canvas.dataset["scale"] = String(this.#camera.scale)
  }

  #placeOf({ x, y, width, height }: Box) {
    const { scale, x: left, y: top } = this.#camera
    return { x: (x - left) * scale, y: (y - top) * scale, width: width * scale, height: height * scale }
  }

  #isOutside({ x, y, width, height }: { x: number; y: number; width: number; height: number }): boolean {
    return x > this.#size.width || y > this.#size.height || x + width < 0 || y + height < 0
  }

  #box(box: Box, props: CanvasProps): void {
    const place = this.#placeOf(box)
    if (this.#isOutside(place)) return
    const pen = this.#pen
    const { x, y, width, height } = place
    const isOpen = box.children.length > 0 && this.#isOpen(box)
    if (box.kind === "module" || box.kind === "folder") {
      pen.fillStyle = this.#palette["panel"]!
      pen.fillRect(x, y, width, height)
    }
    if (isOpen && box.kind !== "file") {
      for (const child of box.children) this.#box(child, props)
      return
    }
    const { colour, opacity } = props.shadeOf(box)
    pen.globalAlpha = box.kind === "rest" ? opacity / 3 : opacity
    pen.fillStyle = this.#palette[colour]!
    const gap = width > 3 && height > 3 ? 0.5 : 0
    pen.fillRect(x + gap, y + gap, width - 2 * gap, height - 2 * gap)
    pen.globalAlpha = 1
    if (box.file !== null) this.#mark(box.file.path, place, props.marks)
    if (isOpen) for (const child of box.children) this.#box(child, props)
  }

  /** A changed file has a bar of added and removed lines; an affected one is hatched. */
  #mark(
    path: string,
    { x, y, width, height }: { x: number; y: number; width: number; height: number },
    marks: Marks,
  ): void {
    const pen = this.#pen
    const change = marks.changed.get(path)
    if (marks.affected.has(path)) {
      pen.fillStyle = this.#palette["number"]!
      pen.globalAlpha = 0.75
      pen.fillRect(x, y, width, height)
      pen.globalAlpha = 1
    }
    if (change === undefined) return
    const share = change.added / Math.max(1, change.added + change.removed)
    pen.fillStyle = this.#palette["string"]!
    pen.fillRect(x, y, width * share, height)
    pen.fillStyle = this.#palette["warn"]!
    pen.fillRect(x + width * share, y, width * (1 - share), height)
  }

  /** Borders of modules and folders, and the boxes whose names have room. */
  #outlines(box: Box, names: Box[]): void {
    const place = this.#placeOf(box)
    if (this.#isOutside(place)) return
    const { x, y, width, height } = place
    if (box.kind === "module") {
      this.#pen.strokeStyle = this.#palette["text"]!
      this.#pen.lineWidth = 1.5
      this.#pen.strokeRect(x, y, width, height)
    } else if (box.kind === "folder" && width > 8 && height > 8) {
      this.#pen.strokeStyle = this.#palette["edge"]!
      this.#pen.lineWidth = 0.5
      this.#pen.strokeRect(x, y, width, height)
    }
    if (box.kind !== "rest" && width > 44 && height > (box.kind === "module" ? 14 : 18)) names.push(box)
    if (this.#isOpen(box)) for (const child of box.children) this.#outlines(child, names)
  }

  #frame(box: Box, colour: string, width: number): void {
    const place = this.#placeOf(box)
    this.#pen.strokeStyle = this.#palette[colour]!
    this.#pen.lineWidth = width
    this.#pen.strokeRect(place.x, place.y, place.width, place.height)
  }

  #name(box: Box): void {
    const pen = this.#pen
    const place = this.#placeOf(box)
    const isModule = box.kind === "module"
    const isOpen = box.children.length > 0 && this.#isOpen(box)
    const strip = isOpen ? box.children[0]!.y - box.y : box.height
    const room = strip * this.#camera.scale
    if (!isModule && room < 11) return
    const size = Math.round(Math.max(isModule ? 11 : 9, Math.min(isModule ? 14 : 12, room - 3)))
    // Of a box that begins left of or above the window, the name stays in sight.
    const x = Math.max(place.x, 0) + 4
    const y = isModule && isOpen ? Math.max(place.y, 0) : place.y
    const max = place.x + place.width - x - 4
    const changes = isModule ? this.#changesIn(box) : ""
    const font = `${isModule ? "600 " : ""}${size}px system-ui, sans-serif`
    const text = this.#fitted(changes === "" ? box.name : `${box.name}  ${changes}`, font, max, isModule)
    if (text === "") return
    if (isModule) {
      pen.globalAlpha = 0.9
      pen.fillStyle = this.#palette["page"]!
      pen.fillRect(x - 3, y + 1, this.#widthOf(text, font) + 6, size + 4)
      pen.globalAlpha = 1
    }
    pen.fillStyle = this.#palette["text"]!
    this.#setFont(font)
    pen.fillText(text, x, y + 3)
  }

  /** Sets the font if it is another one, because setting it takes longer than writing a name. */
  #setFont(font: string): void {
    if (this.#font === font) return
    this.#font = font
    this.#pen.font = font
  }

  #widthOf(text: string, font: string): number {
    const key = `${font} ${text}`
    let width = this.#widths.get(key)
    if (width === undefined) {
      this.#setFont(font)
      width = this.#pen.measureText(text).width
      if (this.#widths.size > MAX_WIDTHS) this.#widths.clear()
      this.#widths.set(key, width)
    }
    return width
  }

  /** The beginning of a text that fits, or of a path its end; "" if too little of it would. */
  #fitted(text: string, font: string, width: number, isPath: boolean): string {
    const whole = this.#widthOf(text, font)
    if (whole <= width) return text
    const chars = Math.floor((text.length * width) / whole) - 1
    if (chars < 3) return ""
    return isPath ? `…${text.slice(-chars)}` : `${text.slice(0, chars)}…`
  }

  /** The uses to draw, the heaviest ones first: those of the selected box, or of the module under the pointer, or of all. */
  #edges({ model, selected }: CanvasProps) {
    const subject = this.#hovered?.kind === "module" && selected === null ? this.#hovered : selected
    const coloured = (edges: readonly BoxEdge[], colourOf: (edge: BoxEdge) => string) =>
      edges.slice(0, MAX_ARROWS).map((edge) => ({ edge, colour: colourOf(edge), max: edges[0]!.count }))
    if (subject === null || subject.kind === "function")
      return coloured(model.edgesAmong(this.#container(model.root)), ({ isBack }) =>
        isBack ? "warn" : "text",
      )
    const { uses, users } = model.edgesOf(subject)
    return [...coloured(uses, () => "accent"), ...coloured(users, () => "type")].sort(
      (a, b) => b.edge.count - a.edge.count,
    )
  }

  /** The innermost box that fills the window: the uses among its parts are drawn. */
  #container(box: Box): Box {
    const { width: clientWidth, height: clientHeight } = this.#size
    const inner = box.children.find((each) => {
      const { x, y, width, height } = this.#placeOf(each)
      const isAround =
        x < clientWidth / 2 &&
        y < clientHeight / 2 &&
        x + width > clientWidth / 2 &&
        y + height > clientHeight / 2
      return isAround && each.kind !== "file" && (width > 0.75 * clientWidth || height > 0.75 * clientHeight)
    })
    return inner === undefined ? box : this.#container(inner)
  }

  /** A curve from inside of one box to inside of another. Curves in both directions bend to different sides. */
  #curve({ from, to }: BoxEdge) {
    const [a, b] = [this.#placeOf(from), this.#placeOf(to)]
    const centre = ({ x, y, width, height }: typeof a) => ({ x: x + width / 2, y: y + height / 2 })
    const [p, q] = [centre(a), centre(b)]
    const length = Math.max(1, Math.hypot(q.x - p.x, q.y - p.y))
    const [ux, uy] = [(q.x - p.x) / length, (q.y - p.y) / length]
    const reach = (box: typeof a) => 0.3 * Math.min(box.width, box.height, length)
    const start = { x: p.x + ux * reach(a), y: p.y + uy * reach(a) }
    const end = { x: q.x - ux * reach(b), y: q.y - uy * reach(b) }
    const bend = Math.min(60, length / 6)
    const middle = { x: (start.x + end.x) / 2 - uy * bend, y: (start.y + end.y) / 2 + ux * bend }
    return { start, middle, end }
  }

  #arrow(edge: BoxEdge, colour: string, max: number): void {
    const pen = this.#pen
    const { start, middle, end } = this.#curve(edge)
    const weight = Math.log1p(edge.count) / Math.log1p(max)
    pen.strokeStyle = this.#palette[colour]!
    pen.fillStyle = this.#palette[colour]!
    pen.globalAlpha = 0.25 + 0.6 * weight
    pen.lineWidth = 0.75 + 4 * weight
    pen.beginPath()
    pen.moveTo(start.x, start.y)
    pen.quadraticCurveTo(middle.x, middle.y, end.x, end.y)
    pen.stroke()
    const angle = Math.atan2(end.y - middle.y, end.x - middle.x)
    const size = 6 + 5 * weight
    pen.beginPath()
    for (const turn of [0, 2.6, -2.6])
      pen.lineTo(end.x + size * Math.cos(angle + turn), end.y + size * Math.sin(angle + turn))
    pen.fill()
    pen.beginPath()
    pen.arc(start.x, start.y, 2 + weight, 0, 2 * Math.PI)
    pen.fill()
    pen.globalAlpha = 1
  }

  #count(edge: BoxEdge): void {
    const pen = this.#pen
    const { start, middle, end } = this.#curve(edge)
    const text = edge.count.toLocaleString("en")
    const font = "600 11px system-ui, sans-serif"
    const width = this.#widthOf(text, font)
    const x = (start.x + 2 * middle.x + end.x) / 4 - width / 2
    const y = (start.y + 2 * middle.y + end.y) / 4 - 7
    pen.fillStyle = this.#palette["page"]!
    pen.globalAlpha = 0.85
    pen.fillRect(x - 3, y - 1, width + 6, 15)
    pen.globalAlpha = 1
    pen.fillStyle = this.#palette["text"]!
    this.#setFont(font)
    pen.fillText(text, x, y + 1)
  }
}

function titleOf({ kind, path, name, line, lines, files }: Box): string {
  if (kind === "function") return `${name}, ${path}:${line}, ${lines} lines`
  return `${path}, ${lines.toLocaleString("en")} lines${files > 1 ? ` in ${files.toLocaleString("en")} files` : ""}`
}

/** The lines that were added and removed in a box, as "+3 −2"; "" for none. */
export function changesIn(box: Box, { changed }: Marks, { boxes }: MapModel): string {
  let [added, removed] = [0, 0]
  for (const [path, each] of changed) {
    if (!isIn(boxes.get(path) ?? null, box)) continue
    added += each.added
    removed += each.removed
  }
  return added + removed === 0 ? "" : `+${added} −${removed}`
}
