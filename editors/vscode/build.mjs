/** Bundles the extension and the page of its preview into `dist`, with the licenses of what they contain. */

import {copyFile, mkdir, readdir, readFile, writeFile} from "node:fs/promises";
import path from "node:path";

import {build} from "esbuild";

const folder = import.meta.dirname;
const dist = path.join(folder, "dist");
const settings = {bundle: true, minify: true, metafile: true, logLevel: "warning", absWorkingDir: folder};

await mkdir(dist, {recursive: true});
const bundles = await Promise.all([
  build({
    ...settings,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    target: "node22",
    format: "cjs",
    external: ["vscode"],
  }),
  build({...settings, entryPoints: ["page/preview.ts"], outfile: "dist/preview.js", target: "es2022", format: "iife"}),
]);
await copyFile(path.join(folder, "page", "preview.css"), path.join(dist, "preview.css"));
await writeFile(path.join(dist, "LICENSES.txt"), await readLicenses(bundles));

/** Return the licenses of all packages in some bundles. */
async function readLicenses(bundles) {
  const files = bundles.flatMap(({metafile}) => Object.keys(metafile.inputs));
  const packages = new Set(files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean));
  const texts = [...packages].sort().map(async (name) => {
    const license = (await readdir(path.join(folder, name))).find((file) => /^licen[sc]e/i.test(file));
    if (!license) throw new Error(`${name} has no license file`);
    const text = await readFile(path.join(folder, name, license), "utf8");
    return `${name.replace(/^.*node_modules\//, "")}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}
