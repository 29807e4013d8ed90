import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SmsProviderName } from '../../../shared/domain/channels/sms/content.ts';
import type { Channel } from '../../../shared/domain/message/channel.ts';
import type { CallbackRequest, RefusalCause } from '../../../shared/domain/message/provider-port.ts';

/** A request as a stand-in received it. Header names are lower-case. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * How a stand-in answers its next send. `refuse` takes the provider's own code or name. `accept_and_hang` and `accept_and_reset` are
 * the answers that are lost: the message is on its way and the caller cannot know.
 */
export type Play =
  | 'accept'
  | 'accept_and_hang'
  | 'accept_and_reset'
  | 'throttle'
  | 'server_error'
  | 'hang'
  | 'reset'
  | 'malformed'
  | 'wrong_content_type'
  | { readonly refuse: string };

/** A message that a stand-in accepted. */
export interface AcceptedMessage {
  /** Our reference, as the provider was told it; empty where it is told none. */
  readonly messageId: string;
  readonly providerMessageId: string;
  /** As our port has it: E.164, an address. */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** Where receipts of this message go. */
  readonly callbackUrl: string;
  /** All of it, translated back from the wire into the channel's own form, where a text is not all. */
  readonly content?: unknown;
}

/** A provider's stand-in: a real HTTP server on loopback that speaks the documented wire format. */
export interface StandIn<Outcome extends string = string> {
  readonly provider: string;
  readonly baseUrl: string;
  /** Settings of the adapter that reach this stand-in with credentials that it takes. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly requests: readonly RecordedRequest[];
  readonly messages: readonly AcceptedMessage[];
  /** Answers the next sends so, first come first served; after that it accepts. */
  script(...plays: readonly Play[]): void;
  /** A signed receipt of an accepted message, as the provider would post it. */
  receipt(message: AcceptedMessage, outcome: Outcome): CallbackRequest;
  /** A signed answer of a person to an accepted message, where the channel has answers. */
  reply?(message: AcceptedMessage, body: string): CallbackRequest;
  /** A signed callback with this body, to the address of that message. */
  signed(message: AcceptedMessage, body: string): CallbackRequest;
  close(): Promise<void>;
}

/** What a receipt of an SMS shall say, in our words; each stand-in says it in its provider's. */
export type ReceiptOutcome = 'sent' | 'delivered' | 'invalid_number' | 'carrier_rejected' | 'blacklisted' | 'expired';
export interface SmsStandIn extends StandIn<ReceiptOutcome> {
  readonly provider: SmsProviderName;
  reply(message: AcceptedMessage, body: string): CallbackRequest;
}

/** What the conformance kit needs of one provider: its stand-in, and its own words for what every provider can say. */
export interface UnderTest {
  readonly channel: Channel;
  readonly name: string;
  start(now: () => number): Promise<StandIn>;
  /** Every cause that the provider has words for, in these words: what `refuse` of a play takes. */
  readonly refusals: Readonly<Partial<Record<RefusalCause, readonly string[]>>>;
  /** Settings over the stand-in's own that it does not take. */
  readonly wrongCredentials: Readonly<Record<string, unknown>>;
  /** Whether the stand-in can say a person's answer. */
  readonly replies: boolean;
  /** True where the provider is never told our reference, so that it cannot repeat it. */
  readonly unreferenced?: true;
}

/** Posts a callback to the address that it names, as the provider's own servers would. */
export const deliver = ({ url, headers, body }: CallbackRequest): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { ...headers }, body });

/** An HTTP answer of a stand-in. */
export interface StandInAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A JSON answer. */
export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): StandInAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** How long the stand-ins ask callers to wait when they throttle, in seconds. */
export const THROTTLED_SECONDS = 7;

interface Routes {
  /** Whether this request is a send, which the script answers. */
  isSend(request: RecordedRequest): boolean;
  /** Checks the credentials and the form of a send; an answer here goes out instead of the scripted one. */
  check(request: RecordedRequest): StandInAnswer | undefined;
  accept(request: RecordedRequest): StandInAnswer;
  refuse(code: string): StandInAnswer;
  throttle(): StandInAnswer;
  serverError(): StandInAnswer;
  /** Everything that is no send. */
  other(request: RecordedRequest): StandInAnswer;
}

const recorded = async (request: IncomingMessage): Promise<RecordedRequest> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
};

const answerTo = (play: Play, request: RecordedRequest, routes: Routes): StandInAnswer | 'silence' | 'reset' => {
  if (typeof play === 'object') return routes.refuse(play.refuse);
  if (play === 'hang') return 'silence';
  if (play === 'reset') return 'reset';
  if (play === 'throttle') return routes.throttle();
  if (play === 'server_error') return routes.serverError();
  const accepted = routes.accept(request);
  if (play === 'accept_and_hang') return 'silence';
  if (play === 'accept_and_reset') return 'reset';
  if (play === 'malformed') return { ...accepted, body: '{"half": ' };
  if (play === 'wrong_content_type')
    return { ...accepted, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' };
  return accepted;
};

/** Starts the server behind a stand-in on a free port of this machine. */
export const startServer = async (routes: Routes) => {
  const requests: RecordedRequest[] = [];
  const plays: Play[] = [];
  const play = async (request: IncomingMessage, response: ServerResponse) => {
    const found = await recorded(request);
    requests.push(found);
    const answer = routes.isSend(found)
      ? (routes.check(found) ?? answerTo(plays.shift() ?? 'accept', found, routes))
      : routes.other(found);
    if (answer === 'silence') return;
    if (answer === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  };
  // Providers keep what waits for minutes; Node's five seconds would end connections under a busy machine's sends.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    play(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (...more: readonly Play[]) => {
      plays.push(...more);
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
