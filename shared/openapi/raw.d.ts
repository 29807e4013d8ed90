/** A file's content as text, inlined by the build (`infra/build/raw-text.ts`) and by Vitest. */
declare module '*?raw' {
  const text: string;
  export default text;
}
