// Starts the app. The names of its files contain hashes, which the build writes into this script's element.

const { js, wasm } = document.currentScript.dataset;
import(js).then((app) => app.default({ module_or_path: wasm }));
