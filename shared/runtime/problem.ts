import { PROBLEMS, type ProblemName, type RefusalDetails, V1_CODE_OF, V1_CODES } from '../domain/core/errors.ts';

/** An RFC 7807 problem document (docs/spec/errors.md#problem-documents). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  /** On /v1: the recommended action. */
  readonly action?: string;
  readonly meta?: Readonly<Record<string, string | number>>;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';
/** The WWW-Authenticate header of a 401 (RFC 6750, section 3). */
export const BEARER_CHALLENGE = 'Bearer';

/** The two API styles: /v1, whose problems have codes of their own (docs/spec/errors.md#codes-of-v1), and all other operations. */
export const CONTRACTS = ['reference', 'v1'] as const;
export type ContractName = (typeof CONTRACTS)[number];
/** The API style of a path. */
export const contractOf = (path: string): ContractName => (path.startsWith('/v1/') ? 'v1' : 'reference');

/** The documentation address of a problem. */
export const problemType = (name: ProblemName): string => `/docs/errors/${name.toLowerCase().replaceAll('_', '-')}`;

/** The problem document of an error at `instance` (the request's path). */
export const problemBody = (
  name: ProblemName,
  details: RefusalDetails,
  at: { instance: string; requestId: string },
): ProblemBody => {
  const { status, code, title } = PROBLEMS[name];
  const v1Code = contractOf(at.instance) === 'v1' ? (details.v1Code ?? V1_CODE_OF[name]) : undefined;
  return {
    type: problemType(name),
    title,
    status,
    detail: details.detail,
    instance: at.instance,
    code: v1Code ?? code,
    requestId: at.requestId,
    ...(v1Code ? { action: V1_CODES[v1Code] } : {}),
    ...(details.meta ? { meta: details.meta } : {}),
    ...(details.errors ? { errors: details.errors } : {}),
  };
};
