// The gallery of sub-routines: segments grouped by their law or their type where the model has
// such, by the slot that explains them (by their place in the trajectory where it has no slots), by
// their last action, or by all their actions; in each group the most typical ones side by side.
// Above them the plans: which types come together, as trees.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors

const GROUPS = [
  ["law", "by law", (segment) => segment.law, (set, key) => "Law " + lawName(key)],
  ["type", "by type", (segment) => segment.type, (set, key, run) => typeName(run, key)],
  [
    "slot", "by slot", (segment) => segment.id,
    (set, key, run) => (run.detail.slots ? "Slot " : "Segment ") + (key + 1)
  ],
  [
    "last", "by last action", (segment) => segment.actions[segment.actions.length - 1],
    (set, key) => "… " + actionName(set, key)
  ],
  [
    "string", "by their actions", (segment) => segment.actions.join(" "),
    (set, key) => key.split(" ").map((action) => actionName(set, +action)).join(" ")
  ],
];

function allSegments(loaded, r) {
  const out = [];
  for (let i = 0; i < loaded.set.episodes; i++) {
    const one = trajectory(loaded, i);
    one.found[r].forEach((segment, n) => out.push({
      ...segment,
      place: i,
      detail: one.detail,
      n,
      truth: one.truth,
      actions: one.actions ? Array.from(one.actions.subarray(segment.from, segment.to)) : null
    }));
  }
  return out;
}

// edits that make one list of actions of another
function editDistance(a, b) {
  let last = Array.from({length: b.length + 1}, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(last[j] + 1, next[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
    last = next;
  }
  return last[b.length];
}

// without symbols: those with pictures whose length is nearest to the middle one
function typicalLengths(segments, wanted) {
  const length = (segment) => segment.to - segment.from;
  const all = segments.map(length).sort((a, b) => a - b), middle = all[all.length >> 1];
  return segments.filter((segment) => segment.detail >= 0)
      .sort(
          (a, b) =>
              Math.abs(length(a) - middle) - Math.abs(length(b) - middle) || a.place - b.place)
      .slice(0, wanted)
      .map((segment) => ({segment}));
}

// different action strings, those first that are nearest to all others of a sample
function typical(segments, wanted) {
  if (!segments[0].actions) return typicalLengths(segments, wanted);
  const kinds = new Map();
  for (const segment of segments) {
    const key = segment.actions.join(" ");
    if (!kinds.has(key)) kinds.set(key, {segment, times: 0});
    kinds.get(key).times++;
  }
  const list = [...kinds.values()]
                   .sort((a, b) => b.times - a.times || a.segment.place - b.segment.place)
                   .slice(0, 48);
  for (const kind of list)
    kind.far =
        list.reduce(
            (sum, other) => sum +
                other.times *
                    editDistance(
                        kind.segment.actions.slice(0, 60), other.segment.actions.slice(0, 60)),
            0) /
        (1 + Math.log(kind.times));
  return list.sort((a, b) => a.far - b.far).slice(0, wanted);
}

// the share of a group that lies, for the most part, in one and the same true segment
function purity(segments) {
  const counts = new Map();
  for (const segment of segments) {
    const middle = (segment.from + segment.to - 1) / 2,
          n = segment.truth.findIndex((other) => middle < other.to);
    counts.set(n, (counts.get(n) || 0) + 1);
  }
  const [best, times] = [...counts].sort((a, b) => b[1] - a[1])[0];
  return `${percent(times / segments.length)} % lie in true segment ${best + 1}`;
}

// a segment of continuous actions as lines
function drawMotion(browser, segment) {
  const {loaded} = browser, steps = segment.to - segment.from, height = 44,
        cell = Math.min(18, Math.max(2, 260 / steps)), width = steps * cell;
  const one = {detail: segment.detail};
  const marks =
      svg("svg", {width, height, "aria-hidden": "true"},
          svg("rect", {class: "wash seg" + segment.colour, width, height, rx: 4}));
  for (let d = 0; d < loaded.channels.width; d++) {
    let path = "";
    for (let t = 0; t < steps; t++)
      path += `${t ? "L" : "M"}${((t + 0.5) * cell).toFixed(1)} ${
          (height - 3 -
           ((height - 6) * valueAt(loaded, loaded.channels, one, segment.from + t, d)) / 255)
              .toFixed(1)}`;
    marks.append(svg("path", {class: "channel line" + (d % 8), d: path}));
  }
  return marks;
}

function motionExample(browser, segment) {
  const episode = browser.loaded.all.episode[segment.place], steps = segment.to - segment.from;
  return el(
      "button", {
        class: "example",
        type: "button",
        "aria-label": `${steps} steps of episode ${episode}`,
        onclick: () => {
          browser.open(segment.place, segment.from);
          find("#browse").scrollIntoView();
        }
      },
      el("span", {class: "marks"}, drawMotion(browser, segment)),
      el("span", {class: "times"}, steps + " steps"));
}

function drawExample(browser, kind) {
  if (!kind.segment.actions) return motionExample(browser, kind.segment);
  const {segment, times} = kind, {set} = browser.loaded, cell = 18,
                  width = segment.actions.length * cell;
  const marks =
      svg("svg", {width, height: 22, "aria-hidden": "true"},
          svg("rect", {class: "seg" + segment.colour, width, height: 22, rx: 4}));
  segment.actions.forEach(
      (action, t) => marks.append(drawAction(set, action, (t + 0.5) * cell, 11)));
  const episode = browser.loaded.all.episode[segment.place],
        words = segment.actions.map((action) => actionName(set, action)).join(" ");
  return el(
      "button", {
        class: "example",
        type: "button",
        "aria-label": `${words}: ${times} times, as in episode ${episode}`,
        onclick: () => {
          browser.open(segment.place, segment.from);
          find("#browse").scrollIntoView();
        }
      },
      el("span", {class: "marks"}, marks), el("span", {class: "times"}, times + "×"));
}

// a plan as nested boxes: what comes together is in one box
function drawTree(run, tree) {
  if (Array.isArray(tree))
    return el("span", {class: "rule"}, tree.map((part) => drawTree(run, part)));
  return el("span", {class: "leaf", title: typeName(run, tree)}, tree < 0 ? "?" : String(tree));
}

function showPlans(run) {
  const {plans, plan_count: count, rules} = run.run;
  if (!plans || !plans.length) return [];
  const rows = plans.map(
      (plan) => el(
          "li", {}, el("span", {class: "times"}, plan.episodes + "×"), drawTree(run, plan.tree)));
  const more =
      count > plans.length ? ` The ${plans.length} most frequent of ${count} are shown.` : "";
  return [
    el("h3", {}, "Plans"),
    el("p", {},
       `Types in the order of the trajectories; what is in one box comes together (${
           rules} rules).${more}`),
    el("ul", {class: "plans"}, rows)
  ];
}

// unknown types last
const order = (key) => (key < 0 ? Infinity : key);

function showGallery(browser, mode) {
  const place = find("#shelf"), {loaded, state} = browser, {laws, types} = state.run.all;
  const there = {law: laws, type: types, slot: true};
  const ways = GROUPS.filter((row) => (row[0] in there ? there[row[0]] : loaded.all.actions));
  const way = ways.find((row) => row[0] === mode) || ways[0];
  const groups = new Map(), slots = state.run.detail.slots;
  const segments = allSegments(loaded, state.r);
  for (const segment of segments) {
    const key = way[2](segment);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(segment);
  }
  const shown =
      [...groups]
          .sort((a, b) => (way[0] in there ? order(a[0]) - order(b[0]) : b[1].length - a[1].length))
          .slice(0, 12);
  const cards = shown.map(([key, list]) => {
    const steps = list.reduce((sum, segment) => sum + segment.to - segment.from, 0) / list.length;
    const words = [
      `${list.length} segments (${percent(list.length / segments.length)} %)`,
      `${steps.toFixed(1)} steps in the mean`
    ];
    if (loaded.set.labelled) words.push(purity(list));
    return el(
        "article", {class: "group"},
        el("h4", {}, el("bdi", {}, way[3](loaded.set, key, state.run))),
        el("p", {}, words.join(" · ")),
        typical(list, way[0] === "string" ? 1 : 6).map((kind) => drawExample(browser, kind)));
  });
  const buttons = ways.map(
      (row) =>
          el("button", {
            type: "button",
            "data-mode": row[0],
            "aria-pressed": String(row === way),
            onclick: () => showGallery(browser, row[0])
          },
             row[0] === "slot" && !slots ? "by place" : row[1]));
  place.replaceChildren(
      ...showPlans(state.run), el("div", {class: "tools"}, buttons),
      el("div", {class: "groups"}, cards));
}
