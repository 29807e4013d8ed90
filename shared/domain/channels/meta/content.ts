import * as z from 'zod';

/** Content in Meta's format for its message type. */
export interface PayloadContent {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Our id of the number or account that sends; absent for the provider's own. */
  readonly from?: string | undefined;
}

/** Parses stored content. */
export const storedPayload: z.ZodType<PayloadContent> = z.object({
  payload: z.record(z.string(), z.unknown()),
  from: z.string().optional(),
});

declare module '../../message/channel.ts' {
  interface ChannelContents {
    whatsapp: PayloadContent;
    instagram: PayloadContent;
  }
}
