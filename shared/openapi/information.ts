export const TITLE = 'Multichannel messaging';

/** First page of the documentation: conventions, credentials and versioning (docs/spec/platform.md#versions-and-change). */
export const DESCRIPTION = `WhatsApp, e-mail, SMS, RCS, push and Instagram behind one contract.

## Credentials and environments

Every call carries \`Authorization: Bearer\` and an API key. The key decides the environment: \`svc_live_…\` keys send and are charged,
\`svc_test_…\` keys use the sandbox and its own wallet. What belongs to another organization or to the other environment answers 404.
Each operation names the scope that it needs.

## Sending once

Operations that send take an \`Idempotency-Key\`. The same key with the same body answers the first response again, with \`replayed: true\`,
for 24 hours; with another body it answers 409.

## Values

Timestamps are ISO 8601 in UTC. Money is in coins: 1 coin = R$ 0.0001. Recipients are masked without the scope \`pii:full\`.
Fields that a body does not know are refused with 422, or with 400 where the operation names no 422. Answers may gain fields: read the ones that you know.

## Errors

Every error is a problem document (RFC 7807) with a stable \`code\` and the \`requestId\` of the call. It never repeats a value that was sent.
Its \`type\` is the address of a page that says what to do. An unknown path answers 404, a known path with another method 405 with \`Allow\`.
Under \`/v1\` codes are the overview contract's, in lower case, with the recommended \`action\`. What the gateway of a deployment refuses by itself
before it looks at the path or the credential (a body over 10 MB, its own throttle, a time-out) carries the codes of the other paths there too.

## Versions and change

The overview contract is under \`/v1\`, the reference operations are under \`/v2\`, and some have no prefix; no path is an alias of another.
Breaking changes come only in a new major version, with 12 months of overlap and a public changelog. Until then contracts are stable:
no operation changes its shape without notice. New operations, new optional fields in requests and new fields in answers are no breaking changes.`;

/** Descriptions of the tags; a tag without one fails the document's generation. */
export const TAGS: Readonly<Record<string, string>> = {
  Overview: 'One contract for every channel: send with fallbacks, and see beforehand what a send would do and cost.',
  Messages: 'Messages of all channels: read them and their story, cancel, force and send them anew.',
  SMS: 'Send texts, read them and the replies to them.',
  'E-mail': 'Send e-mails, read them and what became of them.',
  RCS: 'Send texts and cards by RCS, with an SMS where the device has none.',
  Push: 'Apps and their devices, notifications to an audience, and what became of each device.',
  'E-mail templates': 'Subjects and bodies with placeholders, in HTML or MJML, that e-mails are made from.',
  'WhatsApp numbers': 'The numbers that WhatsApp messages leave from: their state, quality, rate and profile.',
  'WhatsApp templates': 'What may be sent outside of a conversation, once the platform has approved it.',
  'WhatsApp flows': 'Forms of several screens that recipients fill in WhatsApp.',
  Wallet: 'The prepaid balance of the environment, its ledger and the price table.',
  'API keys': 'Create, rotate and revoke the keys of the organization.',
  Organization: 'The organization behind the credential, and its people.',
  Media: 'Files that messages carry: uploaded once, sent by their id.',
  Contacts: 'The people that messages go to, and their consent.',
  Webhooks: 'Signed delivery of events to your addresses, with proof that none was missed.',
  Links: 'Short links in messages, and what happens when they are opened.',
  Unsubscribe: 'Where the one-click unsubscribe of an e-mail leads (RFC 8058).',
  Callbacks: 'Where providers report what became of a message; each verifies the signature of its own provider.',
  Service: 'Health and documentation. No credential is needed.',
};

export const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key (`svc_live_…`, `svc_test_…`) or a session (`svc_session_…`), sent as `Authorization: Bearer`.',
} as const;
