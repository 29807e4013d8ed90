import reference from 'rapidoc/dist/rapidoc-min.js?raw';
import collection from '../../docs/postman.json?raw';
import { docsStart } from './pages.ts';
import { errorStyle, guideStyle, referenceStyle } from './styles.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Files of the documentation's pages, by their names under /docs/assets/. */
export const ASSETS: ReadonlyMap<string, { readonly contentType: string; readonly text: string }> = new Map([
  ['rapidoc.js', { contentType: SCRIPT, text: reference }],
  ['start.js', { contentType: SCRIPT, text: docsStart }],
  ['reference.css', { contentType: STYLE, text: referenceStyle }],
  ['guide.css', { contentType: STYLE, text: guideStyle }],
  ['error.css', { contentType: STYLE, text: errorStyle }],
  ['postman.json', { contentType: 'application/json', text: collection }],
]);
