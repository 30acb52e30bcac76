// A Worker for pages that are opened as files: browsers refuse real ones there. The script runs in
// a hidden frame of the same page; mkdocs-material's search needs addEventListener and postMessage
// only.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
class IFrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.appendChild(this.frame);
    const inside = this.frame.contentWindow;
    const script = inside.document.createElement("script");
    inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
    inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
    this.ready = new Promise((resolve) => (script.onload = resolve));
    script.src = url;
    inside.document.body.appendChild(script);
  }
  load(url) {
    return new Promise((resolve) => {
      const script = this.frame.contentDocument.createElement("script");
      script.onload = resolve;
      script.src = url;
      this.frame.contentDocument.body.appendChild(script);
    });
  }
  postMessage(data) {
    this.ready.then(
        () => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", {data})));
  }
  terminate() {
    this.frame.remove();
  }
}
if (location.protocol === "file:") {
  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
}
