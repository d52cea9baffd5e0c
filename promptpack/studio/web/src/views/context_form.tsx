/** The context of the prompt: one of the tests, one that was kept, an example, or own values; as a form or as JSON. */
import {useEffect, useState} from "preact/hooks";
import {app} from "../app";
import {t} from "../words";
import type {Input} from "../types";

export function ContextForm() {
  const info = app.info;
  const [isOpen, open] = useState(false);
  if (!info) return null;
  const value = `${app.chosen.kind}:${app.chosen.name}`;
  const choose = (text: string) => {
    const [kind, ...name] = text.split(":");
    app.choose({kind: kind as typeof app.chosen.kind, name: name.join(":")});
  };
  const kept = Object.keys(info.kept);
  return (
    <div class="context">
      <div class="line">
        <label>
          <span>{t("context")}</span>
          <select aria-label={t("context")} value={value} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="auto:">{t("auto")}</option>
            <option value="example:">{t("example")}</option>
            <option value="own:">{t("own")}</option>
            {info.tests.length > 0 && (
              <optgroup label={t("tests")}>
                {info.tests.map((one) => <option key={one.name} value={`test:${one.name}`}>{one.name}</option>)}
              </optgroup>
            )}
            {kept.length > 0 && (
              <optgroup label={t("kept")}>
                {kept.map((name) => <option key={name} value={`kept:${name}`}>{name}</option>)}
              </optgroup>
            )}
          </select>
        </label>
        {info.models.length > 0 && (
          <label>
            <span>{t("modelOverlay")}</span>
            <select aria-label={t("modelOverlay")} value={app.model} onChange={(event) => ((app.model = event.currentTarget.value), app.look())}>
              <option value="">{t("noOverlay")}</option>
              {info.models.map((one) => <option key={one} value={one.replaceAll("*", "x")}>{one}</option>)}
            </select>
          </label>
        )}
        <button class="plain" aria-expanded={isOpen} onClick={() => open(!isOpen)}>{t(isOpen ? "collapse" : "expand")}</button>
      </div>
      {isOpen && (
        <>
          <div class="line">
            <span class="pair" role="group">
              <button aria-pressed={app.isForm} onClick={() => ((app.isForm = true), app.changed())}>{t("form")}</button>
              <button aria-pressed={!app.isForm} onClick={() => ((app.isForm = false), app.changed())}>{t("json")}</button>
            </span>
            <span class="gap" />
            <button class="plain" onClick={() => app.show({kind: "trace"})}>{t("loadCall")}</button>
            <button class="plain" onClick={() => app.show({kind: "keep"})}>{t("keep")}</button>
            {app.chosen.kind === "kept" && <button class="plain" onClick={() => void app.keepContext(app.chosen.name, null)}>{t("forget")}</button>}
          </div>
          {app.isForm ? <Fields inputs={info.inputs} /> : <Whole />}
        </>
      )}
    </div>
  );
}

function Fields({inputs}: {inputs: Input[]}) {
  return (
    <div class="fields">
      {inputs.map((one) => <Field key={`${app.path}:${one.name}`} input={one} />)}
    </div>
  );
}

function Field({input}: {input: Input}) {
  const context = app.context ?? {};
  const value = context[input.name];
  const id = `input-${input.name}`;
  const set = (next: unknown) => {
    const changed = {...context};
    if (next === undefined) delete changed[input.name];
    else changed[input.name] = next;
    app.setContext(changed);
  };
  const tags = [t(input.required ? "required" : "optional"), input.trusted ? "" : t("untrusted"), input.secret ? t("secret") : ""].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>
        <code>{input.name}</code>
        <small>{tags.join(" · ")}</small>
      </label>
      {input.description && <p class="about">{input.description}</p>}
      <Control id={id} input={input} value={value} set={set} />
    </div>
  );
}

function Control({id, input, value, set}: {id: string; input: Input; value: unknown; set: (value: unknown) => void}) {
  const {schema} = input;
  if (Array.isArray(schema.enum)) {
    const words = schema.enum.map((one) => JSON.stringify(one));
    return (
      <select id={id} value={JSON.stringify(value) ?? ""} onChange={(event) => set(event.currentTarget.value ? JSON.parse(event.currentTarget.value) : undefined)}>
        <option value="">—</option>
        {words.map((word) => <option key={word} value={word}>{word.replace(/^"|"$/g, "")}</option>)}
      </select>
    );
  }
  if (schema.type === "boolean") {
    return <input id={id} type="checkbox" checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  }
  if (schema.type === "number" || schema.type === "integer") {
    const read = (text: string) => set(text === "" ? undefined : Number(text));
    return <input id={id} type="number" min={schema.minimum} max={schema.maximum} step={schema.type === "integer" ? 1 : "any"} value={typeof value === "number" ? value : ""} onInput={(event) => read(event.currentTarget.value)} />;
  }
  if (schema.type === "string") {
    if (input.secret) {
      return (
        <form onSubmit={(event) => event.preventDefault()}>
          <input id={id} type="password" autocomplete="off" value={typeof value === "string" ? value : ""} onInput={(event) => set(event.currentTarget.value || undefined)} />
        </form>
      );
    }
    const text = typeof value === "string" ? value : "";
    return <textarea id={id} rows={Math.min(6, Math.max(1, text.split("\n").length, Math.ceil(text.length / 60)))} value={text} onInput={(event) => set(event.currentTarget.value || (input.required ? "" : undefined))} />;
  }
  return <JsonText id={id} value={value} set={set} isEmptyAllowed />;
}

function Whole() {
  return <JsonText id="whole-context" value={app.context ?? {}} set={(value) => app.setContext(value as Record<string, unknown>)} mustBeObject />;
}

/** A value as JSON; while it is half typed, the last good value stays. */
function JsonText({id, value, set, isEmptyAllowed, mustBeObject}: {id: string; value: unknown; set: (value: unknown) => void; isEmptyAllowed?: boolean; mustBeObject?: boolean}) {
  const written = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [text, setText] = useState(written);
  const [error, setError] = useState("");
  useEffect(() => {
    // Another context was chosen; what is being typed has the same meaning and stays as it is.
    if (meaning(text) !== meaning(written)) {
      setText(written);
      setError("");
    }
  }, [written]);
  const type = (next: string) => {
    setText(next);
    if (isEmptyAllowed && !next.trim()) {
      setError("");
      return set(undefined);
    }
    try {
      const read = JSON.parse(next) as unknown;
      if (mustBeObject && (typeof read !== "object" || read === null || Array.isArray(read))) throw new Error("{ }");
      setError("");
      set(read);
    } catch (found) {
      setError(String((found as Error).message));
    }
  };
  const rows = Math.min(14, Math.max(2, text.split("\n").length));
  return (
    <>
      <textarea id={id} class="code" aria-label={mustBeObject ? t("context") : undefined} rows={rows} value={text} spellcheck={false} aria-invalid={Boolean(error)} onInput={(event) => type(event.currentTarget.value)} />
      {error && <p class="invalid" role="alert">{error}</p>}
    </>
  );
}

function meaning(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return "";
  }
}
