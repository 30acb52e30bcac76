// What is wrong with a page of the site as it is laid out now: a list of complaints. browser_driver
// runs it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
(() => {
  const complaints = [], all = (query) => [...document.querySelectorAll(query)];
  const name = (node) => `${node.tagName.toLowerCase()} "${node.textContent.trim().slice(0, 24)}"`;
  const seen = (node) => {
    const b = node.getBoundingClientRect();
    return b.width > 0 && b.height > 0 && getComputedStyle(node).visibility !== "hidden";
  };
  const scrolls = (node) => node && node !== document.body &&
      (["auto", "scroll", "hidden"].includes(getComputedStyle(node).overflowX) ||
       scrolls(node.parentElement));

  // nothing is wider than the window, but what scrolls by itself
  if (document.documentElement.scrollWidth > innerWidth)
    complaints.push(`${document.documentElement.scrollWidth} wide, the window ${innerWidth}`);
  for (const node of all(".md-content *"))
    if (seen(node) && node.getBoundingClientRect().right > innerWidth + 1 && !scrolls(node))
      complaints.push(`${name(node)} leaves the window`);
  for (const node of all("img"))
    if (!node.naturalWidth) complaints.push(`${node.getAttribute("src")} is not shown`);

  // contrast of text: 4.5 and more
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((c, i) => a * c + (1 - a) * under[i]);
  const behind = (node) => {
    if (!node) return [255, 255, 255];
    const c = parse(getComputedStyle(node).backgroundColor);
    return c[3] === 0  ? behind(node.parentElement) :
        c.length === 4 ? over(c, behind(node.parentElement)) :
                         c;
  };
  const light = (colour) =>
      colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  for (const node of all(".md-typeset *, .md-nav__link, .md-tabs__link")) {
    if (!seen(node) || node.matches(".headerlink, .md-clipboard, .md-clipboard *") ||
        ![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()))
      continue;
    const ground = behind(node), ink = over(parse(getComputedStyle(node).color), ground),
          [x, y] = [light(ink), light(ground)].sort((p, q) => q - p),
          value = (x + 0.05) / (y + 0.05);
    if (value < 4.5) complaints.push(`${name(node)}: contrast ${value.toFixed(2)}`);
  }
  return [...new Set(complaints)].slice(0, 12);
})()
