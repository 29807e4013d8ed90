import { OVERVIEW_CODE_OF, OVERVIEW_CODES, PROBLEMS, type ProblemName, type RefusalDetails } from '../domain/errors.ts';

/** An RFC 7807 problem document (interface, part 7; decisions, part 3). */
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

/** The two contracts of the interface: the overview (part 4.0), whose problems have codes of their own, and the reference operations. */
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
  const overview = contractOf(at.instance) === 'overview' ? (details.overview ?? OVERVIEW_CODE_OF[name]) : undefined;
  return {
    type: problemType(name),
    title,
    status,
    detail: details.detail,
    instance: at.instance,
    code: overview ?? code,
    requestId: at.requestId,
    ...(overview ? { action: OVERVIEW_CODES[overview] } : {}),
    ...(details.meta ? { meta: details.meta } : {}),
    ...(details.errors ? { errors: details.errors } : {}),
  };
};
