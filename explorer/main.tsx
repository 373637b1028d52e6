import { render } from "preact";
import { start } from "./app/session.ts";
import { followTheme } from "./app/theme.ts";
import { App } from "./view/App.tsx";
import { listenEverywhere } from "./view/everywhere.ts";
import { keepFocus } from "./view/keepFocus.ts";

followTheme();
start();
listenEverywhere();
keepFocus();
render(<App />, document.getElementById("app")!);

if (window.parent !== window) void import("./app/embedded.ts").then(({ tellAround }) => tellAround());
