const COLOURS =
  ':root{color-scheme:light dark;--text:light-dark(#1a1b1e,#e9ecef);--back:light-dark(#fff,#1a1b1e);--soft:light-dark(#f1f3f5,#2c2e33);--line:light-dark(#dee2e6,#495057);--link:light-dark(#0b7285,#66d9e8)}';
const TEXT =
  'body{margin:0;font:16px/1.6 system-ui,sans-serif;color:var(--text);background:var(--back)}a{color:var(--link)}';

/** The page of an error. */
export const errorStyle = `${COLOURS}${TEXT}body{max-width:44rem;margin:3rem auto;padding:0 1rem}code{background:var(--soft);padding:0 .2em}dt{font-weight:600}\n`;

/** The page around the reference. */
export const referenceStyle = `${COLOURS}${TEXT}rapi-doc nav{display:flex;gap:1rem;padding:1rem;font-size:15px}rapi-doc nav a{color:inherit}\n`;

/** A guide: its navigation beside it, or above it on a narrow screen. */
export const guideStyle = `${COLOURS}${TEXT}
body{display:grid;grid-template-columns:15rem minmax(0,48rem);gap:2.5rem;max-width:70rem;margin:0 auto;padding:1.5rem}
nav{position:sticky;top:1.5rem;align-self:start}nav ul{list-style:none;margin:0;padding:0}nav li{margin:.4rem 0}nav a[aria-current]{font-weight:600;text-decoration:none}
pre{overflow-x:auto;padding:1rem;background:var(--soft);border:1px solid var(--line);border-radius:6px;font-size:14px;line-height:1.5}
code{font-family:ui-monospace,monospace;font-size:.92em}:not(pre)>code{background:var(--soft);padding:0 .25em;border-radius:3px}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid var(--line);padding:.4rem .6rem;text-align:left;vertical-align:top}
@media(max-width:60rem){body{display:block}nav{position:static;border-bottom:1px solid var(--line);margin-bottom:1rem}}
`;
