// The browser of trajectories: filters, a list that draws only the rows in sight, and a stage with
// the time line and the world at the cursor.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors

const ROW_HEIGHT = 52;

// a trajectory without boundaries comes last
const sureness = (state, i) => (Number.isNaN(state.run.sure[i]) ? 2 : state.run.sure[i]);

// what can be looked for: name and test on trajectory i of the shown run
const SHOWS = [
  ["all", "all", () => true],
  ["pictures", "with pictures", (state, i) => state.loaded.places.has(i)],
  [
    "count", "wrong number of segments",
    (state, i) => state.labelled && state.facts.found[i] !== state.facts.truth[i]
  ],
  ["missed", "a boundary missed", (state, i) => state.labelled && state.facts.missed[i] > 0],
  ["extra", "a boundary too many", (state, i) => state.labelled && state.facts.extra[i] > 0],
  [
    "right", "all boundaries right",
    (state, i) => state.labelled && !state.facts.missed[i] && !state.facts.extra[i]
  ],
];
const ORDERS = [
  ["worst", "worst first", (state, i) => state.quality(i)],
  ["best", "best first", (state, i) => -state.quality(i)],
  ["unsure", "least confident first", (state, i) => sureness(state, i)],
  ["sure", "most confident first", (state, i) => -sureness(state, i)],
  ["long", "longest first", (state, i) => -state.loaded.all.length[i]],
  ["short", "shortest first", (state, i) => state.loaded.all.length[i]],
  ["recorded", "as recorded", (state, i) => i],
];

// boundaries of both sides within one step of each other
function compareBoundaries(truth, found) {
  const near = (list, at) => list.some((other) => Math.abs(other - at) <= 1);
  return {
    missed: truth.filter((at) => !near(found, at)).length,
    extra: found.filter((at) => !near(truth, at)).length
  };
}

function factsOf(loaded, r) {
  const count = loaded.set.episodes, facts = {
    truth: new Int32Array(count),
    found: new Int32Array(count),
    missed: new Int32Array(count),
    extra: new Int32Array(count)
  };
  for (let i = 0; i < count; i++) {
    const one = trajectory(loaded, i);
    facts.found[i] = one.found[r].length;
    if (!one.truth) continue;
    facts.truth[i] = one.truth.length;
    Object.entries(compareBoundaries(boundaries(one.truth), boundaries(one.found[r])))
        .forEach(([name, value]) => {
          facts[name][i] = value;
        });
  }
  return facts;
}

const stripe = (segments, length) => "linear-gradient(90deg," +
    segments
        .map((s) => `var(--seg${s.colour}) ${(100 * s.from) / length}% ${(100 * s.to) / length}%`)
        .join(",") +
    ")";

const choice = (name, id, rows, change) => el(
    "label", {}, name,
    el("select", {id, onchange: change}, rows.map(([value, text]) => el("option", {value}, text))));

class Browser {
  constructor(place) {
    this.state = null;
    this.tools = el("form", {class: "tools", onsubmit: (event) => event.preventDefault()});
    this.count = el("div", {class: "count", role: "status"});
    this.inner = el("div", {});
    this.rows =
        el("div", {
          class: "rows",
          id: "list",
          tabindex: "0",
          role: "listbox",
          "aria-label": "trajectories",
          onscroll: () => this.drawRows(),
          onkeydown: (event) => this.listKey(event)
        },
           this.inner);
    this.title = el("h3", {style: "margin:0", id: "which"});
    this.facts = el("div", {class: "facts"});
    this.scene = el("div", {class: "scene"});
    this.stage =
        el("div", {class: "stage", onkeydown: (event) => this.stageKey(event)},
           el("header", {}, this.title, this.facts));
    this.line = new TimeLine(this.stage, (step) => this.drawScene(step));
    this.channels = el("div", {class: "channels"});
    this.stage.append(this.channels, this.buttons(), this.scene);
    place.append(
        this.tools,
        el("div", {class: "browser"}, el("div", {class: "shelf-list"}, this.count, this.rows),
           this.stage));
    let wait = 0;
    window.addEventListener("resize", () => {
      clearTimeout(wait);
      wait = setTimeout(() => this.fit(), 120);
    });
  }

  // lays the time line out for the width of the window
  fit() {
    if (this.state) this.open(this.place, this.line.step || 0);
    document.documentElement.dataset.width = window.innerWidth;
  }

  buttons() {
    const button = (text, label, act) =>
        el("button", {type: "button", "aria-label": label, onclick: act}, text);
    this.play = button("▶", "play", () => this.toggle());
    return el(
        "div", {class: "moves"}, button("↑", "previous trajectory", () => this.go(-1)),
        button("↓", "next trajectory", () => this.go(1)),
        button("←", "step back", () => this.line.move(this.line.step - 1)),
        button("→", "step forward", () => this.line.move(this.line.step + 1)), this.play);
  }

  // ---- choosing

  async load(number) {
    this.loaded = await loadSet(number);
    this.choose(0);
    this.buildTools();
    this.filter();
  }

  choose(r) {
    const loaded = this.loaded, run = loaded.runs[r], labelled = loaded.set.labelled;
    this.state = {
      loaded,
      run,
      r,
      labelled,
      facts: factsOf(loaded, r),
      quality: (i) => (labelled ? run.all.f1_one[i] : sureness(this.state, i))
    };
  }

  buildTools() {
    const {set, runs} = this.loaded, change = () => this.filter();
    const shows = SHOWS.slice(0, set.labelled ? SHOWS.length : 2), tools = [];
    const orders = ORDERS.slice(set.labelled ? 0 : 2);  // without labels nothing is best or worst
    if (data.sets.length > 1)
      tools.push(choice(
          "Data set", "pick-set", data.sets.map((other, i) => [i, plain(other.name)]),
          (event) => showSet(+event.target.value)));
    if (runs.length > 1)
      tools.push(choice(
          "Model", "pick-run",
          runs.map((run, r) => [r, runName(this.loaded, r) + " " + plain(run.run.run)]),
          (event) => {
            this.choose(+event.target.value);
            this.filter(true);
            showGallery(this);
          }));
    if (set.tasks.length > 1)
      tools.push(choice(
          "Task", "pick-task", [["", "all"], ...set.tasks.map((task, i) => [i, taskName(set, i)])],
          change));
    tools.push(
        choice("Show", "pick-show", shows, change), choice("Order", "pick-order", orders, change));
    this.most = el("output", {}, "100 %");
    tools.push(
        el("label", {}, el("span", {}, "Confidence up to ", this.most),
           el("input",
              {id: "pick-sure", type: "range", min: 0, max: 100, value: 100, oninput: change})));
    tools.push(el("label", {}, "Episode", el("input", {
                    id: "pick-episode",
                    type: "search",
                    inputmode: "numeric",
                    placeholder: "number",
                    oninput: change
                  })));
    this.tools.replaceChildren(...tools);
    if (data.sets.length > 1) find("#pick-set").value = this.loaded.number;
  }

  filter(stay) {
    const {all, set} = this.loaded, value = (id) => (find(id, this.tools) || {value: ""}).value;
    const task = value("#pick-task"), sure = +value("#pick-sure"),
          episode = value("#pick-episode").trim();
    const show = SHOWS.find((row) => row[0] === value("#pick-show"))[2],
          order = ORDERS.find((row) => row[0] === value("#pick-order"))[2];
    const list = [];
    for (let i = 0; i < set.episodes; i++)
      if ((task === "" || all.task[i] === +task) &&
          (sure >= 100 || 100 * this.state.run.sure[i] <= sure) &&
          (episode === "" || String(all.episode[i]).startsWith(episode)) && show(this.state, i))
        list.push(i);
    const keys = new Map(list.map((i) => [i, order(this.state, i)]));
    this.list = list.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
    this.most.textContent = sure + " %";
    this.count.textContent = `${list.length} of ${set.episodes} trajectories`;
    this.inner.style.height = list.length * ROW_HEIGHT + "px";
    if (!stay) this.rows.scrollTop = 0;
    this.open(
        stay && this.list.includes(this.place) ? this.place :
            this.list.length                   ? this.list[0] :
                                                 -1,
        0);
  }

  // ---- the list

  drawRows() {
    const first = Math.max(0, Math.floor(this.rows.scrollTop / ROW_HEIGHT) - 4),
          last = Math.min(
              this.list.length, first + Math.ceil(this.rows.clientHeight / ROW_HEIGHT) + 9);
    const rows = [];
    for (let n = first; n < last; n++) rows.push(this.drawRow(n));
    this.inner.replaceChildren(...rows);
  }

  why(place) {
    const word = this.loaded.set.detail.why[place];
    return word == "worst" && !this.loaded.set.labelled ? "lowest" : word;
  }

  drawRow(n) {
    const i = this.list[n], one = trajectory(this.loaded, i), {run, r, labelled} = this.state;
    const words = labelled        ? ["F1 ", el("b", {}, percent(run.all.f1_one[i]))] :
        Number.isNaN(run.sure[i]) ? ["one segment"] :
                                    [run.sureShort + " ", el("b", {}, percent(run.sure[i]))];
    const strips =
        (one.truth ? [one.truth] : []).concat([one.found[r]]).map((segments) => el("div", {
                                                                    class: "strip",
                                                                    style: "background:" +
                                                                        stripe(segments, one.length)
                                                                  }));
    return el(
        "div", {
          class: "row",
          role: "option",
          id: "row" + i,
          style: `top:${n * ROW_HEIGHT}px`,
          "aria-selected": String(i === this.place),
          "aria-setsize": this.list.length,
          "aria-posinset": n + 1,
          onclick: () => this.open(i, 0)
        },
        el("div", {class: "line"},
           el("span", {},
              `${one.episode} · ${one.length} steps${
                  one.detail < 0 ? "" : " · " + this.why(one.detail)}`),
           el("span", {}, words)),
        strips);
  }

  listKey(event) {
    const jumps =
        {ArrowUp: -1, ArrowDown: 1, PageUp: -8, PageDown: 8, Home: -Infinity, End: Infinity};
    if (!(event.key in jumps)) return;
    event.preventDefault();
    this.go(jumps[event.key]);
  }

  stageKey(event) {
    if (event.target.tagName === "BUTTON" && event.key === " ") return;
    const acts = {
      ArrowUp: () => this.go(-1),
      ArrowDown: () => this.go(1),
      " ": () => this.toggle()
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  go(by) {
    if (!this.list.length) return;
    const n = Math.max(0, Math.min(this.list.length - 1, this.list.indexOf(this.place) + by)),
          top = n * ROW_HEIGHT;
    if (top < this.rows.scrollTop)
      this.rows.scrollTop = top;
    else if (top + ROW_HEIGHT > this.rows.scrollTop + this.rows.clientHeight)
      this.rows.scrollTop = top + ROW_HEIGHT - this.rows.clientHeight;
    this.open(this.list[n], 0);
  }

  // ---- the stage

  open(place, step) {
    this.place = place;
    this.drawRows();
    this.stage.hidden = place < 0;
    if (place < 0) return;
    this.rows.setAttribute("aria-activedescendant", "row" + place);
    const one = trajectory(this.loaded, place), {run, labelled} = this.state, {set} = this.loaded;
    this.one = one;
    this.title.textContent = `Episode ${one.episode}`;
    const facts = [
      set.tasks.length > 1 || set.tasks[0] ? taskName(set, one.task) : null, `${one.length} steps`
    ];
    if (labelled)
      facts.push(`F1 ${percent(run.all.f1[place])}`, `alignment ${percent(run.all.align[place])}`);
    if (!Number.isNaN(run.sure[place])) facts.push(`${run.sureWord} ${percent(run.sure[place])}`);
    this.facts.textContent = facts.filter(Boolean).join(" · ");
    this.nameChannels(one);
    this.line.show(this.loaded, one, this.state.r, step);
  }

  // which line is which
  nameChannels(one) {
    const {channels, set} = this.loaded, names = [];
    for (let d = 0; channels && one.detail >= 0 && d < channels.width; d++)
      names.push(
          el("span", {},
             svg("svg", {width: 14, height: 8},
                 svg("line", {class: "channel line" + (d % 8), x1: 0, x2: 14, y1: 4, y2: 4})),
             el("bdi", {}, channelName(set, d))));
    if (names.length && set.action_size > channels.width)
      names.push(el("span", {}, `${set.action_size - channels.width} more are not drawn`));
    this.channels.replaceChildren(...names);
  }

  // the world at the cursor, and what is to be said about the step; gives the words back
  drawScene(step) {
    const {loaded, one, state} = this, {films, set} = loaded, pictures = [],
                        rows = [["step", `${step} of ${one.length}`]];
    if (one.actions) rows.push(["action", actionName(set, one.actions[step])]);
    if (loaded.channels && one.detail >= 0)
      rows.push(["action", numbersAt(loaded, loaded.channels, one, step)]);
    const within = (segments) => segments.findIndex((segment) => step < segment.to) + 1;
    if (one.truth) rows.push(["true segment", `${within(one.truth)} of ${one.truth.length}`]);
    one.found.forEach((segments, r) => rows.push([
      runName(loaded, r) + (loaded.runs.length > 1 ? " found" : ""),
      `${within(segments)} of ${segments.length}` +
          (loaded.runs[r].detail.slots ? `, slot ${segments[within(segments) - 1].id + 1}` : "") +
          (loaded.runs[r].all.laws ? `, law ${lawName(segments[within(segments) - 1].law)}` : "") +
          (loaded.runs[r].all.types ? `, type ${typeNumber(segments[within(segments) - 1].type)}` :
                                      "")
    ]));
    if (one.detail >= 0 && state.run.detail.heights)
      rows.push(["vote", `${Math.round(voteAt(state.run, loaded, one, step) / 2.55)} % end here`]);
    slotsOf(state.run, one.detail, one.length).forEach((slot, k) => {
      const share = (values) => `${Math.round(values[step] / 2.55)} %`;
      if (slot.mask[step] > 12 || (slot.attention && slot.attention[step] > 12))
        rows.push([
          "slot " + (k + 1),
          "mask " + share(slot.mask) +
              (slot.attention ? ", attention " + share(slot.attention) : "")
        ]);
    });
    if (one.detail >= 0 && loaded.text)
      rows.push(
          ["world", plain(set.detail.texts[loaded.text[loaded.stepStarts[one.detail] + step]])]);
    if (one.detail >= 0 && loaded.values)
      rows.push(["observed", numbersAt(loaded, loaded.values, one, step)]);
    const ids = state.run.all.ids.subarray(
        loaded.lengthStarts[one.place], loaded.lengthStarts[one.place + 1]);
    for (const [name, caption, size] of [
             ["worlds", "the world, and the way so far", 272],
             ["views", "what the agent sees", 176]]) {
      const film = films[name];
      if (one.detail < 0 || !film || !film.width[one.detail]) continue;
      const way = name === "worlds" ? wayOf(loaded, film, one.detail, step, ids) : [];
      pictures.push(
          el("figure", {"data-world": name},
             drawWorld(loaded, film, one.detail, step, size, way, caption),
             el("figcaption", {}, caption)));
    }
    if (one.detail < 0)
      pictures.push(el(
          "p", {class: "note"},
          "Pictures, masks and attention are kept for a chosen few: “with pictures” shows them."));
    this.scene.replaceChildren(
        ...pictures,
        el("dl", {class: "told", id: "told"},
           rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
    return rows.map((row) => row.join(" ")).join(", ");
  }

  toggle() {
    const stop = () => {
      clearInterval(this.timer);
      this.timer = 0;
      this.play.textContent = "▶";
      this.play.setAttribute("aria-label", "play");
    };
    if (this.timer) {
      stop();
      return;
    }
    if (this.line.step === this.one.length - 1) this.line.move(0);
    this.play.textContent = "❚❚";
    this.play.setAttribute("aria-label", "stop");
    this.timer = setInterval(() => {
      if (this.line.step === this.one.length - 1)
        stop();
      else
        this.line.move(this.line.step + 1);
    }, 350);
  }
}
