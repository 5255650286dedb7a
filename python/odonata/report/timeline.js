"use strict";
(() => {
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const place = document.getElementById("timeline");
  const canvas = place.querySelector("canvas");
  const output = place.querySelector("output");
  const shares = Uint8Array.from(atob(data.shares), (c) => c.charCodeAt(0));
  const states = ["compute", "waiting", "transfer"];
  const LEFT = 132, BOTTOM = 26;
  const height = Math.max(140, Math.min(520, data.rows * Math.max(2, 16 - data.rows / 16))) + BOTTOM;
  // At most this many single calls are drawn at once; more are shown as shares.
  const MOST_DRAWN = 8000;
  let view = [data.first, data.last], drag = null;

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const rgb = (text) => {
    const hex = text.length === 4 ? text.replace(/[0-9a-f]/gi, "$&$&") : text;
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  };
  const shown = (seconds) => {
    if (!seconds) return "0";
    for (const [unit, scale] of [["s", 1], ["ms", 1e-3], ["\u00b5s", 1e-6], ["ns", 1e-9]]) {
      if (Math.abs(seconds) >= scale || unit === "ns") return `${+(seconds / scale).toPrecision(4)} ${unit}`;
    }
  };
  const x = (t, width) => LEFT + (t - view[0]) / (view[1] - view[0]) * (width - LEFT);
  const time = (px, width) => view[0] + (px - LEFT) / (width - LEFT) * (view[1] - view[0]);

  function image() {
    const paper = rgb(color("panel")), colors = states.map((name) => rgb(color(name)));
    const off = document.createElement("canvas");
    off.width = data.bins; off.height = data.rows;
    const context = off.getContext("2d"), pixels = context.createImageData(data.bins, data.rows);
    for (let at = 0; at < data.bins * data.rows; at++) {
      const part = [0, 1, 2].map((nth) => shares[3 * at + nth] / 255);
      const rest = Math.max(0, 1 - part[0] - part[1] - part[2]);
      for (let c = 0; c < 3; c++) {
        pixels.data[4 * at + c] = rest * paper[c] + part[0] * colors[0][c] + part[1] * colors[1][c] + part[2] * colors[2][c];
      }
      pixels.data[4 * at + 3] = 255;
    }
    context.putImageData(pixels, 0, 0);
    return off;
  }

  function draw() {
    const width = place.clientWidth, scale = window.devicePixelRatio || 1;
    canvas.width = width * scale; canvas.height = height * scale; canvas.style.height = height + "px";
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "12px system-ui, sans-serif";
    const plot = height - BOTTOM, row = plot / data.rows, soft = color("soft");
    const visible = data.slices.filter((s) => s[4] >= view[0] && s[2] <= view[1]);
    context.fillStyle = color("panel");
    context.fillRect(LEFT, 0, width - LEFT, plot);
    context.save();
    context.beginPath(); context.rect(LEFT, 0, width - LEFT, plot); context.clip();
    if (data.slices.length && visible.length <= MOST_DRAWN) {
      const gap = row > 6 ? 1 : 0;
      for (const [at, name, begin, ready, end] of visible) {
        const parts = data.names[name] === "compute" ? [["compute", begin, end]]
          : [["waiting", begin, ready], ["transfer", ready, end]];
        for (const [state, from, to] of parts) {
          if (to <= from) continue;
          context.fillStyle = color(state);
          context.fillRect(x(from, width), at * row, Math.max(x(to, width) - x(from, width) - (gap ? .5 : 0), .4), row - gap);
        }
        const left = Math.max(x(begin, width), LEFT), room = Math.min(x(end, width), width) - left;
        const text = data.names[name];
        if (row >= 12 && room > context.measureText(text).width + 8) {
          context.fillStyle = "#fff";
          context.fillText(text, left + 4, at * row + row / 2 + 4);
        }
      }
    } else {
      const span = data.last - data.first, pixels = data.bins / span;
      context.imageSmoothingEnabled = false;
      context.drawImage(image(), (view[0] - data.first) * pixels, 0, (view[1] - view[0]) * pixels, data.rows,
        LEFT, 0, width - LEFT, plot);
    }
    if (drag) {
      context.fillStyle = color("ink"); context.globalAlpha = .15;
      context.fillRect(Math.min(drag[0], drag[1]), 0, Math.abs(drag[1] - drag[0]), plot);
      context.globalAlpha = 1;
    }
    context.restore();
    context.fillStyle = soft;
    const every = Math.ceil(15 / row);
    let before = "";
    for (let at = 0; at < data.rows; at += every) {
      let label = data.labels[at];
      const [rank, node] = label.split(", ");
      if (node === before) label = rank;
      before = node;
      while (label && context.measureText(label).width > LEFT - 8) label = label.slice(0, -1);
      context.fillText(label, 0, at * row + Math.max(Math.min(row, 15) / 2 + 5, at ? 0 : 10));
    }
    for (let nth = 0; nth <= 5; nth++) {
      const t = view[0] + nth / 5 * (view[1] - view[0]);
      context.textAlign = nth === 0 ? "left" : nth === 5 ? "right" : "center";
      context.fillText(shown(t), x(t, width), height - 8);
      context.fillRect(x(t, width) - (nth === 5 ? 1 : 0), plot, 1, 4);
    }
    context.textAlign = "left";
  }

  function describe(event) {
    const box = canvas.getBoundingClientRect(), width = box.width;
    const px = event.clientX - box.left, at = Math.floor((event.clientY - box.top) / (height - BOTTOM) * data.rows);
    if (px < LEFT || at < 0 || at >= data.rows) return "";
    const t = time(px, width);
    const hit = data.slices.filter((s) => s[0] === at && s[2] <= t && t <= s[4]).pop();
    if (hit) {
      const waited = hit[3] > hit[2] ? `, waiting ${shown(hit[3] - hit[2])}` : "";
      return `rank ${hit[6]}: ${data.names[hit[1]]}, ${shown(hit[4] - hit[2])}${waited}${hit[5] ? `, ${hit[5]} B` : ""}`;
    }
    const bin = Math.min(Math.floor((t - data.first) / (data.last - data.first) * data.bins), data.bins - 1);
    const part = states.map((name, nth) => `${name} ${Math.round(shares[3 * (at * data.bins + bin) + nth] / 2.55)} %`);
    return `${data.labels[at]}, ${shown(t)}: ${part.join(", ")}`;
  }

  canvas.addEventListener("mousemove", (event) => {
    if (drag) { drag[1] = event.clientX - canvas.getBoundingClientRect().left; draw(); }
    output.textContent = describe(event);
  });
  canvas.addEventListener("mousedown", (event) => {
    const px = event.clientX - canvas.getBoundingClientRect().left;
    if (px >= LEFT) drag = [px, px];
  });
  window.addEventListener("mouseup", () => {
    if (!drag) return;
    const width = canvas.getBoundingClientRect().width;
    const ends = [Math.max(LEFT, Math.min(...drag)), Math.min(width, Math.max(...drag))].map((px) => time(px, width));
    if (Math.abs(drag[1] - drag[0]) > 4 && ends[1] - ends[0] > 1e-11) view = ends;
    drag = null; draw();
  });
  canvas.addEventListener("dblclick", () => { view = [data.first, data.last]; draw(); });
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
