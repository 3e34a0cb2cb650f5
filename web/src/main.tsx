// The frame of every page: navigation, settings, keys, and the page that the address names.

import { render } from "preact";
import { startKeys } from "./lib/keys";
import { startRouter } from "./lib/router";
import { loadAbout } from "./lib/server";
import { startSettings } from "./lib/settings";
import { Shell } from "./shell";

startSettings();
startRouter();
startKeys();
void loadAbout();
render(<Shell />, document.getElementById("app")!);
