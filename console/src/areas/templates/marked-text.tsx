import { Fragment } from 'react';

const MARKS = { '*': 'strong', _: 'em', '~': 's' } as const;
const MARKED = /(\*[^\s*](?:[^*\n]*[^\s*])?\*|_[^\s_](?:[^_\n]*[^\s_])?_|~[^\s~](?:[^~\n]*[^\s~])?~)/;

/** A text with WhatsApp's marks (`*bold*`, `_italic_`, `~struck~`) as they are shown. Everything else is text. */
export const MarkedText = ({ text }: { readonly text: string }) =>
  text.split(MARKED).map((part, at) => {
    const Tag = MARKED.test(part) ? MARKS[part[0] as keyof typeof MARKS] : undefined;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have nothing but their place.
      <Fragment key={at}>{Tag ? <Tag>{part.slice(1, -1)}</Tag> : part}</Fragment>
    );
  });
