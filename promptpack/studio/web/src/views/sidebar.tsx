/** The packs with their versions, the other files, and the search. */
import {memo} from "./memo";
import {app} from "../app";
import {t} from "../words";
import type {PackFile, PackRow, Status} from "../types";
import {Dot, Icon, sumUp} from "./parts";

export function Sidebar() {
  const list = app.list;
  const beside = new Set(list?.packs.map(folderOf));
  const others = list?.files.filter((path) => !beside.has(path.slice(0, path.lastIndexOf("/")))) ?? [];
  return (
    <>
      <label class="search">
        <Icon name="search" />
        <span class="hidden">{t("searching")}</span>
        <input type="search" value={app.query} placeholder={t("search")} onInput={(event) => void app.search(event.currentTarget.value)} />
      </label>
      <div class="rows">
        {app.hits ? (
          <Hits />
        ) : (
          <>
            {list && !list.packs.length && <p class="empty">{t("noPacks")}</p>}
            <ul>
              {list?.packs.map((row) => (
                <PackItem key={row.name} row={row} isOpen={app.expanded.has(row.name)} current={app.path.startsWith(`${folderOf(row)}/`) || row.files[0].path === app.path ? app.path : ""} status={app.status} mark={markOf(row)} language={app.language} />
              ))}
            </ul>
            {others.length > 0 && (
              <>
                <h2>{t("files")}</h2>
                <ul>
                  {others.map((path) => <FileItem key={path} path={path} shown={path} />)}
                </ul>
              </>
            )}
          </>
        )}
      </div>
      <button class="row flow" aria-current={app.center === "flow"} onClick={() => app.showFlow()}>
        <Icon name="flow" />
        <span>{t("flow")}</span>
      </button>
    </>
  );
}

function folderOf(row: PackRow): string {
  const path = row.files[0].path;
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "//";
}

/** The tests beside the versions of a pack. */
function filesBeside(row: PackRow): string[] {
  const folder = `${folderOf(row)}/`;
  return app.list?.files.filter((path) => path.startsWith(folder)) ?? [];
}

function FileItem({path, shown}: {path: string; shown: string}) {
  return (
    <li>
      <button class="row file" aria-current={app.path === path} title={path} onClick={() => void app.open(path)}>
        <Icon name="file" />
        <span>{shown}</span>
      </button>
    </li>
  );
}

/** A text that changes when the row must be drawn again; a thousand rows are drawn only if something changed. */
function markOf(row: PackRow): string {
  return row.files.map((one) => JSON.stringify(app.status[one.path] ?? 0) + (one.has_draft || app.files.get(one.path)?.isDirty ? "d" : "")).join();
}

interface Item {
  row: PackRow;
  isOpen: boolean;
  current: string;
  status: Record<string, Status>;
  mark: string;
  language: string;
}

const PackItem = memo<Item>(
  ({row, isOpen, current}) => {
    const newest = row.files.filter((one) => one.is_default).at(-1) ?? row.files[row.files.length - 1];
    const isSingle = row.files.length === 1 && !filesBeside(row).length;
    const press = () => {
      if (isSingle) return void app.open(newest.path);
      app.toggle(row.name);
    };
    return (
      <li class="pack">
        <button class="row" aria-expanded={isSingle ? undefined : isOpen} aria-current={isSingle && current === newest.path} onClick={press} onDblClick={() => void app.open(newest.path)}>
          <span class={`chevron ${isSingle ? "none" : isOpen ? "down" : ""}`}>
            <Icon name="chevron" />
          </span>
          <span class="name">{row.name}</span>
          <small>{newest.version}</small>
          <Dot status={sumUp(row.files.map((one) => app.status[one.path]))} />
        </button>
        {isOpen && !isSingle && (
          <ul>
            {[...row.files].reverse().map((one) => (
              <VersionItem key={one.path} row={row} file={one} isCurrent={current === one.path} />
            ))}
            {filesBeside(row).map((path) => <FileItem key={path} path={path} shown={path.slice(path.lastIndexOf("/") + 1)} />)}
          </ul>
        )}
      </li>
    );
  },
  (old, now) => old.row === now.row && old.isOpen === now.isOpen && old.current === now.current && old.mark === now.mark && old.language === now.language,
);

function VersionItem({row, file, isCurrent}: {row: PackRow; file: PackFile; isCurrent: boolean}) {
  const labels = row.labels.filter((one) => one.target.split(", ").includes(file.version) && file.is_default);
  const hasDraft = file.has_draft || app.files.get(file.path)?.isDirty;
  return (
    <li>
      <button class="row version" aria-current={isCurrent} onClick={() => void app.open(file.path)}>
        <span class="name">{file.version || file.path}</span>
        {file.locale && <span class="tag">{file.locale}</span>}
        {labels.map((one) => (
          <span class="tag label" key={one.name}>{one.name}</span>
        ))}
        {hasDraft && <span class="edited" title={t("unsavedDraft")}>●<span class="hidden">{t("unsavedDraft")}</span></span>}
        <Dot status={app.status[file.path]} />
      </button>
    </li>
  );
}

function Hits() {
  const hits = app.hits;
  if (!hits) return null;
  return (
    <>
      {!hits.found.length && <p class="empty">{t("nothingFound")}</p>}
      <ul>
        {hits.found.map((one) => (
          <li key={one.path}>
            <button class="row hit" aria-current={app.path === one.path} onClick={() => void app.open(one.path, one.line)}>
              <span class="name">
                {one.name} <small>{one.version} {one.locale}</small>
              </span>
              <span class="excerpt">{one.excerpt}</span>
              <Dot status={app.status[one.path]} />
            </button>
          </li>
        ))}
      </ul>
      {hits.more > 0 && <p class="empty">{t("more", hits.more)}</p>}
    </>
  );
}
