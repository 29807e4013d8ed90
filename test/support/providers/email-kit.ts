import type { EmailContent } from '../../../shared/domain/channels/email/content.ts';
import { exact as carried, dispatchOf } from './dispatch.ts';
import type { ChannelKit } from './kit.ts';

/** The outcomes that a receipt of an e-mail can report; each stand-in writes them as its provider does. */
export type EmailOutcome =
  | 'sent'
  | 'delivered'
  | 'invalid_address'
  | 'mailbox_full'
  | 'suppressed'
  | 'provider_error'
  | 'complaint'
  | 'content_rejected';

const content = (over: Partial<EmailContent> = {}): EmailContent => ({
  from: '"Loja Azul" <vendas@loja.example>',
  subject: 'Código 9182 [conformance]',
  html: '<p>Olá, código <b>9182</b></p>',
  text: 'Olá, código 9182',
  ...over,
});

/** An e-mail to send. */
export const emailDispatch = dispatchOf({ to: 'ana.5511+loja@example.com.br', route: 'email', content: content() });

const exact = (what: string, over: Partial<EmailContent>) => carried(what, content(over));

/** The conformance suite's kit for every provider of e-mail. */
export const emailKit: ChannelKit = {
  dispatch: emailDispatch as ChannelKit['dispatch'],
  exact: [
    exact('the characters that encodings spoil', {
      subject: 'ç€[]{}~ +&=% ü 🙂 "9182"',
      html: '<p title="x">ç€ &amp; ü 🙂\r\n.\r\n</p>',
      text: 'ç€[]{}~\n.\n+&=% ü 🙂',
    }),
    exact('a sender beyond ASCII, as its header carries it', {
      from: '=?UTF-8?B?TG9qYSBBw6fDo28=?= <vendas@loja.example>',
    }),
    exact('html alone', { text: undefined }),
    exact('text alone', { html: undefined }),
    exact('the unsubscribe address', { unsubscribeUrl: 'https://api.example/u/lAbc-_9182' }),
  ],
  outcomes: {
    sent: { status: 'sent' },
    delivered: { status: 'delivered' },
    invalid_address: { status: 'bounced', reason: 'invalid_address' },
    mailbox_full: { status: 'bounced', reason: 'mailbox_full' },
    suppressed: { status: 'bounced', reason: 'suppressed' },
    provider_error: { status: 'bounced', reason: 'provider_error' },
    complaint: { status: 'complained', reason: 'complaint' },
    content_rejected: { status: 'failed', reason: 'content_rejected' },
  } satisfies Readonly<Record<EmailOutcome, object>>,
};
