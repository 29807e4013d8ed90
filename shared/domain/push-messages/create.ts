import type { AudienceDevice } from '../channels/push/device.ts';
import { CHUNK_DEVICES, type PushChunk } from '../channels/push/dispatch.ts';
import {
  noOpens,
  noTally,
  type PushMessage,
  pushMessageOf,
  pushMessageView,
  rateKindOf,
} from '../channels/push/message.ts';
import type { Actor, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { scheduleFault } from '../sending/accept.ts';
import { requestKey } from '../sending/idempotency.ts';
import { REUSED_KEY } from '../sending/refusals.ts';
import { retryAfterSeconds } from '../sending/send-now.ts';
import { messageEvent } from '../tracking/events.ts';
import { type Audience, audienceOf, audienceSelector } from './audience.ts';
import { audienceMessage, type PushRequest } from './audience-message.ts';
import type { Claim, CreatePushPorts } from './ports.ts';
import { type DevicePrice, priceOfDevice, UNKNOWN_SEGMENT } from './preview.ts';

export type PushRefusals = Refusal<'CONFLICT' | 'PAYMENT_REQUIRED' | 'SERVICE_UNAVAILABLE' | 'VALIDATION_ERROR'>;

/** How long one attempt writes rows, and how long its key is leased, in ms: a request must be answered within 28 s. */
const MAX_BUILD_MS = 20_000;
const LEASE_MS = 32_000;
/** Shards written concurrently. */
const SHARD_CONCURRENCY = 8;

const NO_FUNDS = refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the devices.');
const stillRunning = (messageId: Id<'message'> | undefined, seconds: number) =>
  refuse('CONFLICT', {
    detail: 'The first request with this key is still running.',
    meta: { code: 'EM_ANDAMENTO', ...(messageId === undefined ? {} : { messageId }) },
    retryAfterSeconds: seconds,
  });
const stillBuilding = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The devices are still being queued; repeat the same request with the same Idempotency-Key to continue.',
  retryAfterSeconds: 1,
});

/** The audience of a request, and the price of a device in it. */
interface Checked extends DevicePrice {
  readonly audience: Audience;
}

/** The state of one attempt to write a message's rows. */
interface Build {
  readonly claim: Claim;
  readonly createdAt: number;
  readonly audience: Audience;
  /** The number of devices that the balance covers. */
  readonly affordable: number;
  readonly until: number;
  devices: number;
  /** Number of chunks per shard so far, including those of earlier attempts. */
  readonly extents: number[];
  stopped?: 'time' | 'funds' | 'superseded' | 'fault';
  fault?: unknown;
}

const freshChunk = (
  { claim, createdAt }: Build,
  position: Pick<PushChunk, 'shard' | 'number' | 'devices' | 'last'>,
): PushChunk => ({
  messageId: claim.messageId,
  ...position,
  attempt: claim.attempt,
  state: 'open',
  fence: 1,
  leaseUntil: 0,
  nextAt: createdAt,
  pass: 1,
  cursor: 0,
  step: 0,
  tally: noTally(),
});

/** Counts `more` devices; false when the attempt must stop for lack of funds or time. */
const mayContinue = (ports: CreatePushPorts, build: Build, more: number): boolean => {
  build.devices += more;
  if (build.devices > build.affordable) build.stopped ??= 'funds';
  else if (ports.clock() >= build.until) build.stopped ??= 'time';
  return build.stopped === undefined;
};

/** Writes the chunks of a shard one after the other, continuing after the last one of earlier attempts. */
const buildShard = async (ports: CreatePushPorts, build: Build, shard: number, existing: readonly PushChunk[]) => {
  const before = existing.filter((chunk) => chunk.shard === shard).at(-1);
  build.extents[shard] = before ? before.number + 1 : 0;
  let buffered: AudienceDevice[] = [];
  const write = async (devices: readonly AudienceDevice[]): Promise<void> => {
    const last = devices.at(-1)?.id;
    if (last === undefined || !mayContinue(ports, build, devices.length)) return;
    const number = build.extents[shard] ?? 0;
    const chunk = freshChunk(build, { shard, number, devices: devices.length, last });
    const tenant = { organizationId: build.claim.organizationId, createdAt: build.createdAt };
    if ((await ports.creation.putChunk(chunk, tenant, devices)) === 'superseded') build.stopped = 'superseded';
    build.extents[shard] = number + 1;
  };
  for await (const page of build.audience.devices(shard, before?.last)) {
    buffered = buffered.concat(page);
    while (buffered.length >= CHUNK_DEVICES && !build.stopped) await write(buffered.splice(0, CHUNK_DEVICES));
    if (build.stopped) return;
  }
  if (buffered.length > 0) await write(buffered);
};

/** Writes a row for every device of the audience that has none yet. Rethrows the first error of a shard. */
const buildAll = async (ports: CreatePushPorts, build: Build): Promise<void> => {
  const existing = await ports.creation.chunks(build.claim.messageId);
  build.devices = existing.reduce((sum, { devices }) => sum + devices, 0);
  const shards = Array.from({ length: ports.audiences.shards }, (_, shard) => shard);
  await mapConcurrently(shards, SHARD_CONCURRENCY, async (shard) => {
    if (build.stopped) return;
    // An error in one shard stops the others after their current write, so that nothing is written once the key is released.
    await buildShard(ports, build, shard, existing).catch((fault: unknown) => {
      build.fault ??= fault;
      build.stopped = 'fault';
    });
  });
  if (build.stopped === 'fault') throw build.fault;
};

const refuseForFunds = async (ports: CreatePushPorts, { organizationId, env }: Tenant, claim: Claim) => {
  await ports.creation.releaseClaim(claim, ports.clock(), 'free');
  await ports.noteDepleted(organizationId, env);
  return NO_FUNDS;
};

/** Writes the rows; returns a refusal if it stopped early. */
const buildRows = async (ports: CreatePushPorts, tenant: Tenant, build: Build): Promise<PushRefusals | undefined> => {
  const { claim } = build;
  await buildAll(ports, build);
  if (build.stopped === 'funds') return refuseForFunds(ports, tenant, claim);
  if (build.stopped === 'superseded') return stillRunning(claim.messageId, 1);
  if (build.stopped !== 'time') return undefined;
  await ports.creation.releaseClaim(claim, ports.clock(), 'resumable');
  return stillBuilding;
};

/** Writes the rows, then commits the message; nothing is visible before the commit. */
const buildAndCommit = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  request: PushRequest,
  claim: Claim,
  checkedRequest: Checked,
): Promise<PushMessage | PushRefusals> => {
  const { audience, coinsEach } = checkedRequest;
  const createdAt = ports.clock();
  const balance = await ports.balance(tenant.organizationId);
  const affordable = coinsEach === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(balance / coinsEach);
  const build: Build = {
    claim,
    createdAt,
    audience,
    affordable,
    until: createdAt + MAX_BUILD_MS,
    devices: 0,
    extents: [],
  };
  const refusal = await buildRows(ports, tenant, build);
  if (refusal) return refusal;
  const message = await audienceMessage(ports, tenant, request, build, checkedRequest);
  const events = build.devices === 0 ? [] : [messageEvent('message.queued', message, createdAt)];
  const outcome = await ports.creation.commit({ message, events }, claim);
  if (outcome === 'insufficient') return refuseForFunds(ports, tenant, claim);
  if (outcome === 'superseded') return stillRunning(claim.messageId, 1);
  if (build.devices > 0) ports.enqueueSend(message, message.deadline);
  return pushMessageOf(message, noTally());
};

/** Checks schedule, price and segment of a request. */
const checked = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  request: PushRequest,
): Promise<Checked | Refusal<'VALIDATION_ERROR'>> => {
  const scheduleRefusal = scheduleFault(request.scheduledAt, ports.clock());
  if (scheduleRefusal) return scheduleRefusal;
  const priced = await priceOfDevice(ports, rateKindOf(request));
  if (isRefusal(priced)) return priced;
  const audience = await audienceOf(ports.audiences, tenant, request.platforms, audienceSelector(request));
  return audience ? { audience, ...priced } : UNKNOWN_SEGMENT;
};

/** Creates the message under a claimed key, and releases the key on failure. */
const createUnderClaim = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  request: PushRequest,
  claim: Claim,
): Promise<PushMessage | PushRefusals> => {
  try {
    const checkedRequest = await checked(ports, tenant, request);
    if (!isRefusal(checkedRequest)) return await buildAndCommit(ports, tenant, request, claim, checkedRequest);
    await ports.creation.releaseClaim(claim, ports.clock(), 'free');
    return checkedRequest;
  } catch (fault) {
    // The same request may resume immediately. The original error is rethrown: a lease that cannot be released expires by itself.
    await ports.creation.releaseClaim(claim, ports.clock(), 'resumable').catch(() => undefined);
    throw fault;
  }
};

/** The message of this key, created now or by an earlier call. */
const createOnce = async (
  ports: CreatePushPorts,
  tenant: Tenant,
  callerKey: string,
  request: PushRequest,
): Promise<{ readonly message: PushMessage; readonly replayed: boolean } | PushRefusals> => {
  const now = ports.clock();
  const { organizationId } = tenant;
  const claim = { organizationId, ...requestKey(callerKey, 'push.send', request) };
  const outcome = await ports.creation.claim(claim, now, now + LEASE_MS);
  if (outcome.kind === 'reused') return REUSED_KEY;
  if (outcome.kind === 'running') return stillRunning(undefined, retryAfterSeconds(outcome.until - LEASE_MS, now));
  if (outcome.kind === 'created') {
    const message = await ports.creation.read(organizationId, outcome.messageId);
    return message ? { message, replayed: true } : stillRunning(outcome.messageId, 1);
  }
  const message = await createUnderClaim(ports, tenant, request, outcome.claim);
  return isRefusal(message) ? message : { message, replayed: false };
};

/** The message as the call that created it answered: queued, or ended at once where its audience had no devices. */
const asCreated = (message: PushMessage): PushMessage => {
  const { record, createdAt, quietDeferredTo, reach } = message;
  if (reach === 0) return message;
  const wasDeferred = record.decisions.some(({ kind, at }) => kind === 'deferred' && at === createdAt);
  return {
    ...message,
    status: 'queued',
    sentAt: undefined,
    tally: undefined,
    quietDeferredTo: wasDeferred ? quietDeferredTo : undefined,
  };
};

/**
 * Creates a push message (docs/spec/push.md#sending-push): one row per device of its audience, then message, hold and caller's key in one
 * transaction. A crash before that leaves nothing visible or charged, and a repeated request resumes with the rows already written. The same
 * key and body answer as the first call did (docs/spec/sends.md#replay), whatever became of the message.
 */
export const sendPush = async (ports: CreatePushPorts, actor: Actor, callerKey: string, request: PushRequest) => {
  const sent = await createOnce(ports, { organizationId: actor.organizationId, env: actor.env }, callerKey, request);
  if (isRefusal(sent)) return sent;
  return { ...pushMessageView(asCreated(sent.message), noTally(), noOpens(), true), replayed: sent.replayed };
};
