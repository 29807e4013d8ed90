import { textFromHtml } from './html-text.ts';

/** The most that html and text together may take, in bytes: below what the gateway takes and far below the 40 MB of Amazon SES. */
export const MOST_BODY_BYTES = 5 * 1024 * 1024;

/** The parts of an e-mail's body as they are sent. */
export interface EmailBody {
  readonly html?: string | undefined;
  readonly text?: string | undefined;
}

/** UTF-8 bytes of both parts: what interface 2.6 calls bodyBytes. */
export const bodyBytes = ({ html = '', text = '' }: EmailBody): number =>
  Buffer.byteLength(html) + Buffer.byteLength(text);

/** A body with its plain-text part, made from the html where it is absent. */
export const withText = (body: EmailBody): EmailBody =>
  body.text === undefined && body.html !== undefined ? { ...body, text: textFromHtml(body.html) } : body;
