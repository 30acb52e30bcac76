// The page's data: small things to build elements with, unpacking, one data set with its runs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors

const data = JSON.parse(document.getElementById("data").textContent);
const find = (query, root = document) => root.querySelector(query);

// el("div", { class: "row" }, "text", child): an element; a name that starts with "on" is a
// listener
function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}
const el = (tag, attributes, ...children) =>
    make(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
    make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// names come from files: marks that hide or reorder text are written out
const HIDDEN =
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
const plain = (text) => String(text).replace(
    HIDDEN, (mark) => "U+" + mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0"));
const percent = (value) => (Number.isFinite(value) ? (100 * value).toFixed(1) : "–");

const TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  i32: Int32Array,
  f32: Float32Array
};

// {"type", "count", "zlib"}: deflated numbers in base64
async function unpack(packed) {
  const text = atob(packed.zlib), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new TYPES[packed.type](await new Response(stream).arrayBuffer());
}

async function unpackAll(object) {
  const out = {};
  await Promise.all(Object.entries(object).map(async ([key, value]) => {
    out[key] = value && value.zlib !== undefined ? await unpack(value) : value;
  }));
  return out;
}

// where each piece starts when pieces are concatenated; one more entry for the end
function starts(lengths) {
  const out = new Float64Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) out[i + 1] = out[i] + lengths[i];
  return out;
}

// ---- one data set

// [{ from, to, id }]: runs of equal numbers in values[start..end)
function runsOf(values, start, end) {
  const out = [];
  for (let i = start; i < end; i++) {
    if (i > start && values[i] === values[i - 1])
      out[out.length - 1].to = i - start + 1;
    else
      out.push({from: i - start, to: i - start + 1, id: values[i], colour: values[i] % 8});
  }
  return out;
}

// boundaries of a trajectory: the last step of every segment but the last
const boundaries = (segments) => segments.slice(0, -1).map((segment) => segment.to - 1);

async function loadRun(set, index, lengthStarts, chosen) {
  const run = data.runs[index], all = await unpackAll(run.trajectories),
        detail = await unpackAll(run.detail);
  const counts = new Int32Array(set.episodes);
  for (let i = 0; i < set.episodes; i++)
    for (let t = lengthStarts[i] + 1; t < lengthStarts[i + 1]; t++)
      counts[i] += all.ids[t] !== all.ids[t - 1];
  const boundaryStarts = starts(counts), sure = new Float32Array(set.episodes);
  for (let i = 0; i < set.episodes; i++) {
    let sum = 0;
    for (let b = boundaryStarts[i]; b < boundaryStarts[i + 1]; b++) sum += all.confidence[b] / 255;
    sure[i] = counts[i] ? sum / counts[i] : NaN;  // no boundary, nothing to be sure of
  }
  return {
    index,
    run,
    all,
    detail,
    counts,
    boundaryStarts,
    sure,
    sureWord: run.trust.calibrated ? "confidence" : "uncalibrated",
    sureShort: run.trust.calibrated ? "conf." : "uncal.",
    slotStarts: starts(chosen.map((length) => length * run.detail.slots))
  };
}

async function loadSet(number) {
  const set = data.sets[number], all = await unpackAll(set.trajectories);
  const lengthStarts = starts(all.length),
        places = new Map(set.detail.index.map((place, i) => [place, i]));
  const chosen = set.detail.index.map((place) => all.length[place]);
  const runs = [];
  for (let r = 0; r < data.runs.length; r++)
    if (data.runs[r].set === number) runs.push(await loadRun(set, r, lengthStarts, chosen));
  const films = {};
  for (const name of ["views", "worlds"]) {
    const film = set.detail[name];
    if (film)
      films[name] = {
        ...(await unpackAll(film)),
        starts: starts(chosen.map((length, i) => length * film.width[i] * film.height[i]))
      };
  }
  const values = set.detail.values ? await unpackAll(set.detail.values) : null;
  const channels = set.detail.channels ? await unpackAll(set.detail.channels) : null;
  const text = set.detail.text ? await unpack(set.detail.text) : null;
  const stepStarts = starts(chosen);
  return {number, set, all, lengthStarts, places, runs, films, values, channels, text, stepStarts};
}

// segments of run r in trajectory i: with their law and its colour, or their type, where there are
// such
function foundBy(run, i, start, end) {
  const {laws, types} = run.all, first = run.boundaryStarts[i] + i;
  return runsOf(run.all.ids, start, end).map((segment, n) => {
    if (laws) return {...segment, law: laws[first + n], colour: laws[first + n] % 8};
    return types ? {...segment, type: types[first + n]} : segment;
  });
}

const typeNumber = (type) => (type < 0 ? "unknown" : type);
const typeName = (run, type) =>
    type < 0 ? "Unknown type" : `Type ${type}: ${plain(run.run.types[type])}`;

// segments from ends: bit `answer` is set where one ends
function answerOf(run, stepStart, length, answer) {
  const out = [{from: 0, to: length, id: 0, colour: 0}];
  for (let t = 0; t + 1 < length; t++) {
    if (!((run.detail.answers[stepStart + t] >> answer) & 1)) continue;
    out[out.length - 1].to = t + 1;
    out.push({from: t + 1, to: length, id: out.length, colour: out.length % 8});
  }
  return out;
}

// what is known about trajectory i
function trajectory(loaded, i) {
  const {all, lengthStarts, set} = loaded, start = lengthStarts[i], end = lengthStarts[i + 1];
  return {
    place: i,
    length: end - start,
    episode: all.episode[i],
    task: all.task[i],
    actions: all.actions ? all.actions.subarray(start, end) : null,
    truth: set.labelled ? runsOf(all.truth, start, end) : null,
    found: loaded.runs.map((run) => foundBy(run, i, start, end)),
    detail: loaded.places.has(i) ? loaded.places.get(i) : -1,
  };
}

const letterOf = (index) =>
    (index < 26 ?
         String.fromCharCode(65 + index) :
         String.fromCharCode(64 + Math.floor(index / 26)) + String.fromCharCode(65 + (index % 26)));
const runName = (loaded, r) =>
    (loaded.runs.length === 1 ? "found" : letterOf(loaded.runs[r].index));
const taskName = (set, task) => (set.tasks[task] ? plain(set.tasks[task]) : "task " + task);
const lawName = (law) => (law < 26 ? String.fromCharCode(65 + law) : String(law + 1));
const channelName = (set, d) => (set.action_names ? plain(set.action_names[d]) : "action " + d);
const actionName = (set, action) =>
    (set.action_names ? plain(set.action_names[action]) : String(action));
