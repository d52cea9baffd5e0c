/** Where the pack is used. */
import {app} from "../app";
import {t} from "../words";
import {Section} from "./parts";

export function UsesTab() {
  const {uses, pack} = app;
  if (!uses || !pack) return <p class="empty">…</p>;
  const isEmpty = ![uses.extended_by, uses.extends, uses.steps, pack.labels].some((one) => one.length);
  return (
    <>
      {isEmpty && <p class="empty">{t("nowhere")}</p>}
      {pack.labels.length > 0 && (
        <Section title={t("label")}>
          <ul class="plainlist">
            {pack.labels.map((one) => (
              <li key={one.name}>
                <span class="tag label">{one.name}</span> {one.target}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {uses.extends.length > 0 && (
        <Section title={t("extendsTitle")}>
          <ul class="plainlist">{uses.extends.map((one) => <li key={one}><code>{one}</code></li>)}</ul>
        </Section>
      )}
      {uses.extended_by.length > 0 && (
        <Section title={t("extendedBy")}>
          <ul class="plainlist">
            {uses.extended_by.map((one) => (
              <li key={one.path}>
                <button class="plain" onClick={() => void app.open(one.path)}>{one.label} {one.locale}</button>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {uses.steps.length > 0 && (
        <>
          <Section title={t("steps")}>
            <ul class="plainlist">{uses.steps.map((one) => <li key={one}><button class="plain" onClick={() => app.showFlow()}>{one}</button></li>)}</ul>
          </Section>
          <Neighbours title={t("fedBy")} found={uses.fed_by} />
          <Neighbours title={t("feeds")} found={uses.feeds} />
        </>
      )}
    </>
  );
}

function Neighbours({title, found}: {title: string; found: {step: string; data: string}[]}) {
  if (!found.length) return null;
  return (
    <Section title={title}>
      <ul class="plainlist">
        {found.map((one, index) => (
          <li key={index}>
            {one.step} <small>{one.data}</small>
          </li>
        ))}
      </ul>
    </Section>
  );
}
