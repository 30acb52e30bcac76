// Pictures: glyphs for actions, tiles for worlds.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors

// ---- actions: lines in a box of 16 by 16

const GLYPHS = {
  left: "M13 8H3M7 4L3 8l4 4",
  right: "M3 8h10M9 4l4 4-4 4",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  forward: "M8 13V3M4 7l4-4 4 4",
  "turn left": "M12 13V8a3 3 0 0 0-3-3H3M6 2L3 5l3 3",
  "turn right": "M4 13V8a3 3 0 0 1 3-3h6M10 2l3 3-3 3",
  pickup: "M3 10v3h10v-3M8 10V3M5 6l3-3 3 3",
  drop: "M3 10v3h10v-3M8 2v8M5 7l3 3 3-3",
  toggle: "M5.5 10.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5M8 8h6M11 8v3M13.5 8v2",
  use: "M8 2.5v11M2.5 8h11M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6",
  done: "M3 8.5l3.5 3.5L13 4.5",
};

// left and right are turns where there is a forward
function glyphOf(set, action) {
  const name = set.action_names ? set.action_names[action].toLowerCase() : "";
  const turns =
      set.action_names && set.action_names.some((other) => other.toLowerCase() === "forward");
  return GLYPHS[turns && (name === "left" || name === "right") ? "turn " + name : name];
}

// the first letter of a name, a capital where another action has it already; else the number
function letterFor(set, action) {
  const first = (other) => plain(set.action_names[other]).charAt(0);
  if (!set.action_names || !first(action)) return String(action);
  let before = 0;
  for (let other = 0; other < action; other++) before += first(other) === first(action);
  return [first(action), first(action).toUpperCase()][before] || String(action);
}

// a group with the action's mark, its middle at x, y
function drawAction(set, action, x, y, title) {
  const path = glyphOf(set, action), size = 15;
  const mark = path ? svg("path", {
    class: "glyph",
    d: path,
    transform: `translate(${x - size / 2} ${y - size / 2}) scale(${size / 16})`
  }) :
                      svg("text", {class: "letter", x, y: y + 4.5, "text-anchor": "middle"},
                          letterFor(set, action));
  if (title) mark.append(svg("title", {}, title));
  return mark;
}

// ---- worlds: marks of slottar/draw.h in tiles of 16 by 16

const ANGLES = {
  "^": 0,
  ">": 90,
  "v": 180,
  "<": 270
};
const TILES = {
  "#": () => [],
  "k": (ink) => [svg("path", {
    class: ink,
    d: "M5.5 4a3 3 0 0 1 2.9 3.8l4.1 4.1v1.6h-2v-1.4H9.1v-1.4L6.9 8.7A3 3 0 1 1 5.5 4m-.7 1.6a1 1 0 1 0 0 2 1 1 0 0 0 0-2"
  })],
  "o": (ink) => [svg("circle", {class: ink, cx: 8, cy: 8, r: 4.6})],
  "B": (ink) => [svg("path", {
    class: ink,
    "fill-rule": "evenodd",
    d: "M2.5 2.5h11v11h-11zM4.5 4.5v2.7h7V4.5zM4.5 8.8v2.7h7V8.8z"
  })],
  "G": () => [svg("path", {class: "front2", d: "M5 2.5h1.5V13.5H5zM6.5 3h6l-2 2.2 2 2.3h-6z"})],
  "D": (ink) =>
      [svg("path",
           {class: ink, "fill-rule": "evenodd", d: "M1.5 1.5h13v13h-13zM3.4 3.4v9.2h9.2V3.4z"}),
       svg("circle", {class: ink, cx: 10.8, cy: 8, r: 1.2})],
  "L": (ink) => [svg("path", {
    class: ink,
    "fill-rule": "evenodd",
    d: "M1.5 1.5h13v13h-13zM8 5a2 2 0 0 0-1 3.7V11.5h2V8.7A2 2 0 0 0 8 5"
  })],
  "/": (ink) => [svg(
      "path",
      {class: ink, d: "M1.5 1.5h2.6v13H1.5zM4.1 1.5h10.4v1.4H4.1zM4.1 13.1h10.4v1.4H4.1z"})],
  "~": () => [svg(
      "path", {class: "wave", d: "M2 6q1.5-2 3 0t3 0 3 0 3 0M2 11q1.5-2 3 0t3 0 3 0 3 0"})],
  "%": () => [svg("path", {class: "front6", d: "M3 11l2-5 4-1 4 3 .5 4-3 1.5H5z"})],
};

function drawTile(mark, front, back, x, y) {
  const group = svg("g", {transform: `translate(${16 * x} ${16 * y})`});
  const ground = mark === " " ? "cell unseen" : "cell back" + back;
  group.append(svg("rect", {class: ground, width: 16, height: 16}));
  const ink = front ? "front" + front : "front0";
  if (TILES[mark])
    group.append(...TILES[mark](ink));
  else if (mark in ANGLES && front === 1)
    group.append(svg(
        "path",
        {class: "agent", d: "M8 2.5l5 11-5-2.8-5 2.8z", transform: `rotate(${ANGLES[mark]} 8 8)`}));
  else if (mark !== "." && mark !== " ") {
    if (!back) group.append(svg("circle", {class: "chip", cx: 8, cy: 8, r: 6.2}));
    group.append(svg("text", {class: "mark " + ink, x: 8, y: 11.6, "text-anchor": "middle"}, mark));
  }
  return group;
}

// one frame of a film: cells, and the number of the cell with the agent (-1: none)
function frameOf(loaded, film, detail, step) {
  const width = film.width[detail], height = film.height[detail],
        start = film.starts[detail] + step * width * height;
  const cells = film.cells.subarray(start, start + width * height), looks = loaded.set.detail.looks;
  const agent = cells.findIndex(
      (look) => looks[look][1] === 1 && String.fromCharCode(looks[look][0]) in ANGLES);
  return {width, height, cells, agent};
}

// the world at a step; way: [{ x, y, id }] behind the agent
function drawWorld(loaded, film, detail, step, size, way, name) {
  const frame = frameOf(loaded, film, detail, step), looks = loaded.set.detail.looks;
  const picture = svg("svg", {
    class: "world",
    viewBox: `0 0 ${16 * frame.width} ${16 * frame.height}`,
    width: size,
    height: (size * frame.height) / frame.width,
    role: "img",
    "aria-label": name
  });
  frame.cells.forEach((look, i) => {
    const [mark, front, back] = looks[look];
    picture.append(drawTile(
        String.fromCharCode(mark), front, back, i % frame.width, Math.floor(i / frame.width)));
  });
  for (let i = 1; i < way.length; i++) {
    const d = `M${16 * way[i - 1].x + 8} ${16 * way[i - 1].y + 8}L${16 * way[i].x + 8} ${
        16 * way[i].y + 8}`;
    if (way[i].x !== way[i - 1].x || way[i].y !== way[i - 1].y)
      picture.append(svg("path", {class: "trail line" + (way[i - 1].id % 8), d}));
  }
  return picture;
}

// where the agent has been, with the segment of each step
function wayOf(loaded, film, detail, step, ids) {
  const way = [];
  for (let t = 0; t <= step; t++) {
    const frame = frameOf(loaded, film, detail, t);
    if (frame.agent >= 0)
      way.push(
          {x: frame.agent % frame.width, y: Math.floor(frame.agent / frame.width), id: ids[t]});
  }
  return way;
}
