import { systemClock } from '../../../shared/domain/core/time.ts';
import type { ProviderIo } from '../../../shared/domain/message/provider-port.ts';
import { textCalls } from '../../../shared/providers/text-call.ts';

/** Adapters' I/O over the network, as the service has it. */
export const networkIo = (now: () => number): ProviderIo => ({
  callText: textCalls(systemClock),
  fetch: globalThis.fetch,
  now,
});

/** Adapters' I/O whose every call this function answers. */
export const answeredBy = (
  fetch: (url: string, init: RequestInit) => Response | Promise<Response>,
  now: () => number,
): ProviderIo => ({
  callText: async ({ url, method, headers, body }) => {
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, headers: response.headers, body: await response.text() };
  },
  fetch: async (input, init = {}) => fetch(String(input instanceof Request ? input.url : input), init),
  now,
});
