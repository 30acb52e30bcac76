// Light and dark, and the start.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors

const themeButton = find("#theme"), darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
const isDark = () =>
    (document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" :
                                              darkSystem.matches);
const nameTheme = () => {
  themeButton.textContent = isDark() ? "Light" : "Dark";
};
themeButton.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
darkSystem.addEventListener("change", nameTheme);
themeButton.hidden = false;
nameTheme();

const browser = new Browser(find("#browser"));

async function showSet(number) {
  await browser.load(number);
  showGallery(browser);
  document.documentElement.dataset.width = window.innerWidth;
  document.documentElement.dataset.ready = "yes";
}

showSet(0).catch(
    (error) => find("#browser")
                   .append(
                       el("p", {class: "note"},
                          "The data of this page could not be read: " + error.message)));
