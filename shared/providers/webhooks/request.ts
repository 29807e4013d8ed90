import * as http from 'node:http';
import * as https from 'node:https';
import { hostOf } from '../../domain/core/public-address.ts';

/** Longest response header section, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

interface RequestOptions {
  readonly method: 'GET' | 'POST';
  readonly headers: http.OutgoingHttpHeaders;
  /** Must connect to checked addresses only. */
  readonly agent: http.Agent;
}

/** Starts a request to an untrusted URL, with strict parsing and bounded headers. The caller ends it. */
export const beginRequest = (url: URL, { method, headers, agent }: RequestOptions): http.ClientRequest => {
  const plain = url.protocol === 'http:';
  return (plain ? http : https).request({
    agent,
    protocol: url.protocol,
    host: hostOf(url),
    port: url.port || (plain ? 80 : 443),
    path: url.pathname + url.search,
    method,
    headers,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  });
};
