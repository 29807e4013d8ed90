/** What this project uses of the package, which brings no types of its own. */
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
