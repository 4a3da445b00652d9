// One or two linked maps of many points: hover, lasso, rectangle, pan, zoom, search, pictures.
//
// Points come as bytes and are painted pixel by pixel, shuffled, so that no category lies on top of
// the others; 70,000 take some milliseconds. What goes up to the server is
// the outline of a selection, the point that was clicked and the view: never a list of points.

const instances = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let maps = instances.get(parentElement);
  if (!maps) {
    maps = new PointMaps(parentElement);
    instances.set(parentElement, maps);
  }
  maps.say = setStateValue;
  maps.show(unpack(data));
  return () => {
    maps.close();
    instances.delete(parentElement);
  };
}

const HOVER = 10; // pixels from which a point is met
const OUTLINE = 64; // corners of a selection that are sent
const FAINT = 0.16; // how much is left of points that are not meant
const TOOLS = { lasso: "Lasso", box: "Rectangle", pan: "Move" };

// --- What comes in ------------------------------------------------------------------------------

function unpack(bytes) {
  const raw = bytes.slice().buffer; // aligned: typed arrays want multiples of their size
  const length = new DataView(raw).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(raw, 4, length)));
  let at = 4 + length;
  const take = (kind, count) => {
    at = Math.ceil(at / 4) * 4;
    const array = new kind(raw, at, count);
    at += array.byteLength;
    return array;
  };
  head.category = take(Uint16Array, head.n);
  head.class = take(Uint16Array, head.n);
  head.part = take(Uint8Array, head.n);
  head.row = take(Uint32Array, head.n);
  for (const panel of head.panels) {
    panel.image = take(Uint32Array, panel.n);
    panel.xy = take(Float32Array, 2 * panel.n);
  }
  if (head.picture) head.pixels = take(Uint8Array, head.n * head.picture[0] * head.picture[1]);
  return head;
}

// --- Geometry -----------------------------------------------------------------------------------

function inside(polygon, x, y) {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i], [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
  }
  return odd;
}

// Leave out corners that matter least (Visvalingam), until few enough are left.
function simplified(polygon, most) {
  const points = polygon.slice();
  const area = (a, b, c) => Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
  while (points.length > most) {
    let least = Infinity, which = 0;
    for (let i = 0; i < points.length; i++) {
      const n = points.length;
      const size = area(points[(i + n - 1) % n], points[i], points[(i + 1) % n]);
      if (size < least) [least, which] = [size, i];
    }
    points.splice(which, 1);
  }
  return points;
}

// The same shuffle every time (Fisher and Yates, xorshift).
function shuffled(n) {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1, state = 2463534242; i > 0; i--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const j = (state >>> 0) % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

// --- How a point looks --------------------------------------------------------------------------

function trace(ctx, symbol, x, y, r) {
  ctx.beginPath();
  const corners = {
    diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
    square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    "triangle-up": [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]],
    "triangle-down": [[0, 1.2], [1.15, -0.9], [-1.15, -0.9]],
    "triangle-left": [[-1.2, 0], [0.9, -1.15], [0.9, 1.15]],
    "triangle-right": [[1.2, 0], [-0.9, -1.15], [-0.9, 1.15]],
    x: [[-1.1, -0.6], [-0.6, -1.1], [0, -0.5], [0.6, -1.1], [1.1, -0.6], [0.5, 0],
        [1.1, 0.6], [0.6, 1.1], [0, 0.5], [-0.6, 1.1], [-1.1, 0.6], [-0.5, 0]],
  }[symbol];
  if (!corners) ctx.arc(x, y, r, 0, 2 * Math.PI);
  else corners.forEach(([u, v], i) => ctx[i ? "lineTo" : "moveTo"](x + u * r, y + v * r));
  ctx.closePath();
}

function stencil(symbol, r) {
  const half = Math.ceil(1.3 * r) + 1, size = 2 * half + 1;
  const canvas = new OffscreenCanvas(size, size), ctx = canvas.getContext("2d");
  trace(ctx, symbol, half + 0.5, half + 0.5, r);
  ctx.fill();
  const pixels = ctx.getImageData(0, 0, size, size).data, parts = [];
  for (let k = 0; k < size * size; k++) {
    const cover = pixels[4 * k + 3];
    if (cover > 8) parts.push([(k % size) - half, Math.floor(k / size) - half, cover / 255]);
  }
  return parts;
}

function rgb(color) {
  const ctx = new OffscreenCanvas(1, 1).getContext("2d");
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, 1, 1);
  return ctx.getImageData(0, 0, 1, 1).data;
}

// --- One map ------------------------------------------------------------------------------------

class Panel {
  constructor(maps, root) {
    this.maps = maps;
    this.root = document.createElement("figure");
    this.root.innerHTML =
      '<figcaption></figcaption><div class="stage"><canvas class="points"></canvas>' +
      '<canvas class="marks" tabindex="0" role="application"></canvas>' +
      '<div class="tip" role="status" hidden></div></div>';
    root.append(this.root);
    this.caption = this.root.querySelector("figcaption");
    this.stage = this.root.querySelector(".stage");
    this.points = this.root.querySelector(".points");
    this.marks = this.root.querySelector(".marks");
    this.tip = this.root.querySelector(".tip");
    this.listen();
  }

  // Data to pixels of the screen.
  get scale() {
    const { width, height } = this.size;
    return Math.min(width, height) / this.maps.cameraOf(this)[2];
  }
  toScreen(x, y) {
    const [cx, cy] = this.maps.cameraOf(this);
    const { width, height } = this.size;
    return [width / 2 + (x - cx) * this.scale, height / 2 - (y - cy) * this.scale];
  }
  toData(u, v) {
    const [cx, cy] = this.maps.cameraOf(this);
    const { width, height } = this.size;
    return [cx + (u - width / 2) / this.scale, cy - (v - height / 2) / this.scale];
  }

  fit() {
    const box = this.stage.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    this.size = { width: box.width, height: box.height, ratio };
    for (const canvas of [this.points, this.marks]) {
      canvas.width = Math.max(1, Math.round(box.width * ratio));
      canvas.height = Math.max(1, Math.round(box.height * ratio));
    }
  }

  // The smallest box around all points: left, right, low, high.
  box() {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    const { xy } = this.data;
    for (let i = 0; i < xy.length; i += 2) {
      left = Math.min(left, xy[i]);
      right = Math.max(right, xy[i]);
      low = Math.min(low, xy[i + 1]);
      high = Math.max(high, xy[i + 1]);
    }
    return [left, right, low, high];
  }

  // Centre and extent that show a box with a margin; the extent goes along the shorter side.
  showing([left, right, low, high]) {
    const { width, height } = this.size, side = Math.min(width, height);
    const extent = Math.max(((right - left) * side) / width, ((high - low) * side) / height);
    return [(left + right) / 2, (low + high) / 2, 1.06 * extent || 1];
  }

  paint() {
    const { head, meant, colors, paper, grey } = this.maps, { ratio } = this.size;
    const { width, height } = this.points;
    const picture = new ImageData(width, height), out = new Uint32Array(picture.data.buffer);
    out.fill((255 << 24) | (paper[2] << 16) | (paper[1] << 8) | paper[0]);
    const r = this.radius() * ratio, dots = head.palette.map(({ symbol }) => stencil(symbol, r));
    const plain = stencil("circle", 0.7 * r);
    const one = (x, y, parts, color, strength) => {
      const [u, v] = this.toScreen(x, y);
      const px = Math.round(u * ratio), py = Math.round(v * ratio);
      if (px < -9 || py < -9 || px > width + 9 || py > height + 9) return;
      for (const [dx, dy, cover] of parts) {
        const X = px + dx, Y = py + dy;
        if (X < 0 || Y < 0 || X >= width || Y >= height) continue;
        const k = 4 * (Y * width + X), a = cover * strength, d = picture.data;
        d[k] += (color[0] - d[k]) * a;
        d[k + 1] += (color[1] - d[k + 1]) * a;
        d[k + 2] += (color[2] - d[k + 2]) * a;
      }
    };
    const behind = head.panels[this.data.behind];
    if (behind)
      for (let i = 0; i < behind.n; i++)
        one(behind.xy[2 * i], behind.xy[2 * i + 1], plain, grey, 0.22);
    for (const wanted of meant ? [false, true] : [true])
      for (const i of this.order) {
        const image = this.data.image[i];
        if (meant && !!meant[image] !== wanted) continue;
        const c = head.category[image], x = this.data.xy[2 * i], y = this.data.xy[2 * i + 1];
        if (wanted) one(x, y, dots[c], colors[c], this.strength);
        else one(x, y, plain, grey, FAINT);
      }
    this.points.getContext("2d").putImageData(picture, 0, 0);
    this.mark();
  }

  // Many points are let through, so that crowds show.
  get strength() {
    return this.data.n > 30000 ? 0.6 : 0.85;
  }

  radius() {
    const spread = this.maps.home[this.maps.panels.indexOf(this)][2];
    const zoom = Math.min(3, Math.max(1, spread / this.maps.cameraOf(this)[2]));
    const base = this.data.n > 30000 ? 1.3 : this.data.n > 5000 ? 2 : this.data.n > 1500 ? 2.6 : 3.4;
    return base * Math.sqrt(zoom);
  }

  mark(ctx = null) {
    const { maps } = this, { ratio, width, height } = this.size;
    const onScreen = !ctx;
    ctx = ctx || this.marks.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (onScreen) ctx.clearRect(0, 0, width, height);
    ctx.lineJoin = "round";
    this.markNames(ctx);
    this.markLandmarks(ctx);
    const outline = this.drawing || maps.outlineIn(this);
    if (outline && outline.length > 1) {
      ctx.beginPath();
      outline.forEach(([x, y], i) => ctx[i ? "lineTo" : "moveTo"](...this.toScreen(x, y)));
      if (!this.drawing) ctx.closePath();
      ctx.strokeStyle = maps.ink;
      ctx.lineWidth = 1.5;
      ctx.setLineDash([5, 3]);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    for (const [image, wide] of [[maps.picked, 2.5], [maps.hovered, 1.5]]) {
      const at = this.placeOf(image);
      if (!at) continue;
      ctx.beginPath();
      ctx.arc(...this.toScreen(...at), this.radius() + 4, 0, 2 * Math.PI);
      ctx.strokeStyle = maps.ink;
      ctx.lineWidth = wide;
      ctx.stroke();
    }
  }

  // Names where they do not run into each other, larger classes first.
  markNames(ctx) {
    if (!this.maps.names) return;
    ctx.font = `12px ${this.maps.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const taken = [];
    for (const { text, x, y } of this.data.names) {
      const [u, v] = this.toScreen(x, y), half = ctx.measureText(text).width / 2 + 2;
      if (u - half < 0 || u + half > this.size.width || v < 8 || v > this.size.height - 8) continue;
      if (taken.some(([p, q, w]) => Math.abs(u - p) < half + w && Math.abs(v - q) < 14)) continue;
      taken.push([u, v, half]);
      ctx.lineWidth = 3;
      ctx.strokeStyle = this.maps.halo;
      ctx.strokeText(text, u, v);
      ctx.fillStyle = this.maps.ink;
      ctx.fillText(text, u, v);
    }
  }

  markLandmarks(ctx) {
    for (const { x, y, color, symbol, hollow, to } of this.data.landmarks) {
      const [u, v] = this.toScreen(x, y);
      if (to) {
        ctx.beginPath();
        ctx.moveTo(u, v);
        ctx.lineTo(...this.toScreen(...to));
        ctx.strokeStyle = this.maps.ink;
        ctx.globalAlpha = 0.45;
        ctx.lineWidth = 1;
        ctx.stroke();
        ctx.globalAlpha = 1;
      }
      trace(ctx, symbol, u, v, 6);
      ctx.fillStyle = hollow ? this.maps.halo : color;
      ctx.fill();
      ctx.lineWidth = hollow ? 2 : 1.5;
      ctx.strokeStyle = hollow ? color : this.maps.halo;
      ctx.stroke();
    }
  }

  placeOf(image) {
    if (image === null) return null;
    if (!this.where) {
      this.where = new Map();
      this.data.image.forEach((id, i) => this.where.set(id, i));
    }
    const i = this.where.get(image);
    return i === undefined ? null : [this.data.xy[2 * i], this.data.xy[2 * i + 1]];
  }

  // The landmark or the image nearest to the pointer.
  meet(u, v) {
    for (const landmark of this.data.landmarks) {
      const [p, q] = this.toScreen(landmark.x, landmark.y);
      if (Math.hypot(p - u, q - v) < 8) return { landmark };
    }
    const [x, y] = this.toData(u, v), { xy, image } = this.data, { meant } = this.maps;
    let best = (HOVER / this.scale) ** 2, found = -1;
    for (let i = 0; i < image.length; i++) {
      const near = (xy[2 * i] - x) ** 2 + (xy[2 * i + 1] - y) ** 2;
      if (near < best && (!meant || meant[image[i]])) [best, found] = [near, i];
    }
    return found < 0 ? null : { image: image[found] };
  }

  listen() {
    const at = (event) => {
      const box = this.marks.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.marks.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      this.marks.setPointerCapture(event.pointerId);
      this.from = at(event);
      this.before = this.maps.cameraOf(this).slice();
      this.far = 0; // an outline may end where it began, and is no click
      this.tool = event.shiftKey ? "pan" : this.maps.tool;
      this.drawing = this.tool === "pan" ? null : [this.toData(...this.from)];
    });
    this.marks.addEventListener("pointermove", (event) => {
      const [u, v] = at(event);
      if (!this.from) return this.maps.hover(this, this.meet(u, v), u, v);
      this.far = Math.max(this.far, Math.hypot(u - this.from[0], v - this.from[1]));
      if (this.tool === "pan") {
        const [cx, cy, extent] = this.before;
        const moved = [cx - (u - this.from[0]) / this.scale, cy + (v - this.from[1]) / this.scale];
        return this.maps.look(this, [...moved, extent]);
      }
      if (this.tool === "box") {
        const [a, b] = this.drawing[0], [c, d] = this.toData(u, v);
        this.drawing = [[a, b], [c, b], [c, d], [a, d], [a, b]];
      } else this.drawing.push(this.toData(u, v));
      return this.mark();
    });
    this.marks.addEventListener("pointerup", (event) => {
      if (!this.from) return;
      const [u, v] = at(event), drawn = this.drawing;
      this.from = this.drawing = null;
      if (this.far < 4) this.maps.pick(this.meet(u, v));
      else if (drawn) this.maps.select(this, drawn);
      this.mark();
    });
    this.marks.addEventListener("pointercancel", () => (this.from = this.drawing = null));
    this.marks.addEventListener("pointerleave", () => this.maps.hover(this, null, 0, 0));
    this.marks.addEventListener("dblclick", () => this.maps.look(this, null));
    this.marks.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0015), ...at(event));
    }, { passive: false });
    this.marks.addEventListener("keydown", (event) => this.press(event));
  }

  zoom(factor, u = this.size.width / 2, v = this.size.height / 2) {
    const [x, y] = this.toData(u, v), [cx, cy, extent] = this.maps.cameraOf(this);
    const whole = this.maps.home[this.maps.panels.indexOf(this)][2];
    const next = Math.min(4 * whole, Math.max(whole / 400, extent * factor)), f = next / extent;
    this.maps.look(this, [x + (cx - x) * f, y + (cy - y) * f, next]);
  }

  press(event) {
    const [cx, cy, extent] = this.maps.cameraOf(this), step = extent / 10;
    const { width, height } = this.size;
    const act = {
      ArrowLeft: () => this.maps.look(this, [cx - step, cy, extent]),
      ArrowRight: () => this.maps.look(this, [cx + step, cy, extent]),
      ArrowUp: () => this.maps.look(this, [cx, cy + step, extent]),
      ArrowDown: () => this.maps.look(this, [cx, cy - step, extent]),
      "+": () => this.zoom(0.8),
      "-": () => this.zoom(1.25),
      0: () => this.maps.look(this, null),
      Escape: () => this.maps.select(this, null),
      Enter: () => this.maps.select(this, [[0, 0], [width, 0], [width, height], [0, height]]
        .map(([u, v]) => this.toData(u, v))),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

// --- All maps and what they share ---------------------------------------------------------------

class PointMaps {
  constructor(parent) {
    this.root = parent.querySelector(".maps");
    this.bar = parent.querySelector(".bar");
    this.legend = parent.querySelector(".legend");
    this.status = parent.querySelector(".status");
    this.panels = [];
    this.tool = "lasso";
    this.names = true;
    this.hovered = this.picked = this.selection = this.isolated = null;
    this.build();
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    clearTimeout(this.later);
  }

  build() {
    const button = (label, title, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.title = title;
      made.addEventListener("click", () => act(made));
      this.bar.append(made);
      return made;
    };
    this.tools = Object.entries(TOOLS).map(([tool, label]) =>
      [tool, button(label, `${label}: drag with the pointer`, () => this.use(tool))]);
    button("Whole map", "Double click or 0", () => this.panels.forEach((p) => this.look(p, null)));
    button("Clear", "Escape", () => this.select(this.panels[0], null));
    this.naming = button("Names", "Names of classes", () => {
      this.names = !this.names;
      this.naming.setAttribute("aria-pressed", this.names);
      this.panels.forEach((panel) => panel.mark());
    });
    button("PNG", "Save as a picture", () => this.savePNG());
    button("SVG", "Save as a drawing", () => this.saveSVG());
    this.use("lasso");
  }

  use(tool) {
    this.tool = tool;
    for (const [name, made] of this.tools) made.setAttribute("aria-pressed", name === tool);
    this.root.dataset.tool = tool;
  }

  show(head) {
    const other = !this.head || this.head.key !== head.key;
    this.head = head;
    while (this.panels.length < head.panels.length) this.panels.push(new Panel(this, this.root));
    while (this.panels.length > head.panels.length) this.panels.pop().root.remove();
    head.panels.forEach((data, i) => {
      const panel = this.panels[i];
      panel.data = data;
      panel.where = null;
      if (!panel.order || panel.order.length !== data.n) panel.order = shuffled(data.n);
      panel.caption.textContent = data.title;
      panel.caption.hidden = !data.title;
      panel.marks.setAttribute("aria-label", data.alt);
    });
    this.boxes = this.panels.map((panel) => panel.box());
    if (head.link === "place") this.boxes = this.boxes.map(() => around(this.boxes));
    if (other) {
      this.selection = head.selection;
      this.picked = head.picked;
      this.cameras = this.panels.map((_, i) => head.cameras && head.cameras[i]);
    }
    this.cameras.length = this.panels.length;
    this.naming.hidden = !head.panels.some((panel) => panel.names.length);
    this.naming.setAttribute("aria-pressed", this.names);
    this.isolated = null;
    this.theme();
    this.drawLegend();
    this.remember();
    this.fit();
  }

  theme() {
    const style = getComputedStyle(this.root);
    this.ink = style.color;
    this.font = style.fontFamily;
    this.halo = style.getPropertyValue("--st-background-color").trim() || "#fff";
    this.paper = rgb(this.halo);
    const ink = rgb(this.ink);
    this.grey = [0, 1, 2].map((k) => (this.paper[k] + ink[k]) / 2);
    this.colors = this.head.palette.map(({ color }) => rgb(color));
  }

  fit() {
    if (!this.head || !this.root.clientWidth) return;
    for (const panel of this.panels) panel.fit();
    this.home = this.panels.map((panel, i) => panel.showing(this.boxes[i]));
    this.paint();
  }

  paint() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.panels.forEach((panel) => panel.paint()));
  }

  cameraOf(panel) {
    const i = this.panels.indexOf(panel);
    return this.cameras[i] || this.home[i];
  }

  // Look elsewhere; maps of one plane move together.
  look(panel, camera) {
    this.panels.forEach((each, i) => {
      if (each === panel || this.head.link === "place") this.cameras[i] = camera;
    });
    this.paint();
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      const at = this.cameras.map((own) => (own ? own.map(short) : null));
      this.say("cameras", at.some(Boolean) ? at : null);
    }, 700);
  }

  // What is meant: searched for, isolated in the legend, selected; null means all.
  remember() {
    const { head } = this, sought = head.sought && new Set(head.sought);
    const drawn = this.selection && this.chosen();
    this.meant = null;
    if (!sought && this.isolated === null && !drawn) return this.tell(drawn);
    this.meant = new Uint8Array(head.n);
    for (let i = 0; i < head.n; i++)
      this.meant[i] = (!sought || sought.has(head.class[i])) &&
        (this.isolated === null || head.category[i] === this.isolated) && (!drawn || drawn[i]);
    return this.tell(drawn);
  }

  // The images inside the outline: of every map of that plane, or those of the map drawn in.
  chosen() {
    const out = new Uint8Array(this.head.n), { panel, polygon } = this.selection;
    this.panels.forEach(({ data }, p) => {
      if (p !== panel && this.head.link !== "place") return;
      for (let i = 0; i < data.n; i++)
        if (inside(polygon, data.xy[2 * i], data.xy[2 * i + 1])) out[data.image[i]] = 1;
    });
    return out;
  }

  outlineIn(panel) {
    if (!this.selection) return null;
    const here = this.panels.indexOf(panel) === this.selection.panel;
    return here || this.head.link === "place" ? this.selection.polygon : null;
  }

  tell(drawn) {
    const count = drawn ? drawn.reduce((sum, one) => sum + one, 0) : 0;
    this.status.textContent = drawn
      ? `${count.toLocaleString("en")} of ${this.head.n.toLocaleString("en")} selected` : "";
  }

  select(panel, polygon) {
    const outline = polygon && simplified(polygon, OUTLINE).map((corner) => corner.map(short));
    this.selection = outline && { panel: this.panels.indexOf(panel), polygon: outline };
    this.remember();
    this.paint();
    this.say("selection", this.selection);
  }

  hover(panel, met, u, v) {
    const image = met && met.image !== undefined ? met.image : null;
    if (image !== this.hovered) {
      this.hovered = image;
      this.panels.forEach((each) => each.mark());
    }
    for (const each of this.panels) each.tip.hidden = each !== panel || !met;
    if (!met) return;
    const { tip } = panel;
    tip.replaceChildren();
    if (image !== null && this.head.picture) tip.append(this.pictureOf(image));
    const words = met.landmark ? met.landmark.text : this.wordsOf(image);
    for (const line of words) tip.append(Object.assign(document.createElement("div"),
      { textContent: line }));
    const right = u > panel.size.width / 2, low = v > panel.size.height / 2;
    Object.assign(tip.style, {
      left: right ? "" : `${u + 14}px`,
      right: right ? `${panel.size.width - u + 14}px` : "",
      top: low ? "" : `${v + 14}px`,
      bottom: low ? `${panel.size.height - v + 14}px` : "",
    });
  }

  wordsOf(image) {
    const { head } = this, { label } = head.palette[head.category[image]];
    const name = head.classes[head.class[image]];
    const where = `${head.sets[head.part[image]]}, image ${head.row[image]}`;
    return label && label !== name ? [name, label, where] : [name, where];
  }

  pictureOf(image) {
    const [height, width] = this.head.picture, canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    const ctx = canvas.getContext("2d"), out = ctx.createImageData(width, height);
    for (let k = 0; k < width * height; k++) {
      const dark = 255 - this.head.pixels[image * width * height + k];
      out.data.set([dark, dark, dark, 255], 4 * k);
    }
    ctx.putImageData(out, 0, 0);
    return canvas;
  }

  pick(met) {
    this.picked = met && met.image !== undefined ? met.image : null;
    this.panels.forEach((panel) => panel.mark());
    this.say("picked", this.picked);
  }

  drawLegend() {
    this.legend.replaceChildren();
    const { legend, palette } = this.head;
    if (legend === "scale") return this.drawScale();
    if (legend !== "list") return;
    palette.forEach(({ label, color, symbol }, c) => {
      const made = document.createElement("button");
      made.type = "button";
      made.title = "Show these alone";
      made.setAttribute("aria-pressed", false);
      made.append(sample(color, symbol), label);
      made.addEventListener("click", () => {
        this.isolated = this.isolated === c ? null : c;
        [...this.legend.children].forEach((each, k) =>
          each.setAttribute("aria-pressed", k === this.isolated));
        this.remember();
        this.paint();
      });
      this.legend.append(made);
    });
  }

  drawScale() {
    const { palette, ends } = this.head, bar = document.createElement("span");
    bar.className = "scale";
    bar.style.background = `linear-gradient(90deg, ${palette.map(({ color }) => color).join()})`;
    this.legend.append(ends[0], bar, ends[1]);
  }

  // --- Pictures to take away --------------------------------------------------------------------

  savePNG() {
    const gap = 12, whole = document.createElement("canvas"), ctx = whole.getContext("2d");
    whole.width = this.panels.reduce((sum, { points }) => sum + points.width + gap, -gap);
    whole.height = Math.max(...this.panels.map(({ points }) => points.height));
    ctx.fillStyle = this.halo;
    ctx.fillRect(0, 0, whole.width, whole.height);
    let left = 0;
    for (const { points, marks } of this.panels) {
      ctx.drawImage(points, left, 0);
      ctx.drawImage(marks, left, 0);
      left += points.width + gap;
    }
    whole.toBlob((blob) => save(blob, `${this.head.file}.png`));
  }

  saveSVG() {
    save(new Blob([this.drawing()], { type: "image/svg+xml" }), `${this.head.file}.svg`);
  }

  drawing() {
    const gap = 12, { head, meant } = this, parts = [];
    let left = 0, tall = 0;
    for (const panel of this.panels) {
      const { width, height } = panel.size, r = panel.radius(), by = new Map();
      for (let i = 0; i < panel.data.n; i++) {
        const image = panel.data.image[i];
        const [u, v] = panel.toScreen(panel.data.xy[2 * i], panel.data.xy[2 * i + 1]);
        if (u < 0 || v < 0 || u > width || v > height) continue;
        const key = meant && !meant[image] ? -1 : head.category[image];
        if (!by.has(key)) by.set(key, []);
        by.get(key).push(path(key < 0 ? "circle" : head.palette[key].symbol, u, v, r));
      }
      const layers = [...by].sort((a, b) => a[0] - b[0]).map(([key, shapes]) =>
        `<path fill="${key < 0 ? "#888" : head.palette[key].color}" ` +
        `fill-opacity="${key < 0 ? FAINT : 0.85}" d="${shapes.join("")}"/>`);
      const words = !this.names ? [] : panel.data.names.map(({ text, x, y }) => {
        const [u, v] = panel.toScreen(x, y);
        return `<text x="${u.toFixed(1)}" y="${v.toFixed(1)}" text-anchor="middle" ` +
          `font-family="sans-serif" font-size="11" fill="${this.ink}">${escaped(text)}</text>`;
      });
      parts.push(`<g transform="translate(${left} 0)">${layers.join("")}${words.join("")}</g>`);
      left += width + gap;
      tall = Math.max(tall, height);
    }
    const size = `width="${left - gap}" height="${tall}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><title>${escaped(head.file)}</title>` +
      `<rect ${size} fill="${this.halo}"/>${parts.join("")}</svg>`;
  }
}

// --- Small things -------------------------------------------------------------------------------

const short = (value) => Number(value.toPrecision(5));
const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// The box around boxes.
function around(boxes) {
  return [0, 1, 2, 3].map((k) => Math[k % 2 ? "max" : "min"](...boxes.map((box) => box[k])));
}

// A path that the context of a canvas would draw, as text.
function path(symbol, x, y, r) {
  const commands = [], at = (u, v) => `${u.toFixed(1)} ${v.toFixed(1)}`;
  trace({
    beginPath: () => {},
    moveTo: (u, v) => commands.push(`M${at(u, v)}`),
    lineTo: (u, v) => commands.push(`L${at(u, v)}`),
    arc: (u, v) => commands.push(`M${at(u - r, v)}a${at(r, r)} 0 1 0 ${at(2 * r, 0)}` +
      `a${at(r, r)} 0 1 0 ${at(-2 * r, 0)}`),
    closePath: () => commands.push("Z"),
  }, symbol, x, y, r);
  return commands.join("");
}

function sample(color, symbol) {
  const canvas = document.createElement("canvas"), ctx = canvas.getContext("2d");
  canvas.width = canvas.height = 28;
  trace(ctx, symbol, 14, 14, 9);
  ctx.fillStyle = color;
  ctx.fill();
  return canvas;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
