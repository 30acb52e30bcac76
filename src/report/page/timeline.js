// The time line of one trajectory: actions, true and found segments, masks and attention per slot,
// and a cursor that moves by keys and pointer.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors

const ROW = {
  steps: 16,
  actions: 26,
  segments: 26,
  sure: 14,
  slot: 34
};

// segments as blocks with numbers
function drawSegments(lines, segments, y, cell, count) {
  for (const [i, segment] of segments.entries()) {
    const known = segment.id !== 255 || count;
    const width = (segment.to - segment.from) * cell - 1.5;
    lines.append(svg("rect", {
      class: known ? "seg" + (segment.id % 8) : "unknown",
      x: segment.from * cell + 0.75,
      y,
      width,
      height: 22,
      rx: 4
    }));
    if (width > 12)
      lines.append(
          svg("text", {
            class: "on",
            x: ((segment.from + segment.to) * cell) / 2,
            y: y + 15.5,
            "text-anchor": "middle"
          },
              i + 1));
  }
}

// a curve that stands still over a step, values 0 ... 255
function stepPath(values, cell, bottom, height, closed) {
  let d = closed ? `M0 ${bottom}` : "";
  values.forEach((value, t) => {
    const y = (bottom - (height * value) / 255).toFixed(1);
    d += `${d ? "L" : "M"}${t * cell} ${y}L${(t + 1) * cell} ${y}`;
  });
  return d + (closed ? `L${values.length * cell} ${bottom}Z` : "");
}

// masks and attention of the shown run, slot by slot; not every model has attention, or slots
function slotsOf(run, detail, length) {
  if (detail < 0 || !run.detail.masks) return [];
  const out = [], looks = run.detail.attention;
  for (let k = 0; k < run.detail.slots; k++) {
    const start = run.slotStarts[detail] + k * length;
    out.push({
      mask: run.detail.masks.subarray(start, start + length),
      attention: looks ? looks.subarray(start, start + length) : null
    });
  }
  return out;
}

// observations of few numbers: value d at step t of the trajectory, 0 ... 255 of its range
function valueAt(loaded, one, step, d) {
  const {width, cells} = loaded.values;
  return cells[(loaded.stepStarts[one.detail] + step) * width + d];
}

function observedAt(loaded, one, step) {
  const {width, low, high} = loaded.values, words = [];
  for (let d = 0; d < width; d++)
    words.push(
        (low[d] + ((high[d] - low[d]) * valueAt(loaded, one, step, d)) / 255).toPrecision(3));
  return words.join(", ");
}

// a line per number, darker where it is larger
function drawValues(loaded, one, lines, y, cell) {
  for (let d = 0; d < loaded.values.width; d++)
    for (let t = 0, from = 0; t < one.length; t++) {
      const value = valueAt(loaded, one, t, d);
      if (t + 1 < one.length && valueAt(loaded, one, t + 1, d) === value) continue;
      const place = {x: from * cell, y: y + 8 * d, width: (t + 1 - from) * cell, height: 7};
      lines.append(
          svg("rect", {class: "value", "fill-opacity": (value / 300).toFixed(2), ...place}));
      from = t + 1;
    }
}

// rows from top to bottom: { name, height, draw(y) }
function rowsOf(loaded, one, shown, lines, cell) {
  const {set} = loaded, rows = [];
  rows.push({
    name: "step",
    height: ROW.steps,
    draw: (y) => {
      for (let t = 0; t < one.length; t += 5)
        lines.append(svg("text", {x: (t + 0.5) * cell, y: y + 11, "text-anchor": "middle"}, t));
    }
  });
  rows.push({
    name: "action",
    height: ROW.actions,
    draw: (y) => {
      one.actions.forEach(
          (action, t) => lines.append(
              drawAction(set, action, (t + 0.5) * cell, y + 12, actionName(set, action))));
    }
  });
  if (one.truth)
    rows.push(
        {name: "true", height: ROW.segments, draw: (y) => drawSegments(lines, one.truth, y, cell)});
  loaded.runs.forEach((run, r) => {
    rows.push({
      name: runName(loaded, r),
      height: ROW.segments - 4,
      draw: (y) => drawSegments(lines, one.found[r], y, cell, true)
    });
    rows.push({
      name: `${run.sureWord}, %`,
      height: ROW.sure,
      draw: (y) => boundaries(one.found[r]).forEach((at, b) => {
        const sure =
            Math.round((100 * run.all.confidence[run.boundaryStarts[one.place] + b]) / 255);
        lines.append(svg(
            "text", {class: "sure", x: (at + 1) * cell, y: y + 10, "text-anchor": "middle"}, sure));
      })
    });
  });
  slotsOf(loaded.runs[shown], one.detail, one.length).forEach((slot, k) => rows.push({
    name: "slot " + (k + 1),
    height: ROW.slot,
    draw: (y) => {
      lines.append(
          svg("line", {class: "base", x1: 0, x2: one.length * cell, y1: y + 30, y2: y + 30}));
      lines.append(
          svg("path", {class: "seg" + (k % 8), d: stepPath(slot.mask, cell, y + 30, 26, true)}));
      if (slot.attention)
        lines.append(
            svg("path", {class: "look", d: stepPath(slot.attention, cell, y + 30, 26, false)}));
    }
  }));
  if (loaded.values && one.detail >= 0)
    rows.push({
      name: "observed",
      height: 8 * loaded.values.width + 6,
      draw: (y) => drawValues(loaded, one, lines, y + 4, cell)
    });
  return rows;
}

// builds the time line into `place`; says where the cursor went
class TimeLine {
  constructor(place, moved) {
    this.moved = moved;
    this.names = el("div", {class: "names", "aria-hidden": "true"});
    this.lines = el("div", {
      class: "lines",
      id: "timeline",
      tabindex: "0",
      role: "slider",
      "aria-label": "step",
      "aria-valuemin": 0,
      onkeydown: (event) => this.key(event),
      onpointerdown: (event) => this.point(event),
      onpointermove: (event) => event.buttons & 1 && this.point(event)
    });
    place.append(el("div", {class: "time"}, this.names, this.lines));
  }

  show(loaded, one, shown, step) {
    const room = Math.max(120, this.lines.parentElement.clientWidth - 66);
    this.cell = Math.max(18, Math.min(40, Math.floor(room / one.length)));
    this.one = one;
    const lines = svg("svg", {width: one.length * this.cell + 2}), names = svg("svg", {width: 66});
    let y = 0;
    for (const row of rowsOf(loaded, one, shown, lines, this.cell)) {
      row.draw(y);
      names.append(svg("text", {x: 58, y: y + row.height / 2 + 3, "text-anchor": "end"}, row.name));
      y += row.height;
    }
    this.cursor = svg("rect", {class: "cursor", y: 0.75, width: this.cell, height: y - 1.5, rx: 4});
    lines.append(this.cursor);
    for (const picture of [lines, names]) picture.setAttribute("height", y);
    this.names.replaceChildren(names);
    this.lines.replaceChildren(lines);
    this.lines.setAttribute("aria-valuemax", one.length - 1);
    this.move(step);
  }

  move(step) {
    this.step = Math.max(0, Math.min(this.one.length - 1, step));
    const x = this.step * this.cell;
    this.cursor.setAttribute("x", x + 0.75);
    if (x < this.lines.scrollLeft || x + this.cell > this.lines.scrollLeft + this.lines.clientWidth)
      this.lines.scrollLeft = x - this.lines.clientWidth / 2;
    this.lines.setAttribute("aria-valuenow", this.step);
    this.lines.setAttribute("aria-valuetext", this.moved(this.step));
  }

  key(event) {
    const steps =
        {ArrowLeft: this.step - 1, ArrowRight: this.step + 1, Home: 0, End: this.one.length - 1};
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.move(steps[event.key]);
  }

  point(event) {
    const left = this.lines.firstChild.getBoundingClientRect().left;
    this.move(Math.floor((event.clientX - left) / this.cell));
  }
}
