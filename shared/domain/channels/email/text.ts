import { textFromHtml } from './html-text.ts';

/** Max. size of HTML and text together, in bytes: below the gateway's limit and far below the 40 MB of Amazon SES. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** An e-mail's body. */
export interface EmailBody {
  readonly html?: string | undefined;
  readonly text?: string | undefined;
}

/** Size of both parts in UTF-8 bytes, the API's `bodyBytes` (docs/spec/email.md#e-mail-content). */
export const bodyBytes = ({ html = '', text = '' }: EmailBody): number =>
  Buffer.byteLength(html) + Buffer.byteLength(text);

/** Adds a plain-text part generated from the HTML if it is missing. */
export const withText = (body: EmailBody): EmailBody =>
  body.text === undefined && body.html !== undefined ? { ...body, text: textFromHtml(body.html) } : body;
