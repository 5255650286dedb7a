// The live page: a canvas of the fabric, a panel, and actions. No dependencies, no build step.
"use strict";

// States of links, and the number of each phase of the service (OFFLINE, MISMATCH, ...) among them.
const STATES = ["up", "offline", "policy mismatch", "no peer", "faulty", "tuning", "failed"];
const OF_PHASE = [1, 2, 3, 4, 5, 0, 6];
const COLORS = ["#9fb3c8", "#5b6470", "#8a4fd0", "#7a4a21", "#e36c0a", "#e0a100", "#d3261e"];
const SWITCH_STATES = ["in sync", "not in sync", "unreachable", "offline"];
const OF_SWITCH = { ONLINE: 0, INCOMPLETE: 1, UNREACHABLE: 2, OFFLINE: 3 };
const SWITCH_COLORS = ["#2e7d5b", "#e0a100", "#e36c0a", "#d3261e"];
// The order in which a state hides others where several links share a line.
const RANK = [0, 2, 4, 3, 5, 1, 6];
const LOAD_STEPS = 32;
const RAMP = Array.from({ length: 8 }, (_, n) => ramp((n + 1) / 8));
// Pixels of the matrix by load; 0 is no load.
const SHADES = Uint32Array.from({ length: LOAD_STEPS + 1 }, (_, n) => {
  const [r, g, b] = n ? shade(n / LOAD_STEPS) : [238, 242, 246];
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
});
const $ = (id) => document.getElementById(id);

function shade(load) {
  // Light to dark blue: order is visible without color vision.
  const from = [222, 233, 244], to = [8, 48, 107];
  return from.map((low, n) => Math.round(low + (to[n] - low) * load));
}

function ramp(load) { return `rgb(${shade(load).join(",")})`; }

function text(value) {
  return String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function clockText(seconds) {
  const whole = Math.floor(seconds), two = (n) => String(n).padStart(2, "0");
  const days = Math.floor(whole / 86400);
  const day = `${two(Math.floor(whole / 3600) % 24)}:${two(Math.floor(whole / 60) % 60)}`;
  return `${days ? `${days} d ` : ""}${day}:${two(whole % 60)}`;
}

// ---- Requests ----

const session = {
  token: "",
  async request(method, path, body) {
    const headers = {};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
    if (answer.status === 401) { await this.login(); return this.request(method, path, body); }
    const found = answer.status === 204 ? null : await answer.json();
    if (!answer.ok) throw new Error(found?.message ?? answer.statusText);
    return found;
  },
  get(path) { return this.request("GET", path); },
  login() {
    this.asking ??= new Promise((done) => {
      const dialog = $("login");
      dialog.addEventListener("close", () => {
        this.keep($("token").value.trim());
        this.asking = undefined;
        done();
      }, { once: true });
      dialog.showModal();
    });
    return this.asking;
  },
  keep(token) {
    this.token = token;
    sessionStorage.setItem("token", token);
  },
};

function readToken() {
  // A fragment is not sent to the service; it is removed from the address at once.
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) history.replaceState(null, "", location.pathname);
  session.token = found ?? sessionStorage.getItem("token") ?? "";
  if (found) session.keep(found);
}

// ---- The fabric ----

class Fabric {
  constructor(layout) {
    this.time = layout.nowSeconds;
    this.groups = layout.groups.map((group, index) => ({ ...group, index }));
    const s = layout.switches, l = layout.links;
    this.switches = {
      group: Uint16Array.from(s.group), xname: s.xname,
      index: Uint16Array.from(s.group, (g, n) => n - layout.groups[g].first),
      state: Uint8Array.from(s.state, (state) => OF_SWITCH[state]),
    };
    this.links = {
      a: Uint32Array.from(l.a), b: Uint32Array.from(l.b),
      state: Uint8Array.from(l.phase, (phase) => OF_PHASE[phase]),
      load: Uint8Array.from(l.load, (x) => Math.round(Math.min(1, Math.max(0, x)) * LOAD_STEPS)),
    };
    this.members = this.groups.map(() => []);
    this.switches.group.forEach((g, n) => this.members[g].push(n));
    this.numberOf = new Map(s.xname.map((name, n) => [name, n]));
    this.indexPairs();
    this.indexSwitches();
  }

  // Pairs of groups: the links of pair p are order[first[p]] up to order[first[p + 1]].
  indexPairs() {
    const n = this.groups.length, { a, b } = this.links, of = this.switches.group;
    this.pairOf = new Uint32Array(a.length);
    const count = new Uint32Array(n * n + 1);
    for (let k = 0; k < a.length; k++) {
      const g = of[a[k]], h = of[b[k]];
      this.pairOf[k] = Math.min(g, h) * n + Math.max(g, h);
      count[this.pairOf[k] + 1]++;
    }
    for (let p = 0; p < n * n; p++) count[p + 1] += count[p];
    this.first = count.slice();
    this.order = new Uint32Array(a.length);
    const at = count.slice();
    for (let k = 0; k < a.length; k++) this.order[at[this.pairOf[k]]++] = k;
    this.pairs = [];
    for (let p = 0; p < n * n; p++) if (this.first[p + 1] > this.first[p]) this.pairs.push(p);
    this.pairState = new Uint8Array(n * n);
    this.pairLoad = new Uint8Array(n * n);
    for (const p of this.pairs) this.updatePair(p);
  }

  indexSwitches() {
    this.linksOf = this.switches.xname.map(() => []);
    const { a, b } = this.links;
    for (let k = 0; k < a.length; k++) { this.linksOf[a[k]].push(k); this.linksOf[b[k]].push(k); }
  }

  updatePair(p) {
    let state = 0, load = 0;
    for (let n = this.first[p]; n < this.first[p + 1]; n++) {
      const k = this.order[n];
      if (RANK[this.links.state[k]] > RANK[state]) state = this.links.state[k];
      if (this.links.load[k] > load) load = this.links.load[k];
    }
    this.pairState[p] = state;
    this.pairLoad[p] = load;
  }

  // Apply changes [index, before, now]; `column` 2 forward, 1 backward.
  apply(step, column = 2) {
    const touched = new Set();
    for (const change of step.switches ?? []) this.switches.state[change[0]] = change[column];
    for (const [key, name] of [["links", "state"], ["loads", "load"]]) {
      for (const change of step[key] ?? []) {
        this.links[name][change[0]] = change[column];
        touched.add(this.pairOf[change[0]]);
      }
    }
    for (const p of touched) this.updatePair(p);
  }

  groupState(g) {
    let worst = 0;
    for (const n of this.members[g]) worst = Math.max(worst, this.switches.state[n]);
    return worst;
  }

  linkName(k) {
    const { a, b } = this.links;
    return `${this.switches.xname[a[k]]} - ${this.switches.xname[b[k]]}`;
  }

  // A copy, to show an earlier state.
  copy() {
    const found = Object.create(Fabric.prototype);
    Object.assign(found, this);
    found.switches = { ...this.switches, state: this.switches.state.slice() };
    found.links = {
      ...this.links, state: this.links.state.slice(), load: this.links.load.slice(),
    };
    found.pairState = this.pairState.slice();
    found.pairLoad = this.pairLoad.slice();
    return found;
  }

  abnormal() {
    const found = [];
    this.links.state.forEach((state, k) => { if (state) found.push(k); });
    return found;
  }
}

// ---- View: what is shown, and the hit areas of a frame ----

const view = {
  mode: "ring", group: null, switch: null, port: null, ports: [], hits: [], marked: new Set(),
  script: 0, worst: 0, frames: [], dirty: true, isRead: false,
};
let fabric = null, steps = [], status = null, live = true, tab = "selection", alarms = [];

function kindColor(kind) {
  return { compute: "#1f5fa8", service: "#0a7d78" }[kind] ?? "#b0620a"; // the others: storage
}

function go(group, one = null, port = null) {
  Object.assign(view, { group, switch: one, port, ports: one === view.switch ? view.ports : [] });
  view.isRead = false;
  if (one !== null) loadPorts(one);
  tab = "selection";
  refresh();
}

async function loadPorts(one) {
  try {
    const found = await session.get(`/fabric/switches/${fabric.switches.xname[one]}`);
    const links = [...found.edgePortLinks, ...found.fabricPortLinks];
    const ports = await Promise.all(links.map((link) => session.get(link)));
    if (view.switch !== one) return;
    view.ports = ports;
    view.isRead = true;
  } catch (error) { note(error.message); }
  refresh();
}

function draw() {
  const started = performance.now();
  const canvas = $("canvas"), scale = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const c = canvas.getContext("2d");
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, width, height);
  view.hits = [];
  if (fabric) {
    if (view.switch !== null) drawSwitch(c, width, height);
    else if (view.group !== null) drawGroup(c, width, height);
    else if (view.mode === "matrix") drawMatrix(c, width, height);
    else drawRing(c, width, height);
  }
  spend(started);
}

function timed(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}

// Script time since the last frame, of all that the page does.
function spend(started) { view.script += performance.now() - started; }

function ringPoint(n, of, cx, cy, r) {
  const at = (n / of) * 2 * Math.PI - Math.PI / 2;
  return [cx + r * Math.cos(at), cy + r * Math.sin(at)];
}

function drawRing(c, width, height) {
  const n = fabric.groups.length, r = Math.min(width, height) / 2 - 62;
  const cx = width / 2, cy = height / 2;
  const points = fabric.groups.map((_, g) => ringPoint(g, n, cx, cy, r));
  strokePairs(c, points, n);
  const size = Math.max(2.5, Math.min(16, (Math.PI * r) / n - 1));
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.font = "11px system-ui, sans-serif";
  const every = Math.ceil(n / 36);
  fabric.groups.forEach((group, g) => {
    const [x, y] = points[g];
    const state = fabric.groupState(g), local = fabric.pairState[g * n + g];
    c.fillStyle = kindColor(group.kind);
    disk(c, x, y, size);
    if (state || local) {
      c.strokeStyle = state ? SWITCH_COLORS[state] : COLORS[local];
      c.lineWidth = 2.5;
      c.beginPath();
      c.arc(x, y, size + 2.5, 0, 2 * Math.PI);
      c.stroke();
    }
    view.hits.push({ x, y, r: Math.max(6, size + 2), group: g });
    if (g % every === 0) {
      const [lx, ly] = ringPoint(g, n, cx, cy, r + size + 14);
      c.fillStyle = "#64707d";
      c.fillText(group.index, lx, ly);
    }
  });
}

// Lines of group pairs: normal ones by load, the others above them.
function strokePairs(c, points, n) {
  const byLoad = RAMP.map(() => []), byState = STATES.map(() => []);
  for (const p of fabric.pairs) {
    const g = Math.floor(p / n), h = p % n;
    if (g === h) continue;
    if (fabric.pairState[p]) byState[fabric.pairState[p]].push(g, h);
    else byLoad[Math.min(7, Math.floor((fabric.pairLoad[p] * 8) / (LOAD_STEPS + 1)))].push(g, h);
  }
  const dense = fabric.pairs.length > 2000;
  byLoad.forEach((list, n) => {
    // Many pairs overlap: the most loaded ones stay visible above the others.
    c.globalAlpha = dense ? 0.02 + 0.002 * n * n : 0.55;
    const color = n || !dense ? RAMP[n] : COLORS[0];
    strokeList(c, list, points, color, dense ? 0.6 : 1.2);
  });
  c.globalAlpha = 1;
  for (const state of [5, 1, 3, 2, 4, 6]) {
    strokeList(c, byState[state], points, COLORS[state], 2);
  }
}

function strokeList(c, list, points, color, width) {
  if (!list.length) return;
  c.strokeStyle = color;
  c.lineWidth = width;
  c.beginPath();
  for (let k = 0; k < list.length; k += 2) {
    const from = points[list[k]], to = points[list[k + 1]];
    c.moveTo(from[0], from[1]);
    c.lineTo(to[0], to[1]);
  }
  c.stroke();
}

function disk(c, x, y, r) {
  c.beginPath();
  c.arc(x, y, r, 0, 2 * Math.PI);
  c.fill();
}

function drawMatrix(c, width, height) {
  const n = fabric.groups.length, size = Math.min(width - 90, height - 90);
  const cell = size / n, left = (width - size) / 2, top = (height - size) / 2 + 8;
  // One pixel per pair, enlarged; states other than up are drawn above it.
  const image = new ImageData(n, n), words = new Uint32Array(image.data.buffer), marks = [];
  for (const p of fabric.pairs) {
    const g = Math.floor(p / n), h = p % n;
    words[g * n + h] = words[h * n + g] = SHADES[fabric.pairLoad[p]];
    if (fabric.pairState[p]) marks.push([g, h, fabric.pairState[p]]);
  }
  view.pixels ??= document.createElement("canvas");
  view.pixels.width = view.pixels.height = n;
  view.pixels.getContext("2d").putImageData(image, 0, 0);
  c.imageSmoothingEnabled = false;
  c.drawImage(view.pixels, left, top, size, size);
  const grown = cell < 5 ? 1.5 : 0;
  for (const [g, h, state] of marks) {
    c.fillStyle = COLORS[state];
    for (const [x, y] of g === h ? [[g, h]] : [[g, h], [h, g]]) {
      c.fillRect(left + x * cell - grown, top + y * cell - grown, cell + 2 * grown,
        cell + 2 * grown);
    }
  }
  c.fillStyle = "#64707d";
  c.font = "11px system-ui, sans-serif";
  const every = Math.ceil(n / 24);
  for (let g = 0; g < n; g += every) {
    c.textAlign = "center";
    c.textBaseline = "bottom";
    c.fillText(fabric.groups[g].index, left + (g + 0.5) * cell, top - 4);
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillText(fabric.groups[g].index, left - 5, top + (g + 0.5) * cell);
  }
  view.matrix = { left, top, cell, n };
}

function drawGroup(c, width, height) {
  const g = view.group, members = fabric.members[g];
  const cx = width / 2, cy = height / 2, far = Math.min(width, height) / 2 - 62, r = far * 0.62;
  const others = fabric.groups.length;
  const place = new Map(members.map((n, k) => [n, ringPoint(k, members.length, cx, cy, r)]));
  const lines = new Map();
  const add = (key, width, from, to) => {
    if (!lines.has(key)) lines.set(key, { width, points: [] });
    lines.get(key).points.push(from, to);
  };
  const farUsed = new Set();
  for (const one of members) {
    for (const k of fabric.linksOf[one]) {
      const { a, b, state, load } = fabric.links;
      const isLocal = fabric.switches.group[a[k]] === fabric.switches.group[b[k]];
      if (isLocal && a[k] !== one) continue;
      const other = a[k] === one ? b[k] : a[k], h = fabric.switches.group[other];
      const to = isLocal ? place.get(other) : ringPoint(h, others, cx, cy, far);
      if (!isLocal) farUsed.add(h);
      const key = state[k] ? `s${state[k]}` : `l${isLocal ? 0 : 1}${Math.min(7,
        Math.floor((load[k] * 8) / (LOAD_STEPS + 1)))}`;
      add(key, state[k] ? 2.4 : isLocal ? 1 : 0.5, place.get(one), to);
    }
  }
  for (const [key, { width: w, points }] of [...lines].sort()) {
    c.strokeStyle = key[0] === "s" ? COLORS[+key[1]] : RAMP[+key[2]];
    c.globalAlpha = key[0] === "s" ? 1 : key[1] === "0" ? 0.75 : 0.45;
    c.lineWidth = w;
    c.beginPath();
    for (let k = 0; k < points.length; k += 2) {
      c.moveTo(...points[k]);
      c.lineTo(...points[k + 1]);
    }
    c.stroke();
  }
  c.globalAlpha = 1;
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  c.textAlign = "center";
  const every = Math.ceil(others / 36);
  for (const h of farUsed) {
    const [x, y] = ringPoint(h, others, cx, cy, far);
    c.fillStyle = kindColor(fabric.groups[h].kind);
    disk(c, x, y, 2.5);
    view.hits.push({ x, y, r: 5, group: h });
    if (h % every === 0) {
      const [lx, ly] = ringPoint(h, others, cx, cy, far + 14);
      c.fillStyle = "#64707d";
      c.fillText(fabric.groups[h].index, lx, ly);
    }
  }
  const size = Math.min(15, (Math.PI * r) / members.length - 2);
  for (const [one, [x, y]] of place) {
    c.fillStyle = SWITCH_COLORS[fabric.switches.state[one]];
    disk(c, x, y, size);
    c.fillStyle = "#fff";
    c.fillText(fabric.switches.index[one], x, y);
    view.hits.push({ x, y, r: size + 2, switch: one });
  }
}

function portState(port) {
  const phases = ["OFFLINE", "MISMATCH", "NO_PEER", "FAULTY", "TUNING", "ONLINE", "FAILED"];
  return OF_PHASE[phases.indexOf(port.status.phase)] ?? 0;
}

function drawSwitch(c, width, height) {
  const ports = view.ports;
  c.font = "11px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  if (!ports.length) {
    c.fillStyle = "#64707d";
    c.fillText(view.isRead ? "No ports" : "Reading ports ...", width / 2, height / 2);
    return;
  }
  // The front: jacks in rows, the ports of a jack below each other.
  const jacks = new Map();
  for (const port of ports) {
    const [, jack, n] = /j(\d+)p(\d+)$/.exec(port.conn_port) ?? [null, port.conn_port, "0"];
    if (!jacks.has(jack)) jacks.set(jack, []);
    jacks.get(jack).push([+n, port]);
  }
  const names = [...jacks.keys()].sort((a, b) => a - b);
  const columns = Math.min(16, names.length), cell = Math.min(64, (width - 80) / columns);
  const rows = Math.ceil(names.length / columns), tall = cell * 1.25;
  const left = (width - columns * cell) / 2, top = (height - rows * tall) / 2;
  names.forEach((jack, n) => {
    const x = left + (n % columns) * cell, y = top + Math.floor(n / columns) * tall;
    c.fillStyle = "#64707d";
    c.fillText(`j${jack}`, x + cell / 2, y + 8);
    const its = jacks.get(jack).sort((a, b) => a[0] - b[0]);
    const h = (tall - 26) / Math.max(2, its.length);
    its.forEach(([, port], k) => {
      const state = portState(port), py = y + 18 + k * h;
      const type = port.portSubtype;
      c.fillStyle = state ? COLORS[state] : type === "edge" ? "#2e7d5b" : kindColor("compute");
      c.globalAlpha = state || type !== "local" ? 1 : 0.7;
      c.fillRect(x + 4, py, cell - 8, h - 3);
      c.globalAlpha = 1;
      c.fillStyle = "#fff";
      if (h > 14) c.fillText(type[0].toUpperCase(), x + cell / 2, py + (h - 3) / 2);
      if (view.port === port.conn_port) {
        c.strokeStyle = "#1d2733";
        c.lineWidth = 2.5;
        c.strokeRect(x + 4, py, cell - 8, h - 3);
      }
      view.hits.push({ box: [x + 4, py, cell - 8, h - 3], port: port.conn_port });
    });
  });
  c.fillStyle = "#64707d";
  c.font = "13px system-ui, sans-serif";
  c.fillText(`${fabric.switches.xname[view.switch]}: E edge, L local, G global port`,
    width / 2, top - 22);
}

// ---- Pointer ----

function hitAt(x, y) {
  if (view.group === null && view.switch === null && view.mode === "matrix" && view.matrix) {
    const { left, top, cell, n } = view.matrix;
    const g = Math.floor((x - left) / cell), h = Math.floor((y - top) / cell);
    return g >= 0 && h >= 0 && g < n && h < n ? { pair: [g, h] } : null;
  }
  return view.hits.findLast(({ x: hx, y: hy, r, box }) => box
    ? x >= box[0] && y >= box[1] && x <= box[0] + box[2] && y <= box[1] + box[3]
    : (x - hx) ** 2 + (y - hy) ** 2 <= r * r) ?? null;
}

function tipOf(hit) {
  const n = fabric.groups.length;
  if (hit.port) {
    const port = view.ports.find((one) => one.conn_port === hit.port);
    const { phase, reason } = port.status;
    return `${hit.port}: ${phase}${reason ? `, ${reason}` : ""}\nto ${port.dst_port}`;
  }
  if (hit.switch !== undefined) {
    const name = fabric.switches.xname[hit.switch];
    return `${name}: ${SWITCH_STATES[fabric.switches.state[hit.switch]]}`;
  }
  const [g, h] = hit.pair ?? [hit.group, hit.group];
  const p = Math.min(g, h) * n + Math.max(g, h), count = fabric.first[p + 1] - fabric.first[p];
  const what = g === h ? `group ${fabric.groups[g].index} (${fabric.groups[g].kind})`
    : `groups ${fabric.groups[g].index} and ${fabric.groups[h].index}`;
  const load = Math.round((fabric.pairLoad[p] / LOAD_STEPS) * 100);
  return `${what}: ${count} links${g === h ? " inside" : ""}\nworst ${STATES[fabric.pairState[p]]}`
    + `, highest load ${load} %`;
}

function pointer(event) {
  const box = $("canvas").getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function onMove(event) {
  if (!fabric) return;
  const [x, y] = pointer(event), hit = hitAt(x, y), tip = $("tip");
  $("canvas").style.cursor = hit ? "pointer" : "default";
  tip.hidden = !hit;
  if (hit) {
    tip.textContent = tipOf(hit);
    tip.style.left = `${Math.min(x + 14, $("canvas").clientWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${y + 14}px`;
  }
}

function onClick(event) {
  if (!fabric) return;
  const hit = hitAt(...pointer(event));
  $("tip").hidden = true;
  if (!hit) return;
  if (hit.port) go(view.group, view.switch, hit.port);
  else if (hit.switch !== undefined) go(fabric.switches.group[hit.switch], hit.switch);
  else go(hit.pair ? hit.pair[0] : hit.group);
}

// ---- Panel ----

function note(message) {
  alarms.unshift({ time: fabric?.time ?? 0, text: message });
}

function rowsTable(head, rows) {
  const cells = head.map((h) => `<th>${text(h)}</th>`).join("");
  return `<table><tr>${cells}</tr>${rows.join("")}</table>`;
}

function dot(color) { return `<span class="dot" data-color="${color}"></span>`; }

function documentTable(found) {
  const cells = Object.entries(found).filter(([key]) => !key.startsWith("document"))
    .flatMap(([key, value]) => value && typeof value === "object" && !Array.isArray(value)
      ? Object.entries(value) : [[key, value]]);
  const rows = cells.sort().map(([key, value]) => {
    const shown = Array.isArray(value) ? value.join("\n") : value;
    return `<tr><th>${text(key)}</th><td>${text(shown)}</td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

const panels = {
  async selection() {
    if (view.port) return portPanel();
    if (view.switch !== null) return switchPanel();
    if (view.group !== null) return groupPanel();
    return fabricPanel();
  },
  async changes() {
    const last = steps.filter((s) => s.switches.length || s.links.length).slice(-12).reverse();
    if (!last.length) return '<p class="note">No change of a state since the page was opened.</p>';
    const shown = (step) => `<h2>${clockText(step.nowSeconds)}</h2>${changesTable(step)}`;
    return last.map(shown).join("");
  },
  async alarms() {
    const bad = fabric.abnormal().filter((k) => fabric.links.state[k] !== 1);
    const rows = bad.slice(0, 200).map(linkRow);
    const health = Object.entries(status?.health ?? {}).map(([name, value]) =>
      `<tr><td>${text(name)}</td><td class="${value === "HEALTHY" ? "" : "error"}">${text(value)}`
      + "</td></tr>");
    const notes = alarms.slice(0, 20).map((a) =>
      `<tr><td>${clockText(a.time)}</td><td>${text(a.text)}</td></tr>`);
    return `<h2>Health</h2>${rowsTable(["Area", "State"], health)}<h2>${bad.length} links with an`
      + ` alarm</h2>${rowsTable(["Link", "State"], rows)}`
      + (notes.length ? `<h2>Messages</h2>${rowsTable(["Time", "Message"], notes)}` : "");
  },
  async jobs() {
    const page = await session.get("/simulation/jobs?expand=true");
    const found = Object.values(page.documents ?? {});
    const rows = found.map((job) => {
      const rate = job.rateGbitPerNic;
      const name = job.documentSelfLink.split("/").pop();
      return `<tr><td>${text(name)}</td><td>${job.groups.length}</td><td class="number">`
        + `${job.nodes?.length ?? ""}</td><td class="number">`
        + `${rate === undefined ? "" : (+rate).toFixed(1)}</td></tr>`;
    });
    return found.length ? rowsTable(["Job", "Groups", "Nodes", "Gbit/s per NIC"], rows)
      : '<p class="note">No job. `odonata bench --fabric URL` adds one.</p>';
  },
  async maintenance() {
    const page = await session.get("/fabric/maintenances?expand=true");
    const found = Object.values(page.documents ?? {});
    const rows = found.map((one) => {
      const name = one.documentSelfLink.split("/").pop();
      const isOpen = !["FINISHED", "FAILED"].includes(one.stage);
      return `<tr><td>${text(name)}</td><td>${text(one.stage ?? "")}</td><td>`
        + `${text((one.targets ?? []).join(", "))}</td><td>`
        + (isOpen ? `<button data-restore="${text(name)}">Restore</button>` : "") + "</td></tr>";
    });
    return found.length ? rowsTable(["Name", "Stage", "Targets", ""], rows)
      : '<p class="note">No maintenance. Select a switch or port to take it out of service.</p>';
  },
};

function linkRow(k) {
  const state = fabric.links.state[k];
  return `<tr data-go="${fabric.links.a[k]}"><td>${text(fabric.linkName(k))}</td><td>`
    + `${dot(COLORS[state])}${STATES[state]}</td></tr>`;
}

function changesTable(step) {
  const links = step.links.slice(0, 40).map(([k, before, now]) =>
    `<tr data-go="${fabric.links.a[k]}"><td>${text(fabric.linkName(k))}</td><td>${STATES[before]}`
    + ` &rarr; ${dot(COLORS[now])}${STATES[now]}</td></tr>`);
  const switches = step.switches.slice(0, 40).map(([n, before, now]) =>
    `<tr data-go="${n}"><td>${text(fabric.switches.xname[n])}</td><td>${SWITCH_STATES[before]}`
    + ` &rarr; ${dot(SWITCH_COLORS[now])}${SWITCH_STATES[now]}</td></tr>`);
  const more = step.links.length + step.switches.length - links.length - switches.length;
  return rowsTable(["Name", "State"], [...switches, ...links])
    + (more > 0 ? `<p class="note">and ${more} more</p>` : "");
}

function fabricPanel() {
  const counts = new Array(STATES.length).fill(0);
  for (const state of fabric.links.state) counts[state]++;
  const kinds = {};
  for (const group of fabric.groups) kinds[group.kind] = (kinds[group.kind] ?? 0) + 1;
  const rows = STATES.map((name, n) =>
    `<tr><td>${dot(COLORS[n])}${name}</td><td class="number">${counts[n].toLocaleString("en")}`
    + "</td></tr>");
  const groups = Object.entries(kinds).map(([kind, n]) =>
    `<tr><td>${dot(kindColor(kind))}${text(kind)}</td><td class="number">${n}</td></tr>`);
  return `<h2>Links</h2>${rowsTable(["State", "Count"], rows)}<h2>Groups</h2>`
    + `${rowsTable(["Kind", "Count"], groups)}<p class="note">Select a group, then a switch, then a`
    + " port. Lines are drawn darker with load; states other than up are drawn above them.</p>";
}

function groupPanel() {
  const rows = fabric.members[view.group].map((n) => {
    const bad = fabric.linksOf[n].filter((k) => fabric.links.state[k]).length;
    const state = fabric.switches.state[n];
    return `<tr data-go="${n}"><td>${text(fabric.switches.xname[n])}</td><td>`
      + `${dot(SWITCH_COLORS[state])}${SWITCH_STATES[state]}</td><td class="number">${bad || ""}`
      + "</td></tr>";
  });
  const { index, kind } = fabric.groups[view.group];
  return `<h2>Group ${index} (${text(kind)})</h2>`
    + rowsTable(["Switch", "State", "Links not up"], rows);
}

function switchPanel() {
  const name = fabric.switches.xname[view.switch];
  const bad = fabric.linksOf[view.switch].filter((k) => fabric.links.state[k]);
  return `<h2>${text(name)}</h2><p>${dot(SWITCH_COLORS[fabric.switches.state[view.switch]])}`
    + `${SWITCH_STATES[fabric.switches.state[view.switch]]}, ${view.ports.length} ports</p>`
    + `<div class="actions"><button class="danger" data-offline="${text(name)}">Take out of service`
    + `</button><button data-reset="/fabric/switches/${text(name)}">Reset</button></div>`
    + (bad.length ? `<h2>Links not up</h2>${rowsTable(["Link", "State"], bad.map(linkRow))}` : "");
}

async function portPanel() {
  const found = await session.get(`/fabric/ports/${view.port}`);
  const state = portState(found), { phase, reason } = found.status;
  return `<h2>${text(view.port)}</h2><p>${dot(state ? COLORS[state] : "#2e7d5b")}`
    + `${text(phase)}${reason ? `: ${text(reason)}` : ""}</p><div class="actions">`
    + `<button class="danger" data-offline="${text(view.port)}">Take out of service</button>`
    + `<button data-reset="/fabric/ports/${text(view.port)}">Reset</button></div>`
    + documentTable(found);
}

let drawn = 0, panelHtml = "";
async function refresh() {
  view.dirty = true;
  if (!fabric) return;
  drawPath();
  for (const button of $("tabs").children) {
    button.setAttribute("aria-selected", button.dataset.tab === tab);
  }
  for (const button of $("views").children) {
    button.setAttribute("aria-selected", button.dataset.view === view.mode);
  }
  $("views").hidden = view.group !== null;
  const mine = ++drawn;
  let html;
  try { html = await panels[tab](); } catch (error) {
    html = `<p class="error">${text(error.message)}</p>`;
  }
  if (mine !== drawn || panelHtml === html) return;
  const started = performance.now();
  panelHtml = html;
  const top = $("panel").scrollTop;
  $("panel").innerHTML = html;
  $("panel").scrollTop = top;
  colorDots($("panel"));
  spend(started);
}

// The content security policy has no inline styles.
function colorDots(root) {
  for (const one of root.querySelectorAll("[data-color]")) {
    one.style.background = one.dataset.color;
  }
}

function drawPath() {
  const parts = [["Fabric", () => go(null)]];
  if (view.group !== null) {
    parts.push([`group ${fabric.groups[view.group].index}`, () => go(view.group)]);
  }
  if (view.switch !== null) {
    parts.push([fabric.switches.xname[view.switch], () => go(view.group, view.switch)]);
  }
  if (view.port) parts.push([view.port, () => {}]);
  $("path").replaceChildren(...parts.flatMap(([name, action], n) => {
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = action;
    return n ? [document.createTextNode("›"), button] : [button];
  }));
}

function drawCounts() {
  if (!status) return;
  const parts = [["edge", status.edge?.online, status.edge?.total],
    ["fabric", status.fabric?.online, status.fabric?.total],
    ["in sync", status.synchronizedSwitches?.synchronized,
      status.synchronizedSwitches?.total]];
  $("counts").innerHTML = parts.filter(([, n]) => n !== undefined).map(([name, n, of]) =>
    `<span class="${n < of ? "bad" : ""}">${name} <b>${n.toLocaleString("en")} / `
    + `${of.toLocaleString("en")}</b></span>`).join("");
}

// ---- Actions ----

async function confirmed(title, targets) {
  const dialog = $("dialog"), body = $("dialog-text"), confirm = $("confirm");
  const head = `<h2>${text(title)}</h2>`;
  body.innerHTML = `${head}<p class="note">Predicting the cost for running jobs ...</p>`;
  confirm.disabled = true;
  dialog.returnValue = "cancel";
  dialog.showModal();
  const closed = new Promise((done) =>
    dialog.addEventListener("close", () => done(dialog.returnValue === "confirm"), { once: true }));
  try {
    const cost = await session.request("POST", "/simulation/costs", { targets });
    const rows = cost.jobs.map((job) => `<tr><td>${text(job.name)}</td><td class="number">`
      + `${job.before_gbit_s.toFixed(1)}</td><td class="number">${job.after_gbit_s.toFixed(1)}</td>`
      + `<td class="number">${(job.change * 100).toFixed(2)} %</td>`
      + `<td><button type="button" data-packets="${text(job.name)}">packets</button></td></tr>`);
    body.innerHTML = head + (rows.length
      ? rowsTable(["Job", "before, Gbit/s", "after, Gbit/s", "change",
        "packets: before / until the routing sweep / after"], rows)
      : "<p>No job is on the fabric: no cost.</p>") + `<p class="note">${text(cost.method)}</p>`;
  } catch (error) {
    body.innerHTML = `${head}<p class="error">No prediction: ${text(error.message)}</p>`;
  }
  body.onclick = ({ target }) => {
    if (target.dataset.packets) predictPackets(target, targets);
  };
  confirm.disabled = false;
  return closed;
}

// The cost for one job at packet fidelity, in place of its button.
async function predictPackets(button, targets) {
  button.disabled = true;
  try {
    const body = { targets, job: button.dataset.packets, fidelity: "packet" };
    const [job] = (await session.request("POST", "/simulation/costs", body)).jobs;
    const [now, until, after] = [job.before_gbit_s, job.until_gbit_s, job.after_gbit_s]
      .map((rate) => rate.toFixed(1));
    button.replaceWith(`${now} / ${until} / ${after}`);
  } catch (error) {
    button.replaceWith(`no prediction: ${error.message}`);
  }
}

function nameOf(path) { return path.split("/").pop(); }

async function act(button) {
  const { offline, reset, restore } = button.dataset;
  try {
    if (offline && await confirmed(`Take ${offline} out of service`, [offline])) {
      const name = `${offline}-${Math.floor(liveFabric.time)}`;
      const body = { name, targets: [offline], drain: true };
      await session.request("POST", "/fabric/maintenances", body);
      tab = "maintenance";
    } else if (reset && await confirmed(`Reset ${nameOf(reset)}`, [nameOf(reset)])) {
      await session.request("PATCH", reset, { action: "RESET" });
    } else if (restore) {
      await session.request("PATCH", `/fabric/maintenances/${restore}`, { action: "RESTORE" });
    }
  } catch (error) {
    note(error.message);
    tab = "alarms";
  }
  refresh();
}

// ---- Time ----

let liveFabric = null;

function goLive() {
  fabric = liveFabric;
  live = true;
  $("shown").textContent = "live";
  $("slider").value = $("slider").max;
  refresh();
}

function showTime(seconds) {
  live = false;
  fabric = liveFabric.copy();
  for (let n = steps.length - 1; n >= 0 && steps[n].nowSeconds > seconds; n--) {
    fabric.apply(steps[n], 1);
  }
  fabric.time = seconds;
  $("shown").textContent = clockText(seconds);
  refresh();
}

// Numbers of phases become those of states.
function translated(step) {
  for (const change of step.links) {
    change[1] = OF_PHASE[change[1]];
    change[2] = OF_PHASE[change[2]];
  }
  return step;
}

function onStep(step) {
  const started = performance.now();
  steps.push(translated(step));
  if (steps.length > 20000) steps.shift();
  status = step.status ?? status;
  liveFabric.apply(step);
  liveFabric.time = step.nowSeconds;
  $("time").textContent = clockText(step.nowSeconds);
  const slider = $("slider");
  slider.min = steps[0].nowSeconds;
  slider.max = step.nowSeconds;
  if (live) slider.value = step.nowSeconds;
  drawCounts();
  const isChanged = step.switches.length || step.links.length || step.loads?.length;
  if (live && isChanged) {
    if (view.switch !== null && step.links.length) loadPorts(view.switch);
    refresh();
  } else if (["jobs", "maintenance", "alarms"].includes(tab)) refresh();
  spend(started);
}

async function follow() {
  for (;;) {
    try {
      const headers = session.token ? { Authorization: `Bearer ${session.token}` } : {};
      const answer = await fetch("/simulation/stream", { headers });
      if (!answer.ok) throw new Error(answer.statusText);
      await load();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        for (const part of parts) {
          if (part.startsWith("event: reload")) await load();
          else if (part.startsWith("data: ")) onStep(JSON.parse(part.slice(6)));
        }
      }
    } catch (error) { $("shown").textContent = "no connection"; }
    await new Promise((done) => setTimeout(done, 1000));
  }
}

async function load() {
  const [layout, found, clock, past, machine] = await Promise.all([
    session.get("/simulation/layout"), session.get("/simulation/status"),
    session.get("/simulation/clock"), session.get("/simulation/history"),
    session.get("/simulation/machine")]);
  liveFabric = fabric = new Fabric(layout);
  live = true;
  steps = past.steps.map(translated);
  status = found;
  $("name").textContent = machine.name;
  $("speed").value = String(clock.speed);
  $("time").textContent = clockText(clock.nowSeconds);
  $("slider").min = past.steps[0]?.nowSeconds ?? clock.nowSeconds;
  $("slider").max = $("slider").value = clock.nowSeconds;
  $("shown").textContent = "live";
  drawCounts();
  refresh();
}

function frame() {
  if (view.dirty) {
    view.dirty = false;
    draw();
    const now = performance.now();
    view.frames = [...view.frames.filter((at) => now - at < 1000), now];
    view.worst = Math.max(view.worst, view.script);
    $("frames").textContent = `${view.script.toFixed(1)} ms per frame (most ${
      view.worst.toFixed(1)} ms), ${view.frames.length} frames/s`;
    view.script = 0;
  }
  requestAnimationFrame(frame);
}

function start() {
  readToken();
  $("legend").innerHTML = `<span>load<span class="ramp"></span></span>`
    + STATES.slice(1).map((name, n) => `<span>${dot(COLORS[n + 1])}${name}</span>`).join("");
  $("legend").querySelector(".ramp").style.background =
    `linear-gradient(90deg, ${ramp(0)}, ${ramp(1)})`;
  colorDots($("legend"));
  $("canvas").addEventListener("mousemove", onMove);
  $("canvas").addEventListener("mouseleave", () => { $("tip").hidden = true; });
  $("canvas").addEventListener("click", onClick);
  addEventListener("resize", refresh);
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || $("dialog").open || $("login").open) return;
    if (view.port) go(view.group, view.switch);
    else if (view.switch !== null) go(view.group);
    else if (view.group !== null) go(null);
  });
  $("views").addEventListener("click", ({ target }) => {
    if (target.dataset.view) { view.mode = target.dataset.view; refresh(); }
  });
  $("tabs").addEventListener("click", ({ target }) => {
    if (target.dataset.tab) { tab = target.dataset.tab; refresh(); }
  });
  $("panel").addEventListener("click", ({ target }) => {
    const button = target.closest("button"), row = target.closest("tr[data-go]");
    if (button) act(button);
    else if (row) go(fabric.switches.group[+row.dataset.go], +row.dataset.go);
  });
  $("slider").addEventListener("input", ({ target }) => showTime(+target.value));
  $("live").addEventListener("click", goLive);
  $("speed").addEventListener("change", ({ target }) =>
    session.request("PATCH", "/simulation/clock", { speed: +target.value })
      .catch((error) => note(error.message)));
  $("step").addEventListener("click", () =>
    session.request("POST", "/simulation/clock/advance", { seconds: 10 })
      .catch((error) => note(error.message)));
  requestAnimationFrame(frame);
  follow();
}

start();
