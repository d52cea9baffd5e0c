/** The flow, as `promptpack graph` draws it; a step opens its pack. */
import {h, type VNode} from "preact";
import {app} from "../app";
import {t} from "../words";
import type {Drawn} from "../types";

const elements = new Set(["svg", "g", "defs", "marker", "path", "rect", "text", "title"]);

export function FlowPane() {
  const flow = app.flow;
  return (
    <div class="flowpane">
      <div class="head">
        <h1>{t("flow")}</h1>
      </div>
      <div class="drawing" tabIndex={0} aria-label={t("flow")}>{flow ? draw(flow.drawing, steps()) : <p class="empty">{t("noFlow")}</p>}</div>
    </div>
  );
}

/** Yields the pack files in the order of the steps, which is also that of the boxes. */
function* steps(): Generator<string, string> {
  for (const one of app.flow?.steps ?? []) yield one.path;
  return "";
}

function draw(drawn: Drawn, paths: Iterator<string>): VNode | null {
  if (!elements.has(drawn.tag)) return null;
  const attributes: Record<string, unknown> = Object.fromEntries(Object.entries(drawn.attributes).filter(([name]) => !name.startsWith("on")));
  const step = drawn.attributes["data-step"];
  if (step !== undefined) {
    const path = paths.next().value;
    const open = () => void (path && app.open(path));
    const press = (event: KeyboardEvent) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), open());
    Object.assign(attributes, {role: "button", tabIndex: 0, "aria-label": step, class: "step", onClick: open, onKeyDown: press});
  }
  return h(drawn.tag, attributes, drawn.text.trim() || null, ...drawn.children.map((child) => draw(child, paths)));
}
