import type { ReactNode } from 'react';

/** Text in fixed width as it is written. A region that scrolls takes the focus, so that the keyboard reaches all of it. */
export const CodeBlock = ({ children, label }: { readonly children: ReactNode; readonly label?: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
  <pre className="code-block" tabIndex={0} {...(label ? { role: 'region', 'aria-label': label } : {})}>
    {children}
  </pre>
);

/** A value as JSON, behind its title: what a message carries, the metadata of a thing. */
export const JsonView = ({ title = 'JSON', value }: { readonly title?: string; readonly value: unknown }) => (
  <details>
    <summary>{title}</summary>
    <CodeBlock>{JSON.stringify(value, null, 2)}</CodeBlock>
  </details>
);
