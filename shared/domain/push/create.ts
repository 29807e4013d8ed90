import type { Actor } from '../actor.ts';
import { atOnce } from '../bulk/at-once.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { requestHash, type Tenant } from '../messages/plan.ts';
import { REUSED_KEY } from '../messages/refusals.ts';
import { askAgainSeconds } from '../messages/send.ts';
import { scheduleFault } from '../messages/submit.ts';
import { type Coins, NO_COINS } from '../money.ts';
import { type Audience, audienceOf, wishOf } from './audience.ts';
import type { AudienceDevice } from './device.ts';
import { CHUNK_DEVICES, type PushChunk } from './dispatch.ts';
import { noTally, type PushContent, type PushMessage, pushMessageView, rateKindOf } from './message.ts';
import type { Claim, CreatePushPorts } from './ports.ts';
import { priceOfDevice, UNKNOWN_SEGMENT } from './preview.ts';
import type { PushPlatform } from './transport.ts';

/** The parsed body of a push send. */
export interface PushRequest extends PushContent {
  readonly platforms: readonly PushPlatform[];
  readonly segment?: string | undefined;
  readonly tokenIds?: readonly string[] | undefined;
  /** ISO 8601. */
  readonly scheduledAt?: string | undefined;
}

export type PushRefusals = Refusal<'CONFLICT' | 'PAYMENT_REQUIRED' | 'SERVICE_UNAVAILABLE' | 'VALIDATION_ERROR'>;

/** How long one attempt makes rows, and how long its key is left to it, in ms: a function answers within 28 s. */
const BUILD_MS = 20_000;
const LEASE_MS = 32_000;
/** Shards whose rows are written at the same time. */
const SHARDS_AT_ONCE = 8;

const NO_FUNDS = refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the devices.');
const running = (messageId: string | undefined, seconds: number) =>
  refuse('CONFLICT', {
    detail: 'The first request with this key is still running.',
    meta: { code: 'EM_ANDAMENTO', ...(messageId === undefined ? {} : { messageId }) },
    retryAfterSeconds: seconds,
  });
const tooLarge = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The devices are still being queued; the same request with the same Idempotency-Key goes on.',
  retryAfterSeconds: 1,
});

/** One attempt to make a message's rows. */
interface Build {
  readonly claim: Claim;
  readonly createdAt: number;
  readonly audience: Audience;
  /** Devices that the balance pays for. */
  readonly affordable: number;
  readonly until: number;
  devices: number;
  /** Chunks of each shard so far, those of earlier attempts included. */
  readonly extents: number[];
  stopped?: 'time' | 'funds' | 'overtaken' | 'fault';
  fault?: unknown;
}

const freshChunk = (
  { claim, createdAt }: Build,
  place: Pick<PushChunk, 'shard' | 'number'>,
  devices: readonly AudienceDevice[],
): PushChunk => ({
  messageId: claim.messageId,
  ...place,
  attempt: claim.attempt,
  devices: devices.length,
  last: devices.at(-1)?.id ?? '',
  state: 'open',
  fence: 1,
  leaseUntil: 0,
  nextAt: createdAt,
  pass: 1,
  cursor: 0,
  step: 0,
  tally: noTally(),
});

/** Whether the attempt may go on with so many devices more. */
const mayGoOn = (ports: CreatePushPorts, build: Build, more: number): boolean => {
  build.devices += more;
  if (build.devices > build.affordable) build.stopped ??= 'funds';
  else if (ports.clock() >= build.until) build.stopped ??= 'time';
  return build.stopped === undefined;
};

/** Writes the chunks of a shard, one after the other; goes on after the last that an earlier attempt made. */
const buildShard = async (ports: CreatePushPorts, build: Build, shard: number, made: readonly PushChunk[]) => {
  const before = made.filter((chunk) => chunk.shard === shard).at(-1);
  build.extents[shard] = before ? before.number + 1 : 0;
  let waiting: AudienceDevice[] = [];
  const write = async (devices: readonly AudienceDevice[]): Promise<void> => {
    if (!mayGoOn(ports, build, devices.length)) return;
    const number = build.extents[shard] ?? 0;
    const chunk = freshChunk(build, { shard, number }, devices);
    const tenant = { organizationId: build.claim.organizationId, createdAt: build.createdAt };
    if (!(await ports.maker.putChunk(chunk, tenant, devices))) build.stopped = 'overtaken';
    build.extents[shard] = number + 1;
  };
  for await (const page of build.audience.devices(shard, before?.last)) {
    waiting = waiting.concat(page);
    while (waiting.length >= CHUNK_DEVICES && !build.stopped) await write(waiting.splice(0, CHUNK_DEVICES));
    if (build.stopped) return;
  }
  if (waiting.length > 0) await write(waiting);
};

/** Writes a row for every device of the audience that has none yet. */
const buildAll = async (ports: CreatePushPorts, build: Build): Promise<void> => {
  const made = await ports.maker.chunks(build.claim.messageId);
  build.devices = made.reduce((sum, { devices }) => sum + devices, 0);
  const shards = Array.from({ length: ports.audiences.shards }, (_, shard) => shard);
  await atOnce(shards, SHARDS_AT_ONCE, async (shard) => {
    if (build.stopped) return;
    // A fault of one shard ends the others after what they write just now, so that nothing writes on once the key is given back.
    await buildShard(ports, build, shard, made).catch((fault: unknown) => {
      build.fault ??= fault;
      build.stopped = 'fault';
    });
  });
  if (build.stopped === 'fault') throw build.fault;
};

/** The message as it will stand, of the chunks that were made for it. */
const messageOf = async (
  ports: CreatePushPorts,
  { organizationId, env }: Tenant,
  request: PushRequest,
  { claim, createdAt, devices: reach, extents }: Build,
  coinsEach: Coins,
): Promise<PushMessage> => {
  const { platforms, segment: _, tokenIds: __, scheduledAt, ...content } = request;
  const wish = wishOf(request);
  const wanted = Math.max(scheduledAt === undefined ? 0 : Date.parse(scheduledAt), createdAt);
  const leavesAt = await ports.leavesAt(organizationId, wanted);
  return {
    id: claim.messageId,
    organizationId,
    env,
    // Nobody to wait for: it is through as it stands.
    status: reach === 0 ? 'sent' : 'queued',
    origin: 'api',
    content,
    platforms,
    segment: 'segment' in wish ? wish.segment : undefined,
    rateKind: rateKindOf(content),
    coinsEach: reach === 0 ? NO_COINS : coinsEach,
    reach,
    extents,
    done: 0,
    scheduledAt: scheduledAt === undefined ? undefined : Date.parse(scheduledAt),
    quietDeferredTo: leavesAt > wanted ? leavesAt : undefined,
    leavesAt,
    createdAt,
    ...(reach === 0 ? { tally: noTally(), sentAt: createdAt } : {}),
  };
};

const broke = async (ports: CreatePushPorts, { organizationId, env }: Tenant, claim: Claim) => {
  await ports.maker.giveBack(claim, ports.clock(), 'free');
  await ports.noteDepleted(organizationId, env);
  return NO_FUNDS;
};

/** Writes the rows; why it ended, where it did before the last. */
const built = async (ports: CreatePushPorts, tenant: Tenant, build: Build): Promise<PushRefusals | undefined> => {
  const { claim } = build;
  await buildAll(ports, build);
  if (build.stopped === 'funds') return broke(ports, tenant, claim);
  if (build.stopped === 'overtaken') return running(claim.messageId, 1);
  if (build.stopped !== 'time') return undefined;
  await ports.maker.giveBack(claim, ports.clock(), 'resumable');
  return tooLarge;
};

/** Makes the rows, then the message; nothing of it is seen before. */
const make = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  request: PushRequest,
  claim: Claim,
  { audience, coinsEach }: { readonly audience: Audience; readonly coinsEach: Coins },
): Promise<PushMessage | PushRefusals> => {
  const createdAt = ports.clock();
  const balance = await ports.balance(tenant.organizationId);
  const affordable = coinsEach === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(balance / coinsEach);
  const build: Build = { claim, createdAt, audience, affordable, until: createdAt + BUILD_MS, devices: 0, extents: [] };
  const ended = await built(ports, tenant, build);
  if (ended) return ended;
  const message = await messageOf(ports, tenant, request, build, coinsEach);
  const outcome = await ports.maker.commit(message, claim);
  if (outcome === 'insufficient') return broke(ports, tenant, claim);
  if (outcome === 'overtaken') return running(claim.messageId, 1);
  if (message.reach > 0) ports.hintMessage(message.id, message.leavesAt);
  return message;
};

/** What a body asks for, checked against all that does not need its audience. */
const checked = async (ports: CreatePushPorts, tenant: Tenant, request: PushRequest) => {
  const late = scheduleFault(request.scheduledAt, ports.clock());
  if (late) return late;
  const coinsEach = await priceOfDevice(ports, rateKindOf(request));
  if (isRefusal(coinsEach)) return coinsEach;
  const audience = await audienceOf(ports.audiences, tenant, request.platforms, wishOf(request));
  return audience ? { audience, coinsEach } : UNKNOWN_SEGMENT;
};

/** The message of a key that was just taken. */
const madeUnder = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  request: PushRequest,
  claim: Claim,
): Promise<PushMessage | PushRefusals> => {
  try {
    const asked = await checked(ports, tenant, request);
    if (!isRefusal(asked)) return await make(ports, tenant, request, claim, asked);
    await ports.maker.giveBack(claim, ports.clock(), 'free');
    return asked;
  } catch (fault) {
    // The same request may go on at once with what stands. The fault is what its caller must hear of; a key that cannot be given back
    // comes free by itself.
    await ports.maker.giveBack(claim, ports.clock(), 'resumable').catch(() => undefined);
    throw fault;
  }
};

/** The message by this key, made now or by an earlier call. */
const madeOnce = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  callerKey: string,
  request: PushRequest,
): Promise<{ readonly message: PushMessage; readonly replayed: boolean } | PushRefusals> => {
  const now = ports.clock();
  const { organizationId } = tenant;
  const hash = requestHash('push.send', request);
  const outcome = await ports.maker.claim({ organizationId, callerKey, requestHash: hash }, now, now + LEASE_MS);
  if (outcome.kind === 'reused') return REUSED_KEY;
  if (outcome.kind === 'running') return running(undefined, askAgainSeconds(outcome.until - LEASE_MS, now));
  if (outcome.kind === 'kept') {
    const message = await ports.maker.read(organizationId, outcome.messageId);
    return message ? { message, replayed: true } : running(outcome.messageId, 1);
  }
  const message = await madeUnder(ports, tenant, request, outcome.claim);
  return isRefusal(message) ? message : { message, replayed: false };
};

/**
 * Makes a push message: one row for each device of its audience, then the message with its money and the caller's key in one
 * transaction, so that a crash before it leaves nothing that anybody sees or pays, and the repeat goes on with the rows that stand. The
 * same key and body answer with the message as it stands.
 */
export const sendPush = async (ports: CreatePushPorts, actor: Actor, callerKey: string, request: PushRequest) => {
  const made = await madeOnce(ports, { organizationId: actor.organizationId, env: actor.env }, callerKey, request);
  if (isRefusal(made)) return made;
  const [standing] = await ports.tallies.standings([made.message]);
  if (!standing) throw new RangeError('a message without a standing');
  return { ...pushMessageView(made.message, standing.tally, standing.opens), replayed: made.replayed };
};
