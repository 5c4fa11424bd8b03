// Stands between require.js and embed-amd.js: widgets' modules are beside this file, not on another host.
(function () {
  const base = document.currentScript.src.replace(/\/[^/]*$/, "") + "/vendor/widgets";
  require.config({ paths: { anywidget: base + "/anywidget", "@jupyter-widgets/html-manager/dist": base } });
  // html-manager calls MathJax 2, for formulas in widgets' labels; the book has MathJax 3.
  window.addEventListener("load", () => {
    const mathjax = window.MathJax;
    if (!mathjax || mathjax.Hub) return;
    mathjax.Hub = { Queue: ([, , element]) => mathjax.startup?.promise.then(() => mathjax.typesetPromise([element])) };
  });
})();
