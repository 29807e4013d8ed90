import { escapeHtml, type Html, trusted } from '../html.ts';
import { markdownWith } from '../markdown.ts';

const reader = markdownWith(
  (href) => (/^(?:https:\/\/|\/(?!\/)|#)/.test(href) ? href : undefined),
  (text, href) => `${text} (<code>${escapeHtml(href)}</code>)`,
);

/** A description of the document, which is Markdown, as paragraphs. */
export const markdown = (text: string): Html => trusted(reader.parse(text, { async: false }));

/** One line of Markdown, without a paragraph around it. */
export const inlineMarkdown = (text: string): Html => trusted(reader.parseInline(text, { async: false }));
