export const TITLE = 'Multichannel messaging';

/** First page of the documentation: conventions, credentials and versioning (docs/spec/platform.md#versions-and-change). */
export const DESCRIPTION = `WhatsApp, e-mail, SMS, RCS, push and Instagram behind one contract.

## Credentials and environments

Every call is authenticated by \`Authorization: Bearer\` and an API key. The key determines the environment: \`svc_live_…\` keys send and are charged,
\`svc_test_…\` keys use the sandbox and its own wallet. Objects of another organization or of the other environment answer 404.
Each operation names the scope that it needs.

## Sending once

Operations that send take an \`Idempotency-Key\`. The same key with the same body returns the first response again, with \`replayed: true\`,
for 24 hours; with another body it answers 409.

## Values

Timestamps are ISO 8601 in UTC. Money is in coins: 1 coin = R$ 0.0001. Recipients are masked without the scope \`pii:full\`.
Unknown fields of a body are refused with 422, or with 400 where the operation documents no 422. Responses may gain fields: ignore those that you do not know.

## Errors

Every error is a problem document (RFC 7807) with a stable \`code\` and the \`requestId\` of the call. It never repeats a value that was sent.
Its \`type\` is the URL of a page that explains it. An unknown path answers 404, a known path with another method 405 with \`Allow\`.
Under \`/v1\` codes are in lower case, with the recommended \`action\`. Requests that the gateway of a deployment refuses
before it checks the path or the credential (a body over 10 MB, its own throttling, a time-out) have the codes of the other paths there too.

## Versions and change

The operations for all channels are under \`/v1\`, the reference operations under \`/v2\`, and some have no prefix; no path is an alias of another.
Breaking changes come only in a new major version, with 12 months of overlap and a public changelog. Until then contracts are stable:
no operation changes its shape without notice. New operations, new optional fields in requests and new fields in responses are not breaking changes.`;

/** Descriptions of the tags; a tag without one fails the document's generation. */
export const TAGS: Readonly<Record<string, string>> = {
  Metrics: 'Outcomes of messages over time: sent, delivered, read and failed by channel, with their cost.',
  'All channels': 'One contract for every channel: send with fallbacks, and preview what a send would do and cost.',
  Messages: 'Messages of all channels: read them and their timelines, cancel, force and resend them.',
  SMS: 'Send texts, read them and the replies to them.',
  'E-mail': 'Send e-mails, and read them with their outcome.',
  RCS: 'Send texts and cards by RCS, with an SMS for devices without RCS.',
  Push: 'Apps and their devices, notifications to an audience, and the outcome on each device.',
  'E-mail templates': 'Subjects and bodies with placeholders, in HTML or MJML, for e-mails.',
  'WhatsApp numbers': 'The numbers that send WhatsApp messages: their status, quality, rate and profile.',
  'WhatsApp templates': 'Messages that may be sent outside of a conversation, once Meta has approved them.',
  'WhatsApp flows': 'Forms of several screens that recipients fill in WhatsApp.',
  Wallet: 'The prepaid balance of the environment, its ledger and the price table.',
  Senders: 'The domains, addresses, names and agents that the organization may send as.',
  SMPP: 'The accounts that bind over SMPP.',
  'API keys': 'Create, rotate and revoke the keys of the organization.',
  Organization: 'The organization behind the credential.',
  People: 'The people of the organization: their roles, and how they sign in.',
  Operator:
    'The stage itself: its queues and dead letters, stuck work, providers and organizations. Only for operators of the stage, in a session; `admin account create --role operator` makes one.',
  Audit: 'The changes to the organization and its settings, with actor and address.',
  Media: 'Files in messages: uploaded once, sent by their id.',
  Assistants: "Turns of the organization's own AI assistants, in the timelines of the people they spoke with.",
  Contacts: 'The people that messages are sent to, and their consent.',
  Campaigns:
    'One message to many people: an audience of lists, segments and contacts, sent in portions, with its progress.',
  Segments: 'Dynamic lists of contacts, defined by conditions.',
  Activities: 'Calls, meetings and tasks about cards, contacts and companies, with reminders.',
  Journeys: 'Automated sequences of messages, waits and conditions for contacts: their versions, runs and results.',
  Pipelines: 'Sales pipelines: their stages, their boards and forecasts.',
  Cards: 'The deals of pipelines: their stages, values and results.',
  'Card files': 'Files of cards: uploaded and downloaded by presigned addresses, with their bytes checked.',
  'Customer events': 'Actions of customers outside of messages, and the message that each followed.',
  Exports: 'Messages with their outcome, as JSON or CSV.',
  Companies: 'The companies that contacts and deals belong to, with their counts.',
  'Static lists': "Sets of contacts that the caller's system maintains.",
  Webhooks: 'Signed delivery of events to your URLs, with proof that none was missed.',
  Links: 'Short links in messages, and their clicks.',
  Unsubscribe: "The target of an e-mail's one-click unsubscribe (RFC 8058).",
  Callbacks: 'The addresses to which providers report; each verifies the signature of its own provider.',
  Service: 'Health and documentation. No credential is needed.',
};

export const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key (`svc_live_…`, `svc_test_…`) or a session (`svc_session_…`), sent as `Authorization: Bearer`.',
} as const;
