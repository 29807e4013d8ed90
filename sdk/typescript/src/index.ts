export type { CatalogueEvent } from './generated/events.gen.ts';
export type * from './generated/operations.gen.ts';
export type * from './generated/types.gen.ts';
export { Messaging } from './messaging.ts';
export type { Credential, MessagingOptions } from './options.ts';
export { Pages } from './pages.ts';
export {
  type AnyProblemError,
  ConnectionError,
  isProblem,
  MessagingError,
  type ProblemCode,
  ProblemError,
} from './problem.ts';
export type { Meta, ProblemMeta } from './problem-meta.ts';
export type { Binary, CsvPage, KeyedOptions, Method, OperationRequest, RequestOptions } from './request.ts';
export {
  type HeadersLike,
  type ValidationEvent,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhook.ts';
