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
  slot: 34,
  channels: 96,
  vote: 40
};

// segments as blocks with numbers
function drawSegments(lines, segments, y, cell, count) {
  for (const [i, segment] of segments.entries()) {
    const known = segment.id !== 255 || count;
    const width = (segment.to - segment.from) * cell - 1.5;
    lines.append(svg("rect", {
      class: known ? "seg" + segment.colour : "unknown",
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
              segment.law === undefined ? i + 1 : lawName(segment.law)));
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

// numbers of a step (observations, actions), 0 ... 255 of their range
function valueAt(loaded, numbers, one, step, d) {
  return numbers.cells[(loaded.stepStarts[one.detail] + step) * numbers.width + d];
}

function numbersAt(loaded, numbers, one, step) {
  const {width, low, high} = numbers, words = [];
  for (let d = 0; d < width; d++)
    words.push((low[d] + ((high[d] - low[d]) * valueAt(loaded, numbers, one, step, d)) / 255)
                   .toPrecision(3));
  return words.join(", ");
}

// continuous actions: a line per channel over the segments
function drawChannels(loaded, one, segments, lines, y, cell) {
  const height = ROW.channels - 8;
  for (const segment of segments)
    lines.append(svg("rect", {
      class: "wash seg" + segment.colour,
      x: segment.from * cell + 0.5,
      y,
      width: (segment.to - segment.from) * cell - 1,
      height
    }));
  for (let d = 0; d < loaded.channels.width; d++) {
    let path = "";
    for (let t = 0; t < one.length; t++)
      path += `${t ? "L" : "M"}${((t + 0.5) * cell).toFixed(1)} ${
          (y + height - 3 - ((height - 6) * valueAt(loaded, loaded.channels, one, t, d)) / 255)
              .toFixed(1)}`;
    lines.append(
        svg("path", {class: "channel line" + (d % 8), d: path},
            svg("title", {}, channelName(loaded.set, d))));
  }
}

// the vote: the weight of the runs with a boundary, and the line where boundaries begin
const voteAt = (run, loaded, one, step) => run.detail.heights[loaded.stepStarts[one.detail] + step];

function drawVote(run, loaded, one, lines, y, cell) {
  const height = ROW.vote - 6, bottom = y + height, least = run.detail.line;
  lines.append(svg("line", {class: "base", x1: 0, x2: one.length * cell, y1: bottom, y2: bottom}));
  for (let t = 0; t < one.length; t++) {
    const share = voteAt(run, loaded, one, t) / 255;
    if (!share) continue;
    lines.append(svg("rect", {
      class: least && share < least - 0.002 ? "vote low" : "vote",
      x: (t + 1) * cell - Math.max(1, 0.2 * cell),
      y: bottom - height * share,
      width: Math.max(2, 0.4 * cell),
      height: height * share
    }));
  }
  if (least)
    lines.append(svg("line", {
      class: "least",
      x1: 0,
      x2: one.length * cell,
      y1: bottom - height * least,
      y2: bottom - height * least
    }));
}

// a line per number, darker where it is larger
function drawValues(loaded, one, lines, y, cell) {
  for (let d = 0; d < loaded.values.width; d++)
    for (let t = 0, from = 0; t < one.length; t++) {
      const value = valueAt(loaded, loaded.values, one, t, d);
      if (t + 1 < one.length && valueAt(loaded, loaded.values, one, t + 1, d) === value) continue;
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
      const apart = 5 * Math.max(1, Math.ceil(30 / (5 * cell)));
      for (let t = 0; t < one.length; t += apart)
        lines.append(svg("text", {x: (t + 0.5) * cell, y: y + 11, "text-anchor": "middle"}, t));
    }
  });
  if (loaded.channels && one.detail >= 0)
    rows.push({
      name: "actions",
      height: ROW.channels,
      draw: (y) => drawChannels(loaded, one, one.found[shown], lines, y, cell)
    });
  if (one.actions)
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
      name: run.run.trust.calibrated ? "conf., %" : "not cal., %",
      height: ROW.sure,
      draw: (y) => boundaries(one.found[r]).forEach((at, b, all) => {
        if (b && (at - all[b - 1]) * cell < 22) return;  // no room for another number
        const sure =
            Math.round((100 * run.all.confidence[run.boundaryStarts[one.place] + b]) / 255);
        lines.append(svg(
            "text", {class: "sure", x: (at + 1) * cell, y: y + 10, "text-anchor": "middle"}, sure));
      })
    });
  });
  const run = loaded.runs[shown], {detail} = run;
  if (detail.heights && one.detail >= 0) {
    rows.push(
        {name: "vote", height: ROW.vote, draw: (y) => drawVote(run, loaded, one, lines, y, cell)});
    for (let answer = 0; detail.answer_count > 1 && answer < detail.answer_count; answer++)
      rows.push({
        name: "answer " + (answer + 1),
        height: ROW.segments,
        draw: (y) => drawSegments(
            lines, answerOf(run, loaded.stepStarts[one.detail], one.length, answer), y, cell, true)
      });
  }
  slotsOf(run, one.detail, one.length).forEach((slot, k) => rows.push({
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
    this.cell = one.actions ? Math.max(18, Math.min(40, Math.floor(room / one.length))) :
                              Math.max(3, Math.min(40, room / one.length));
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
