import * as http from 'node:http';
import * as https from 'node:https';
import { hostOf } from '../../domain/webhooks/address.ts';

/** Of an answer's header section, in bytes; the parser gives up beyond it. */
const MOST_HEADER_BYTES = 16 * 1024;

interface Begun {
  readonly method: 'GET' | 'POST';
  readonly headers: http.OutgoingHttpHeaders;
  /** Whose connections go to checked addresses alone. */
  readonly agent: http.Agent;
}

/** Begins a request to an address that a stranger wrote, strictly parsed and with bounded headers. The caller ends it. */
export const beginRequest = (url: URL, { method, headers, agent }: Begun): http.ClientRequest => {
  const plain = url.protocol === 'http:';
  return (plain ? http : https).request({
    agent,
    protocol: url.protocol,
    host: hostOf(url),
    port: url.port || (plain ? 80 : 443),
    path: url.pathname + url.search,
    method,
    headers,
    maxHeaderSize: MOST_HEADER_BYTES,
    insecureHTTPParser: false,
  });
};
