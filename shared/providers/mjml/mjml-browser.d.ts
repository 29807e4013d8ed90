/** The part of the package that is used; it ships no types. */
declare module 'mjml-browser' {
  interface MjmlFault {
    readonly line: number;
    readonly message: string;
    readonly tagName: string;
  }
  const compile: (
    source: string,
    options: { validationLevel: 'soft' },
  ) => Promise<{ readonly html: string; readonly errors: readonly MjmlFault[] }>;
  export default compile;
}
