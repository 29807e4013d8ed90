/** A problem document of the service, or a failure to reach it. */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly code: string | undefined;
  readonly action: string | undefined;
  readonly requestId: string | undefined;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly meta: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const text = (name: string) => (typeof body[name] === 'string' ? body[name] : undefined);
    super(text('detail') ?? text('title') ?? text('message') ?? `HTTP ${status}`);
    this.name = 'Problem';
    this.status = status;
    this.title = text('title') ?? `HTTP ${status}`;
    this.detail = text('detail') ?? text('message');
    this.code = text('code') ?? text('error');
    this.action = text('action');
    this.requestId = text('requestId');
    this.errors = Array.isArray(body.errors) ? body.errors : [];
    this.meta = typeof body.meta === 'object' && body.meta !== null ? (body.meta as Record<string, unknown>) : {};
  }
}
