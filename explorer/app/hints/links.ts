export { hintLinks } from "kindred/data";
