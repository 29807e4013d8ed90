import style from 'swagger-ui-dist/swagger-ui.css?raw';
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js?raw';
import { docsStart, errorStyle } from './pages.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Files of the documentation page, by their names under /docs/assets/. */
export const ASSETS: ReadonlyMap<string, { readonly contentType: string; readonly text: string }> = new Map([
  ['swagger-ui.css', { contentType: STYLE, text: style }],
  ['swagger-ui-bundle.js', { contentType: SCRIPT, text: bundle }],
  ['start.js', { contentType: SCRIPT, text: docsStart }],
  ['error.css', { contentType: STYLE, text: errorStyle }],
]);
