import collection from '../../docs/postman.json?raw';
import style from './docs.css?raw';
import script from './reader.js?raw';

/** Files of the documentation's pages, by their names under /docs/assets/. */
export const ASSETS: ReadonlyMap<string, { readonly contentType: string; readonly text: string }> = new Map([
  ['reader.js', { contentType: 'text/javascript; charset=utf-8', text: script }],
  ['docs.css', { contentType: 'text/css; charset=utf-8', text: style }],
  ['postman.json', { contentType: 'application/json', text: collection }],
]);
