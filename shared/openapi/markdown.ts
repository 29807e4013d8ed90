import { Marked } from 'marked';
import { escapeHtml } from './html.ts';

/** The address that a link of the text leads to; undefined if what it names is not served. */
type AddressOf = (href: string) => string | undefined;

/** Markdown as HTML. HTML in the text is shown as text; `notServed` says what stands for a link without an address. */
export const markdownWith = (addressOf: AddressOf, notServed: (text: string, href: string) => string): Marked =>
  new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      // Blocks scroll sideways, so the keyboard must reach them.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address ? `<a href="${escapeHtml(address)}">${text}</a>` : notServed(text, href);
      },
    },
  });
