import type * as z from 'zod';
import type { ProblemName } from '../domain/core/errors.ts';
import { definedFields } from '../domain/core/patch.ts';
import type { Scope } from '../domain/core/scopes.ts';
import type { RootKey } from '../domain/core/secrets.ts';
import type { QueueName } from '../queues/queues.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that is not JSON: a page, a redirect, a provider's form. */
export interface RawContent {
  readonly contentType: string;
  readonly description: string;
  /** Its JSON type in the OpenAPI document; a string by default. */
  readonly shape?: 'object';
}

/**
 * A body that is streamed to the handler and never buffered as a whole. A Lambda function still receives only what API Gateway allows; a
 * container receives bodies of any size.
 */
export interface StreamedBody {
  /** The first one is used in examples. */
  readonly contentTypes: readonly string[];
  readonly description: string;
  /** Documented instead of the bytes. */
  readonly schema?: z.ZodType;
  /** Larger bodies are refused with 413. */
  readonly maxBytes: number;
}

/** AWS services that send messages: End User Messaging for SMS and RCS, SES for e-mail. */
export const AWS_SENDING_PROVIDERS = ['end_user_messaging', 'ses'] as const;
/** The same plus the registry of SES identities: changing it, or only reading an identity's state. */
export const AWS_PROVIDERS = [...AWS_SENDING_PROVIDERS, 'ses_identities', 'ses_identity_state'] as const;
export type AwsProvider = (typeof AWS_PROVIDERS)[number];

/**
 * Rows that a role may write only if one of its operations declares it: a wrong write could grant access, or change prices. No function
 * writes the price table, which is the operator's.
 */
export const GUARDED_ROWS = ['credentials', 'prices', 'smpp_accounts'] as const;
export type GuardedRows = (typeof GUARDED_ROWS)[number];

/**
 * Access to objects of the stage's bucket: files on their way to Meta; an import's file, uploaded by its caller and checked; its errors; an
 * export's file; everything that import and export workers do; unchecked files of cards; and checked ones.
 */
export const OBJECT_ACCESS = [
  'media',
  'import_upload',
  'import_errors',
  'export_file',
  'import_work',
  'export_work',
  'card_uploads',
  'card_files',
] as const;
export type ObjectAccess = (typeof OBJECT_ACCESS)[number];

/** The root keys of a send: for its recipient, its provider, and queued content. */
export const SENDING_KEYS = [
  'content',
  'numbers',
  'providers',
  'push',
  'recipients',
  'unsubscribe',
] as const satisfies readonly RootKey[];

/** The data that the operation accesses; its role's permissions derive from this alone. */
export interface Uses {
  readonly table: 'none' | 'read' | 'write';
  readonly queues?: readonly QueueName[];
  /** The guarded rows that it writes. */
  readonly writes?: readonly GuardedRows[];
  /** The root keys that it opens: recipients' blind indexes, provider settings, cursors and others. */
  readonly rootKeys?: readonly RootKey[];
  /** The AWS sending services that it uses. */
  readonly awsProviders?: readonly AwsProvider[];
  /** The objects of the stage's bucket that it needs. */
  readonly objects?: readonly ObjectAccess[];
  /** Operates the stage: reads every queue and its dead letters, moves them back, and reads the index of due work. */
  readonly operates?: true;
  /** In test, reads the live stage's volume counters to price at the real band. */
  readonly liveVolume?: true;
}

/** The parts of a request that an operation reads. */
interface RequestParts {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /**
   * The field of the body whose rows are validated one by one, including for content that no body may contain
   * (docs/spec/errors.md#hostile-input).
   */
  readonly rowsIn?: string;
  /** A body passed on as unparsed text: providers sign its exact bytes. */
  readonly rawBody?: RawContent;
  readonly stream?: StreamedBody;
}

/** One operation of the API: the only place that declares its path, permission, schemas and statuses. */
export interface OperationContract {
  /** `<area>.<verb>`: the handler is `functions/<area>/<verb>.ts`, the example `events/requests/<id>.json`. */
  readonly id: string;
  readonly method: HttpMethod;
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `public`: no credential. `session`: only a person's session with the scope. */
  readonly permission: Scope | 'public' | { readonly session: Scope };
  readonly idempotency?: 'required' | 'optional';
  /** Token bucket of the call, for live keys: docs/spec/platform.md#rate-limits. */
  readonly rate?: 'single_send' | 'bulk_send';
  /** Fields of the query or body that identify a person by an address: docs/spec/personal-data.md#lookups-by-address. */
  readonly personFilters?: readonly string[];
  readonly request: RequestParts;
  /** Success statuses and their bodies; `null` for no body. */
  readonly responses: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302, z.ZodType | RawContent | null>>>;
  /** Another form of the 200 body, for callers whose `Accept` prefers it: docs/spec/exports.md#csv. */
  readonly alternative?: RawContent;
  /** In addition to the common ones, and 404 for a path with an object; a public operation may add `UNAUTHORIZED`, which it lacks. */
  readonly errors?: readonly ProblemName[];
  readonly uses: Uses;
  /** Lambda settings that differ from the defaults. */
  readonly memoryMb?: number;
  readonly timeoutSeconds?: number;
}

/** Errors that every operation may return: docs/spec/errors.md#what-every-operation-may-answer. */
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

/** A declaration as written in its file: method and path as one route, and the parts of the request as fields. */
type OperationDeclaration = Omit<OperationContract, 'method' | 'path' | 'request' | 'responses'> &
  RequestParts & {
    /** Such as `GET /v2/lists/{id}`. */
    readonly route: `${HttpMethod} /${string}`;
  } & (
    | Pick<OperationContract, 'responses'>
    /** The body of 200, if that is the only success. */
    | { readonly answer: z.ZodType | RawContent | null }
  );
/** The contract of a declaration; a contract is returned as is. */
type ContractOf<D> = D extends OperationContract
  ? D
  : Omit<D, 'route' | 'answer' | keyof RequestParts> &
      Pick<OperationContract, 'method' | 'path'> & {
        readonly request: Pick<D, keyof D & keyof RequestParts>;
        readonly responses: D extends { readonly answer: infer Body }
          ? { readonly 200: Body }
          : D['responses' & keyof D];
      };

/** Declares an operation. Keeps literal types, so that the handler's type includes the statuses. */
export const defineOperation = <const D extends OperationContract | OperationDeclaration>(
  declaration: D,
): ContractOf<D> => {
  if (!('route' in declaration)) return declaration as ContractOf<D>;
  const { route, params, query, body, rowsIn, rawBody, stream, ...rest } = declaration as OperationDeclaration;
  const [method, path] = route.split(' ');
  const request = definedFields({ params, query, body, rowsIn, rawBody, stream });
  const responses = 'answer' in rest ? { 200: rest.answer } : rest.responses;
  return { ...rest, method, path, request, responses } as unknown as ContractOf<D>;
};

type Parsed<S> = S extends z.ZodType ? z.output<S> : Readonly<Record<string, never>>;
/** The parsed parts of a request. */
export interface OperationInput<C extends OperationContract> {
  readonly params: Parsed<C['request']['params']>;
  readonly query: Parsed<C['request']['query']>;
  readonly body: C['request'] extends { rawBody: RawContent }
    ? string
    : C['request'] extends { stream: StreamedBody }
      ? AsyncIterable<Uint8Array>
      : Parsed<C['request']['body']>;
}

/** The success statuses that a contract declares. */
export type SuccessStatus<C extends OperationContract> = keyof C['responses'] & number;
type BodyOf<S> = S extends z.ZodType ? z.input<S> : S extends null ? undefined : string;
/** The body of one success status before it is serialized; undefined for no body. */
export type SuccessBody<C extends OperationContract, S extends SuccessStatus<C>> =
  | BodyOf<C['responses'][S]>
  | (C extends { readonly alternative: RawContent } ? string : never);

/** The errors that a handler of this contract may throw; any other fails to compile. */
export type DeclaredProblem<C extends OperationContract> =
  | CommonProblem
  | (C['request'] extends { readonly params: z.ZodObject } ? 'NOT_FOUND' : never)
  | (C extends { readonly errors: readonly (infer Own extends ProblemName)[] } ? Own : never);

/** The errors that an operation documents besides the common ones. */
export const ownProblems = ({ errors = [], request }: OperationContract): ReadonlySet<ProblemName> =>
  new Set<ProblemName>(request.params ? [...errors, 'NOT_FOUND'] : errors);

/** The error for an invalid query or body. */
export type InputProblem = 'BAD_REQUEST' | 'VALIDATION_ERROR';
/** 422 if the operation documents it, otherwise 400: docs/spec/errors.md#400-or-422. */
export const inputProblem = (contract: OperationContract): InputProblem =>
  contract.errors?.includes('VALIDATION_ERROR') ? 'VALIDATION_ERROR' : 'BAD_REQUEST';
