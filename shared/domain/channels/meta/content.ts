import * as z from 'zod';

/** Content in Meta's format for its message type. */
export const storedPayload = z.object({
  payload: z.record(z.string(), z.unknown()),
  /** Our id of the number or account that sends; absent for the provider's own. */
  from: z.string().optional(),
});
export type PayloadContent = Readonly<z.output<typeof storedPayload>>;

declare module '../../message/channel.ts' {
  interface ChannelContents {
    whatsapp: PayloadContent;
    instagram: PayloadContent;
  }
}
