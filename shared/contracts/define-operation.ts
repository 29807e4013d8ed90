import type * as z from 'zod';
import type { Scope } from '../domain/access/scopes.ts';
import type { ProblemName } from '../domain/errors.ts';
import type { QueueName } from '../queues/queues.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body or answer that is no JSON: a page, a redirect, a provider's form. */
export interface RawContent {
  readonly contentType: string;
  readonly description: string;
  /** What the document says of its shape; text where it says nothing. */
  readonly shape?: 'object';
}

/**
 * A body that reaches the handler piece by piece and is never held as a whole: where a container serves the path, all of it arrives; a
 * function gets what the gateway lets through.
 */
export interface StreamedBody {
  /** The first is the one that examples show. */
  readonly contentTypes: readonly string[];
  readonly description: string;
  /** What the document shows in place of the bytes. */
  readonly schema?: z.ZodType;
  /** Beyond this many bytes the body is refused. */
  readonly mostBytes: number;
}

/** AWS's own carriers: End User Messaging for SMS and RCS, SES for e-mail. */
export const AWS_CARRIERS = ['end_user_messaging', 'ses'] as const;
export type AwsCarrier = (typeof AWS_CARRIERS)[number];

/** What the operation touches: the source of its role's grants (infra) and of nothing else. */
export interface Uses {
  readonly table: 'none' | 'read' | 'write';
  readonly queues?: readonly QueueName[];
  /** Needs the stage's root key: personal data, cursors, provider credentials. */
  readonly vault?: true;
  /** The AWS services that carry its messages. */
  readonly carriers?: readonly AwsCarrier[];
  /** Needs the bucket that uploads pass through. */
  readonly uploads?: true;
  /** In the test stage: reads the live stage's volume counters, for the price of the real band. */
  readonly liveVolume?: true;
}

/** One operation of the service: the only place where its path, permission, shapes and statuses are written down. */
export interface OperationContract {
  /** `<area>.<verb>`; `functions/<area>/<verb>.ts` holds the handler, `events/requests/<id>.json` the example. */
  readonly id: string;
  readonly method: HttpMethod;
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `public`: no credential. `session`: only a person's session that holds the scope. */
  readonly permission: Scope | 'public' | { readonly session: Scope };
  readonly idempotency?: 'required' | 'optional';
  /** Which token bucket the call draws from (interface, part 8). Never drawn by test keys. */
  readonly rate?: 'single_send' | 'bulk_send';
  readonly request: {
    readonly params?: z.ZodObject;
    readonly query?: z.ZodObject;
    readonly body?: z.ZodType;
    /** A body that reaches the handler as text, unparsed: provider callbacks sign its exact bytes. */
    readonly rawBody?: RawContent;
    readonly stream?: StreamedBody;
  };
  /** Success statuses with their body; `null` for an empty one. */
  readonly responses: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302, z.ZodType | RawContent | null>>>;
  /** The problems that the operation documents. */
  readonly errors: readonly ProblemName[];
  readonly uses: Uses;
  /** Lambda settings that differ from the default. */
  readonly memoryMb?: number;
  readonly timeoutSeconds?: number;
}

/** Problems that every operation may answer besides its own (decisions, part 3). */
export const COMMON_PROBLEMS = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ProblemName[];
export type CommonProblem = (typeof COMMON_PROBLEMS)[number];

/** Declares an operation. Keeps the literal types, so that statuses are part of the handler's type. */
export const defineOperation = <const C extends OperationContract>(contract: C): C => contract;

type Parsed<S> = S extends z.ZodType ? z.output<S> : Readonly<Record<string, never>>;
/** The parsed parts of a request, as a handler receives them. */
export interface OperationInput<C extends OperationContract> {
  readonly params: Parsed<C['request']['params']>;
  readonly query: Parsed<C['request']['query']>;
  readonly body: C['request'] extends { rawBody: RawContent }
    ? string
    : C['request'] extends { stream: StreamedBody }
      ? AsyncIterable<Uint8Array>
      : Parsed<C['request']['body']>;
}

type SuccessBody<S> = S extends z.ZodType ? z.input<S> : S extends null ? undefined : string;
/** A declared success: status, body, and headers where the operation sets any. */
export type OperationSuccess<C extends OperationContract> = {
  [S in keyof C['responses'] & number]: {
    readonly status: S;
    readonly body: SuccessBody<C['responses'][S]>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof C['responses'] & number];

/** The names of the problems that a handler of this contract may refuse with; any other does not compile. */
export type DeclaredProblem<C extends OperationContract> = C['errors'][number] | CommonProblem;

/** What a query or a body that breaks the contract is answered with. */
export type InputProblem = 'BAD_REQUEST' | 'VALIDATION_ERROR';
/** 422 where the operation documents it, else 400, which every operation may answer (decisions, part 3). */
export const inputProblem = (contract: OperationContract): InputProblem =>
  contract.errors.includes('VALIDATION_ERROR') ? 'VALIDATION_ERROR' : 'BAD_REQUEST';
