import { type Refusal, refuse } from '../../../core/errors.ts';
import { refuseField } from '../../../core/refuse-field.ts';
import type { NumberProfile, WhatsappNumber } from './number.ts';

/**
 * Meta's answer. `refused` is certain: nothing was done. `uncertain`: it may have been done. `detail` holds codes only, since Meta's
 * messages may repeat what was sent.
 */
export type MetaAnswer<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'refused';
      readonly cause: 'credentials' | 'absent' | 'content' | 'throttled' | 'unavailable';
      readonly detail: string;
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'uncertain'; readonly detail: string };

/** A number as Meta reports it. */
export type MetaNumber = Pick<
  WhatsappNumber,
  'displayPhone' | 'status' | 'qualityRating' | 'messagingTier' | 'throughput' | 'verifiedName' | 'nameStatus'
>;

/** A template component in Meta's format. */
export interface MetaComponent {
  readonly type: string;
  readonly [field: string]: unknown;
}
export interface MetaTemplate {
  readonly name: string;
  /** In Meta's format: `pt_BR`. */
  readonly language: string;
  readonly category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION';
  /** Absent for numbered variables. */
  readonly parameter_format?: 'NAMED';
  readonly components: readonly MetaComponent[];
}
/** An example file for a media header: an upload at Meta, or a public URL. */
export type ExampleSource = { readonly mediaId: string } | { readonly url: string };
/** A template in Meta's list. */
export interface ListedTemplate extends Review {
  readonly name: string;
  /** In Meta's format: `pt_BR`, `MARKETING`. */
  readonly language: string;
  readonly category: string;
  readonly components: readonly MetaComponent[];
}
/** State of Meta's review. */
export interface Review {
  readonly platformTemplateId: string;
  readonly status: 'pending' | 'approved' | 'rejected' | 'paused' | 'disabled';
  readonly reason?: string;
  /** The category that Meta assigned, in its own format; may differ from the requested one. */
  readonly category?: string;
}

export const META_FLOW_STATUSES = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'] as const;
export type MetaFlowStatus = (typeof META_FLOW_STATUSES)[number];
/** An error that Meta found in a flow's JSON. */
export interface FlowJsonError {
  readonly error: string;
  readonly line?: number | undefined;
}

/** Meta's management API for numbers, templates and flows. No call is retried, and none throws. */
export interface MetaApi {
  /** Reads a number; also `absent` if it belongs to another business account. */
  readNumber(number: { phoneNumberId: string; wabaId: string }): Promise<MetaAnswer<MetaNumber>>;
  /** Subscribes to the account's webhooks; idempotent. */
  subscribe(wabaId: string): Promise<MetaAnswer<void>>;
  /** `profile` is our stored copy, which the sandbox returns. */
  readProfile(number: {
    phoneNumberId: string;
    profile?: NumberProfile | undefined;
  }): Promise<MetaAnswer<NumberProfile>>;
  /** Sets the given fields; an empty string clears one. */
  writeProfile(phoneNumberId: string, profile: Omit<NumberProfile, 'profilePictureUrl'>): Promise<MetaAnswer<void>>;

  /** Uploads an example for a media header, which must be of one of these types; returns Meta's handle. */
  uploadExample(source: ExampleSource, types: readonly string[]): Promise<MetaAnswer<string>>;
  createTemplate(wabaId: string, template: MetaTemplate): Promise<MetaAnswer<Review>>;
  /** Edits a reviewed template, which is then reviewed again. */
  editTemplate(
    platformTemplateId: string,
    template: Pick<MetaTemplate, 'category' | 'components'>,
  ): Promise<MetaAnswer<Omit<Review, 'platformTemplateId'>>>;
  /** Finds a template by name and language; undefined if there is none. */
  findTemplate(wabaId: string, name: string, language: string): Promise<MetaAnswer<Review | undefined>>;
  /** The account's templates in Meta's order, newest first; at most 2,000. */
  listTemplates(wabaId: string): Promise<MetaAnswer<readonly ListedTemplate[]>>;
  deleteTemplate(wabaId: string, name: string, platformTemplateId: string): Promise<MetaAnswer<void>>;

  /** Creates an empty draft; returns its id. */
  createFlow(wabaId: string, flow: { name: string; categories: readonly string[] }): Promise<MetaAnswer<string>>;
  /** Finds a flow by name; undefined if there is none. */
  findFlow(wabaId: string, name: string): Promise<MetaAnswer<string | undefined>>;
  changeFlow(platformFlowId: string, flow: { name: string; categories: readonly string[] }): Promise<MetaAnswer<void>>;
  /** Uploads a flow's JSON; returns the errors that Meta found, none if it can be published. */
  uploadFlow(platformFlowId: string, json: string): Promise<MetaAnswer<readonly FlowJsonError[]>>;
  /** `kept` is our stored status, which the sandbox returns. */
  readFlow(platformFlowId: string, stored: MetaFlowStatus | undefined): Promise<MetaAnswer<MetaFlowStatus>>;
  publishFlow(platformFlowId: string): Promise<MetaAnswer<void>>;
  deprecateFlow(platformFlowId: string): Promise<MetaAnswer<void>>;
  deleteFlow(platformFlowId: string): Promise<MetaAnswer<void>>;
}

export type MetaRefusal = Refusal<'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>;

/** Maps a failed call to a refusal. `path` is the field whose content Meta refused. */
export const metaRefusal = (answer: Exclude<MetaAnswer<unknown>, { kind: 'done' }>, path?: string): MetaRefusal => {
  const { detail } = answer;
  if (answer.kind === 'uncertain')
    return refuse('DEPENDENCY_FAILED', `The outcome at Meta is unknown (${detail}); calling again is safe.`);
  if (answer.cause === 'throttled')
    return refuse('RATE_LIMITED', {
      detail: `Meta accepts no more calls right now (${detail}).`,
      retryAfterSeconds: Math.max(1, answer.retryAfterSeconds ?? 60),
    });
  if (answer.cause === 'content' && path !== undefined)
    return refuseField(`Meta refused it (${detail}).`, path, 'was refused by Meta');
  return refuse('DEPENDENCY_FAILED', `Meta refused (${detail}).`);
};

/** The refusal of a failed deletion; undefined if it succeeded or the object no longer exists at Meta. */
export const deletionRefusal = (answer: MetaAnswer<void>): MetaRefusal | undefined =>
  answer.kind === 'done' || (answer.kind === 'refused' && answer.cause === 'absent') ? undefined : metaRefusal(answer);
