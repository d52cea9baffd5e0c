// Bundles the page; the same sources give the same bytes.
import {build} from "esbuild";
import {copyFileSync} from "node:fs";
import {fileURLToPath} from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const target = process.argv[2] ?? here("../static");
// lang-jinja needs an HTML language only as a default, which is never used: its grammars are larger than all else.
const withoutHtml = {
  name: "without-html",
  setup(b) {
    b.onResolve({filter: /^@codemirror\/lang-html$/}, () => ({path: here("src/no_html.ts")}));
  },
};
await build({
  entryPoints: {studio: here("src/main.tsx")},
  outdir: target,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
  plugins: [withoutHtml],
});
copyFileSync(here("src/studio.css"), `${target}/studio.css`);
copyFileSync(here("src/icon.svg"), `${target}/icon.svg`);
