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
  /** On /v1: what the caller is advised to do. */
  readonly action?: string;
  readonly meta?: Readonly<Record<string, string | number>>;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';
/** What WWW-Authenticate says beside a 401 (RFC 6750, section 3). */
export const BEARER_CHALLENGE = 'Bearer';

/** The two contracts: /v1, whose problems have codes of their own (docs/spec/errors.md#codes-of-v1), and all other operations. */
export const CONTRACTS = ['reference', 'overview'] as const;
export type ContractName = (typeof CONTRACTS)[number];
/** Which contract a path belongs to. */
export const contractOf = (path: string): ContractName => (path.startsWith('/v1/') ? 'overview' : 'reference');

/** Where a problem is explained. */
export const problemType = (name: ProblemName): string => `/docs/errors/${name.toLowerCase().replaceAll('_', '-')}`;

/** The document of a problem, met at `instance` (the request's path). */
export const problemBody = (
  name: ProblemName,
  details: RefusalDetails,
  at: { instance: string; requestId: string },
): ProblemBody => {
  const { status, code, title } = PROBLEMS[name];
  const overview = contractOf(at.instance) === 'overview' ? (details.v1Code ?? V1_CODE_OF[name]) : undefined;
  return {
    type: problemType(name),
    title,
    status,
    detail: details.detail,
    instance: at.instance,
    code: overview ?? code,
    requestId: at.requestId,
    ...(overview ? { action: V1_CODES[overview] } : {}),
    ...(details.meta ? { meta: details.meta } : {}),
    ...(details.errors ? { errors: details.errors } : {}),
  };
};
