import { callWith } from './call.ts';
import { Operations } from './generated/operations.gen.ts';
import type { MessagingOptions } from './options.ts';
import type { KeyedOptions, Method, OperationRequest } from './request.ts';

/** A client of the service: `messaging.sms.send({…})` calls the operation `sms.send`. */
export class Messaging extends Operations {
  readonly #options: MessagingOptions;

  constructor(options: MessagingOptions) {
    super(callWith(options));
    this.#options = options;
  }

  /** A client like this one, with other options: `messaging.with({ apiKey: session.token })`. */
  with(options: Partial<MessagingOptions>): Messaging {
    return new Messaging({ ...this.#options, ...options });
  }

  /** Calls a path that this version has no method for, with the same credential, repeats and errors. */
  request<Answer>(
    method: Method,
    path: string,
    request: OperationRequest = {},
    options?: KeyedOptions,
  ): Promise<Answer> {
    return callWith(this.#options)<Answer>(method, path, request, options);
  }
}
