// The script of a worker that has nothing but engines.

import { serveCompactors } from "./serve.js";

serveCompactors();
