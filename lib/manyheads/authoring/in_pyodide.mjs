// Runs Python in Pyodide under Node, as a page would: no server, NumPy from the wheel in book/vendor.
// node in_pyodide.mjs PYODIDE VENDOR LIB CODE: what CODE leaves in `result` is printed as the last line.
import { pathToFileURL } from "node:url";
import path from "node:path";

const [pyodide, vendor, lib, code] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: pyodide, packageCacheDir: vendor, stdout: (line) => console.error(line) });
await python.loadPackage("numpy", { messageCallback: () => {}, checkIntegrity: true });
python.FS.mkdirTree("/course");
python.FS.mount(python.FS.filesystems.NODEFS, { root: lib }, "/course");
python.runPython("import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '/course')");
try {
  console.log(python.runPython(`${code}\nresult`));
} catch (error) {
  console.error(error.message); // Python's own traceback, without Node's
  process.exit(1);
}
