import { render } from "preact";
import { start } from "./app/session.ts";
import { App } from "./view/App.tsx";
import { listenEverywhere } from "./view/everywhere.ts";

start();
listenEverywhere();
render(<App />, document.getElementById("app")!);
