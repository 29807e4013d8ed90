/** A file's text, taken into the bundle at build time (`infra/build/raw-text.ts`) and by the test runner alike. */
declare module '*?raw' {
  const text: string;
  export default text;
}
