import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SmsProviderName } from '../../../shared/domain/channels/sms/content.ts';
import type { Channel } from '../../../shared/domain/message/channel.ts';
import type { CallbackRequest, RefusalCause } from '../../../shared/domain/message/provider-port.ts';
import { listening } from '../loopback.ts';

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
  /** Our reference; empty where the provider gets none. */
  readonly messageId: string;
  readonly providerMessageId: string;
  /** As our port has it: E.164, an address. */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** Where receipts of this message go. */
  readonly callbackUrl: string;
  /** The content, translated back from the wire, where it is more than a text. */
  readonly content?: unknown;
}

/** A provider's stand-in: a real HTTP server on loopback that speaks the documented wire format. */
export interface StandIn<Outcome extends string = string> {
  readonly provider: string;
  readonly baseUrl: string;
  /** Settings of the adapter with the stand-in's address and valid credentials. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly requests: readonly RecordedRequest[];
  readonly messages: readonly AcceptedMessage[];
  /** Answers the next sends so, in their order; after that it accepts. */
  script(...plays: readonly Play[]): void;
  /** A signed receipt of an accepted message, as the provider would post it. */
  receipt(message: AcceptedMessage, outcome: Outcome): CallbackRequest;
  /** A signed reply to an accepted message, where the channel has replies. */
  reply?(message: AcceptedMessage, body: string): CallbackRequest;
  /** Signed callbacks of the parts of a reply, where the provider hands over parts. */
  replyParts?(message: AcceptedMessage, bodies: readonly string[]): CallbackRequest[];
  /** A signed callback with this body, to the address of that message. */
  signed(message: AcceptedMessage, body: string): CallbackRequest;
  close(): Promise<void>;
}

/** The outcomes that a receipt of an SMS can report; each stand-in writes them as its provider does. */
export type ReceiptOutcome = 'sent' | 'delivered' | 'invalid_number' | 'carrier_rejected' | 'blacklisted' | 'expired';
export interface SmsStandIn extends StandIn<ReceiptOutcome> {
  readonly provider: SmsProviderName;
  reply(message: AcceptedMessage, body: string): CallbackRequest;
}

/** The conformance suite's kit for a provider: its stand-in, and its codes for our causes. */
export interface UnderTest {
  readonly channel: Channel;
  readonly name: string;
  start(now: () => number): Promise<StandIn>;
  /** The provider's codes for each cause of a refusal, as `refuse` of a play takes them. */
  readonly refusals: Readonly<Partial<Record<RefusalCause, readonly string[]>>>;
  /** Settings with credentials that the stand-in refuses. */
  readonly wrongCredentials: Readonly<Record<string, unknown>>;
  /** Whether the stand-in can post replies. */
  readonly replies: boolean;
  /** True where the provider never gets our reference, so that it cannot repeat it. */
  readonly unreferenced?: true;
}

/** Posts a callback to its address, as the provider's own servers would. */
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

/** The stand-ins' Retry-After when they throttle, in seconds. */
export const THROTTLED_SECONDS = 7;

interface Routes {
  /** Whether this request is a send, which the script answers. */
  isSend(request: RecordedRequest): boolean;
  /** Checks the credentials and the form of a send; an answer here replaces the scripted one. */
  check(request: RecordedRequest): StandInAnswer | undefined;
  accept(request: RecordedRequest): StandInAnswer;
  refuse(code: string): StandInAnswer;
  throttle(): StandInAnswer;
  serverError(): StandInAnswer;
  /** Everything that is no send. */
  other(request: RecordedRequest): StandInAnswer;
}

const recorded = async (request: IncomingMessage): Promise<RecordedRequest> => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { method: request.method ?? '', path: request.url ?? '', headers, body: await text(request) };
};

/** A stand-in's answers by plays. */
interface Answers {
  accept(): StandInAnswer;
  refuse(code: string): StandInAnswer;
  throttle(): StandInAnswer;
  serverError(): StandInAnswer;
  /** Answers with the status of an acceptance and an unreadable body. */
  malformed(): StandInAnswer;
  wrongContentType(): StandInAnswer;
}

/** The answer to a send by a play. */
export const playAnswer = (play: Play, answers: Answers): StandInAnswer | 'silence' | 'reset' => {
  if (typeof play === 'object') return answers.refuse(play.refuse);
  if (play === 'hang') return 'silence';
  if (play === 'reset') return 'reset';
  if (play === 'throttle') return answers.throttle();
  if (play === 'server_error') return answers.serverError();
  if (play === 'malformed') return answers.malformed();
  if (play === 'wrong_content_type') return answers.wrongContentType();
  const accepted = answers.accept();
  if (play === 'accept_and_hang') return 'silence';
  return play === 'accept_and_reset' ? 'reset' : accepted;
};

const HTML = { headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' };
const answerTo = (play: Play, request: RecordedRequest, routes: Routes) => {
  const accept = () => routes.accept(request);
  const malformed = () => ({ ...accept(), body: '{"half": ' });
  return playAnswer(play, { ...routes, accept, malformed, wrongContentType: () => ({ ...accept(), ...HTML }) });
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
  // Providers keep idle connections for minutes; Node's five seconds would end them during sends on a busy machine.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    play(request, response).catch(() => response.destroy());
  });
  const { url, close } = await listening(server);
  return { baseUrl: url, requests, script: (...more: readonly Play[]) => void plays.push(...more), close };
};
