// Starts the app.

import start from "page/glue/page.js";
import module from "page/glue/page_bg.wasm?url";

start({ module_or_path: module });
