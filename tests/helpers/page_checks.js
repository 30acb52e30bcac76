// What a screenshot would show, without pixels: gives a list of complaints about the page as it is
// laid out now. browser_driver runs it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
(() => {
  const complaints = [], all = (query) => [...document.querySelectorAll(query)];
  const name = (node) => `${node.tagName.toLowerCase()}${node.id ? "#" + node.id : ""}.${
      node.getAttribute("class") || ""} "${node.textContent.slice(0, 24)}"`;
  const box = (node) => node.getBoundingClientRect();
  const seen = (node) => {
    const b = box(node);
    return b.width > 0 && b.height > 0 && getComputedStyle(node).visibility !== "hidden";
  };
  const scrolls = (node) => node && node !== document.body &&
      (["auto", "scroll", "hidden"].includes(getComputedStyle(node).overflowX) ||
       scrolls(node.parentElement));
  const meet = (a, b, slack) => a.left < b.right - slack && b.left < a.right - slack &&
      a.top < b.bottom - slack && b.top < a.bottom - slack;
  const apart = (nodes, slack, what) => {
    const boxes = nodes.filter(seen).map((node) => [node, box(node)]);
    boxes.forEach(([node, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
      if (meet(a, b, slack)) complaints.push(`${what}: ${name(node)} over ${name(other)}`);
    }));
  };

  // nothing is wider than the window, but what scrolls by itself
  if (document.documentElement.scrollWidth > innerWidth)
    complaints.push(
        `the page is ${document.documentElement.scrollWidth} wide, the window ${innerWidth}`);
  for (const node of all("main *, header *")) {
    if (!seen(node) || node.closest("svg svg, .skip")) continue;
    const b = box(node);
    if ((b.right > innerWidth + 1 || b.left < -1) && !scrolls(node))
      complaints.push(`${name(node)} leaves the window: ${b.left} to ${b.right}`);
  }
  // texts do not leave their boxes
  for (const node of all(
           ".tile, .card h4, figcaption, .facts, .told dd, .group p, .count, button, label"))
    if (seen(node) && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 &&
        !scrolls(node))
      complaints.push(`${name(node)} is wider than its place`);

  // a wide table scrolls, but not what it says of itself
  for (const node of all(".scroll caption"))
    if (box(node).width > node.closest(".scroll").clientWidth + 1)
      complaints.push(`${name(node)} must be scrolled to be read`);

  // neighbours do not lie over one another
  for (const query
           of ["main", ".tiles", ".cards", ".tools", ".browser", ".scene", ".groups", ".moves",
               ".bar", ".words", ".stage"])
    for (const node of all(query)) apart([...node.children], 1, query);
  for (const picture of all("svg.fig")) {
    const texts = [...picture.querySelectorAll("text")].filter(
              (node) => !node.classList.contains("mark")),
          frame = box(picture);
    apart(
        [...texts, ...picture.querySelectorAll("rect[width=\"10\"][height=\"10\"]")], 1.5,
        "figure " + picture.querySelector("title").textContent);
    for (const text of texts) {
      const b = box(text);
      if (b.left < frame.left - 1 || b.right > frame.right + 1 || b.bottom > frame.bottom + 2)
        complaints.push(`${name(text)} leaves its figure`);
    }
  }
  apart([...document.querySelectorAll("#timeline text")], 1.5, "time line");

  // parts are where they belong
  const below = (a, b) => {
    const [x, y] = [document.querySelector(a), document.querySelector(b)];
    if (!x || !y || box(y).top < box(x).bottom - 1) complaints.push(`${b} is not below ${a}`);
  };
  [["h1", ".tiles"], [".tiles", ".scores"], [".scores", ".cards"], ["#set1", "#browse"],
   ["#browse", "#gallery"], ["#gallery", "#about"], [".time", ".scene"]]
      .forEach(([a, b]) => below(a, b));
  const list = box(document.querySelector(".shelf-list")),
        stage = box(document.querySelector(".stage"));
  if (list.width && (innerWidth >= 1000 ? list.right > stage.left : list.bottom > stage.top + 1))
    complaints.push("the list is not beside the stage (wide) or above it (narrow)");

  // contrast of text: 4.5 and more
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([
    r, g, b
  ]) => [r, g, b]
            .map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const c = parse(getComputedStyle(node).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  for (const node of all("body *")) {
    if (!seen(node) || node.closest("script, option, .skip") ||
        ![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()))
      continue;
    if (node.matches(".mark, .on, .letter") && node.closest("svg"))
      continue;  // on coloured cells: below
    const style = getComputedStyle(node),
          ink = parse(node.closest("svg") ? style.fill : style.color),
          value =
              contrast(ink, behind(node.closest("svg") ? node.closest("svg").parentElement : node));
    if (value < 4.5) complaints.push(`${name(node)}: contrast ${value.toFixed(2)}`);
  }
  const probe = document.createElement("i"), colour = (variable) => {
    probe.style.color = `var(${variable})`;
    return parse(getComputedStyle(probe).color);
  };
  document.body.append(probe);
  for (let i = 0; i < 8; i++)
    if (contrast(colour("--on"), colour("--seg" + i)) < 4.5)
      complaints.push("text on segment " + i);
  for (let i = 0; i < 6; i++)
    if (contrast(colour("--paper"), colour("--run" + i)) < 3) complaints.push("run " + i);
  for (let i = 0; i < 8; i++)
    if (contrast(colour("--paper"), colour("--line" + i)) < 3) complaints.push("line " + i);
  if (contrast(colour("--paper"), colour("--truth")) < 3) complaints.push("truth");
  probe.remove();
  return [...new Set(complaints)];
})()
