/** A credential, or what gives it: an API key or a session's token, undefined if there is none now. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>);

/** How a client calls the service. */
export interface MessagingOptions {
  /** Where the service is, as `https://messaging.example`; empty in a browser whose page the service itself serves. */
  readonly baseUrl: string;
  /**
   * An API key (`svc_live_…`, `svc_test_…`) or the token of a person's session (`svc_session_…`), which decides the environment too; or a function
   * that is asked before each attempt. Absent for operations that need none, as signing in.
   */
  readonly apiKey?: Credential | undefined;
  /** Replaces the runtime's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How often an attempt is repeated where that is safe; 3 when absent. */
  readonly maxRetries?: number | undefined;
  /** Milliseconds until an attempt without a complete answer counts as failed; 30,000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** The longest wait before another attempt, in ms: an answer that asks for more is thrown at once. 60,000 when absent. */
  readonly maxWaitMs?: number | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether a browser sends and keeps cookies, which only signing in and `sessions.refresh` use. The browser's own default when absent. */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
}
