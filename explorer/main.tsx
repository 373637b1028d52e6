import { render } from "preact";
import { start } from "./app/session.ts";
import { App } from "./view/App.tsx";

start();
render(<App />, document.getElementById("app")!);
