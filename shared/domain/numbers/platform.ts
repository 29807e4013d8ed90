import { type Refusal, refuse } from '../errors.ts';
import type { MessagingTier, NameStatus, NumberProfile, NumberStatus, QualityRating, Throughput } from './number.ts';

/**
 * What the platform answered. `refused` is certain: it was not done. Whatever is not certain is `uncertain`: it may have been done.
 * `detail` has codes and no words of the platform: those may repeat what was sent.
 */
export type PlatformAnswer<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'refused';
      readonly cause: 'credentials' | 'absent' | 'content' | 'throttled' | 'unavailable';
      readonly detail: string;
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'uncertain'; readonly detail: string };

/** A number as the platform knows it. */
export interface PlatformNumber {
  readonly displayPhone: string;
  readonly status: NumberStatus;
  readonly qualityRating: QualityRating;
  readonly messagingTier: MessagingTier;
  readonly throughput: Throughput;
  readonly verifiedName?: string | undefined;
  readonly nameStatus?: NameStatus | undefined;
}

/** The parts of a template, as the platform has them. */
export interface PlatformComponent {
  readonly type: string;
  readonly [field: string]: unknown;
}
export interface PlatformTemplate {
  readonly name: string;
  /** As the platform writes it: `pt_BR`. */
  readonly language: string;
  readonly category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION';
  /** Absent where the variables are numbered. */
  readonly parameter_format?: 'NAMED';
  readonly components: readonly PlatformComponent[];
}
/** A file that shows what a media header looks like: an upload that the platform has, or what lies at a public address. */
export type ExampleSource = { readonly mediaId: string } | { readonly url: string };
/** A template as the platform lists it. */
export interface ListedTemplate extends Review {
  readonly name: string;
  /** As the platform writes them: `pt_BR`, `MARKETING`. */
  readonly language: string;
  readonly category: string;
  readonly components: readonly PlatformComponent[];
}
/** Where the platform's review stands. */
export interface Review {
  readonly platformTemplateId: string;
  readonly status: 'pending' | 'approved' | 'rejected' | 'paused' | 'disabled';
  readonly reason?: string;
  /** The category that the platform gave it, in its own word; it need not be the one that was asked for. */
  readonly category?: string;
}

export const PLATFORM_FLOW_STATUSES = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'] as const;
export type PlatformFlowStatus = (typeof PLATFORM_FLOW_STATUSES)[number];
/** A fault that the platform found in a flow's JSON. */
export interface FlowFault {
  readonly error: string;
  readonly line?: number | undefined;
}

/** The platform's management of numbers, templates and flows. No call repeats by itself, and none throws. */
export interface NumberPlatform {
  /** Reads a number; `absent` too when it is not one of the business account. */
  readNumber(number: { phoneNumberId: string; wabaId: string }): Promise<PlatformAnswer<PlatformNumber>>;
  /** Has the account's reports sent to us; a repeat changes nothing. */
  subscribe(wabaId: string): Promise<PlatformAnswer<void>>;
  /** `profile` is what is kept of it: what the sandbox remembers by. */
  readProfile(number: {
    phoneNumberId: string;
    profile?: NumberProfile | undefined;
  }): Promise<PlatformAnswer<NumberProfile>>;
  /** Sets the fields that are given; an empty text clears. */
  writeProfile(phoneNumberId: string, profile: Omit<NumberProfile, 'profilePictureUrl'>): Promise<PlatformAnswer<void>>;

  /** Hands over the example of a media header, of one of these types; answers the platform's handle of it. */
  uploadExample(source: ExampleSource, types: readonly string[]): Promise<PlatformAnswer<string>>;
  createTemplate(wabaId: string, template: PlatformTemplate): Promise<PlatformAnswer<Review>>;
  /** Changes a template that was reviewed before; it is reviewed again. */
  editTemplate(
    platformTemplateId: string,
    template: Pick<PlatformTemplate, 'category' | 'components'>,
  ): Promise<PlatformAnswer<Omit<Review, 'platformTemplateId'>>>;
  /** The template of this name and language; undefined when there is none. */
  findTemplate(wabaId: string, name: string, language: string): Promise<PlatformAnswer<Review | undefined>>;
  /** The account's templates, newest first as the platform has them: at most 2,000. */
  listTemplates(wabaId: string): Promise<PlatformAnswer<readonly ListedTemplate[]>>;
  deleteTemplate(wabaId: string, name: string, platformTemplateId: string): Promise<PlatformAnswer<void>>;

  /** Creates an empty draft; answers its id. */
  createFlow(wabaId: string, flow: { name: string; categories: readonly string[] }): Promise<PlatformAnswer<string>>;
  /** The id of the account's flow with this name; undefined when there is none. */
  findFlow(wabaId: string, name: string): Promise<PlatformAnswer<string | undefined>>;
  changeFlow(
    platformFlowId: string,
    flow: { name: string; categories: readonly string[] },
  ): Promise<PlatformAnswer<void>>;
  /** Uploads the flow's JSON; answers the faults that the platform found in it, none when it may be published. */
  uploadFlow(platformFlowId: string, json: string): Promise<PlatformAnswer<readonly FlowFault[]>>;
  /** `kept` is what is known of it: what the sandbox remembers by. */
  readFlow(platformFlowId: string, kept: PlatformFlowStatus | undefined): Promise<PlatformAnswer<PlatformFlowStatus>>;
  publishFlow(platformFlowId: string): Promise<PlatformAnswer<void>>;
  deprecateFlow(platformFlowId: string): Promise<PlatformAnswer<void>>;
  deleteFlow(platformFlowId: string): Promise<PlatformAnswer<void>>;
}

export type PlatformRefusal = Refusal<'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>;

/** How a caller is told that the platform did not do it. `path` is where content stands that it refused. */
export const platformRefusal = (
  answer: Exclude<PlatformAnswer<unknown>, { kind: 'done' }>,
  path?: string,
): PlatformRefusal => {
  const { detail } = answer;
  if (answer.kind === 'uncertain')
    return refuse('DEPENDENCY_FAILED', `The platform gave no certain answer (${detail}); calling again is safe.`);
  if (answer.cause === 'throttled')
    return refuse('RATE_LIMITED', {
      detail: `The platform takes no more calls right now (${detail}).`,
      retryAfterSeconds: Math.max(1, answer.retryAfterSeconds ?? 60),
    });
  if (answer.cause === 'content' && path !== undefined)
    return refuse('VALIDATION_ERROR', {
      detail: `The platform refused it (${detail}).`,
      errors: [{ path, message: 'was refused by the platform' }],
    });
  return refuse('DEPENDENCY_FAILED', `The platform refused (${detail}).`);
};
