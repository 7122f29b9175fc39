// `api.js` and `counting.js` of this folder are those of `../api`, which the build copies here: the `./modules.js` that
// they import is then the one of this folder.

export * from "../api/api.js";
