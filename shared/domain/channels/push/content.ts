import * as z from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import type { Id } from '../../core/ids.ts';
import type { PushDevice } from './device.ts';
import { PUSH_PLATFORMS } from './transport.ts';

/** Ports of planning a push to a person. */
export interface PushPlanPorts {
  /**
   * The devices of a person, last registered first, at most `MAX_DEVICES_OF_PERSON`: by a device's id or token, by the caller's own id of
   * the person, or by a contact's id. Omits devices that are retired or whose app is deleted.
   */
  readonly devicesOf: (organizationId: Id<'organization'>, to: string) => Promise<readonly PushDevice[]>;
  /** The ones of these contacts that opted out. */
  readonly deniedContacts: (
    organizationId: Id<'organization'>,
    ids: readonly Id<'contact'>[],
  ) => Promise<ReadonlySet<Id<'contact'>>>;
}

const device = z.object({ id: idSchema('pushToken'), platform: z.enum(PUSH_PLATFORMS) });

/** The stored content of a push message: the notification, and the devices that it goes to. */
export const storedPush = z.object({
  /** The notification in the form of the request. */
  payload: z.record(z.string(), z.unknown()),
  platforms: z.array(z.enum(PUSH_PLATFORMS)),
  segment: z.string().optional(),
  /** The devices of a message to one person; an audience's have rows of their own from the start. */
  devices: z.array(device).optional(),
  /** Number of chunks in each shard. */
  extents: z.array(z.int()),
});
export type PushMessageContent = Readonly<z.output<typeof storedPush>>;

declare module '../../message/channel.ts' {
  interface ChannelContents {
    push: PushMessageContent;
  }
}
