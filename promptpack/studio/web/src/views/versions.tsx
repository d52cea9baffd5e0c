/** Two sides of a pack: the words of their prompts, the changes of the contract with their class, the text of the file. */
import {app} from "../app";
import {t, type Word} from "../words";
import type {Change, Compared} from "../types";
import {ProblemRow, Words, shorten} from "./parts";

const views = ["prompts", "contract", "file"] as const;

export function VersionsTab() {
  const row = app.pack;
  const compared = app.compared;
  if (!row) return <p class="empty">{t("open")}</p>;
  const isFile = app.sides.old.endsWith(".yaml");
  return (
    <>
      <div class="line sides">
        <Side side="old" />
        <span aria-hidden="true">→</span>
        <Side side="new" />
      </div>
      <div class="line">
        <span class="pair" role="group" aria-label={t("compare")}>
          {views.map((one) => (
            <button key={one} aria-pressed={app.comparing === one} onClick={() => ((app.comparing = one), app.changed())}>
              {t(one)}
              {one === "contract" && compared?.changes ? <span class="count">{compared.changes.length}</span> : null}
            </button>
          ))}
        </span>
        <span class="gap" />
        {compared?.bump && compared.bump !== "none" && <span class={`tag bump ${compared.bump}`}>{t("needs", t(compared.bump as Word))}</span>}
      </div>
      {isFile && (
        <div class="line">
          <button onClick={() => void app.askVersions(app.sides.old, true)}>{t("restore")}</button>
        </div>
      )}
      {compared && (
        <>
          <ul class="warnings">{compared.problems.slice(0, 5).map((one, index) => <ProblemRow key={index} problem={one} />)}</ul>
          <div data-testid="compared">{app.comparing === "prompts" ? <Prompts compared={compared} /> : app.comparing === "contract" ? <Changes changes={compared.changes ?? []} /> : <Text compared={compared} />}</div>
        </>
      )}
    </>
  );
}

function Side({side}: {side: "old" | "new"}) {
  const row = app.pack;
  return (
    <label>
      <span>{t(side)}</span>
      <select aria-label={t(side)} value={app.sides[side]} onChange={(event) => app.setSide(side, event.currentTarget.value)}>
        <option value="draft">{t("draftSide")}</option>
        <option value="saved">{t("savedSide")}</option>
        <optgroup label={t("versions")}>
          {[...(row?.files ?? [])].reverse().map((one) => (
            <option key={one.path} value={one.path}>
              {one.version} {one.locale}
            </option>
          ))}
        </optgroup>
        {row && row.labels.length > 0 && (
          <optgroup label={t("label")}>
            {row.labels.map((one) => (
              <option key={one.name} value={`${row.name}@${one.name}`}>
                {one.name} = {one.target}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

function Prompts({compared}: {compared: Compared}) {
  const messages = compared.messages ?? [];
  if (!messages.some((one) => one.state !== "unchanged")) return <p class="empty">{t("same")}</p>;
  return (
    <>
      {messages.map((one, index) => (
        <article class={`card diff ${one.state}`} key={index}>
          <header>
            <b>{one.role}</b>
            <span class="tag">{t(one.state as Word)}</span>
          </header>
          {one.state !== "unchanged" && <Words pieces={shorten(one.pieces)} />}
        </article>
      ))}
    </>
  );
}

function Changes({changes}: {changes: Change[]}) {
  if (!changes.length) return <p class="empty">{t("same")}</p>;
  return (
    <ul class="changes">
      {changes.map((one, index) => (
        <li key={index}>
          <span class={`tag class ${one.class}`}>{t(one.class as Word)}</span>
          <button class="plain" disabled={!one.line} onClick={() => void app.open(one.path, one.line)}>
            <code>{one.code}</code> {one.message}
          </button>
          {one.hint && <small class="hint">{one.hint}</small>}
        </li>
      ))}
    </ul>
  );
}

function Text({compared}: {compared: Compared}) {
  if (!compared.text.some((one) => one.kind !== "kept")) return <p class="empty">{t("same")}</p>;
  return (
    <article class="card diff">
      <Words pieces={shorten(compared.text)} />
    </article>
  );
}
