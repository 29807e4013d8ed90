import * as z from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import type { Id } from '../../core/ids.ts';
import type { AudienceDevice, PushDevice } from './device.ts';
import { PUSH_PLATFORMS, type PushPlatform } from './transport.ts';

/** Ports of planning a push to a person. */
export interface PushPlanPorts {
  /**
   * The devices of a person, those registered last first, at most `MAX_DEVICES_OF_PERSON`: by a device's id or token, by the caller's own id
   * of the person, or by a contact's id. Devices that are retired, or whose app is deleted, are left out.
   */
  readonly devicesOf: (organizationId: Id<'organization'>, to: string) => Promise<readonly PushDevice[]>;
  /** Those of the contacts that opted out. */
  readonly deniedContacts: (
    organizationId: Id<'organization'>,
    ids: readonly Id<'contact'>[],
  ) => Promise<ReadonlySet<Id<'contact'>>>;
}

/** What is kept of a push message: what it says, and which devices it goes to. */
export interface PushMessageContent {
  /** The notification in the form of the request. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly platforms: readonly PushPlatform[];
  readonly segment?: string | undefined;
  /** The devices of a message to one person; an audience's have rows of their own from the start. */
  readonly devices?: readonly AudienceDevice[] | undefined;
  /** Number of chunks in each shard. */
  readonly extents: readonly number[];
}

const device = z.object({ id: idSchema('pushToken'), platform: z.enum(PUSH_PLATFORMS) });

/** Parses stored content. */
export const storedPush: z.ZodType<PushMessageContent> = z.object({
  payload: z.record(z.string(), z.unknown()),
  platforms: z.array(z.enum(PUSH_PLATFORMS)),
  segment: z.string().optional(),
  devices: z.array(device).optional(),
  extents: z.array(z.int()),
});

declare module '../../message/channel.ts' {
  interface ChannelContents {
    push: PushMessageContent;
  }
}
