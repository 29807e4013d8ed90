import type * as z from 'zod';
import type { Channel } from '../domain/message/channel.ts';
import type {
  CallbackDeclaration,
  CallbackReader,
  Provider,
  ProviderDeclaration,
  ProviderIo,
} from '../domain/message/provider-port.ts';

/** A provider in the registry. `open` parses the operator's settings and throws if they are invalid. */
export interface RegisteredProvider {
  readonly channel: Channel;
  readonly name: string;
  readonly settings: { parse(input: unknown): unknown };
  /** The settings with their descriptions and defaults, for the operator's tools and documentation. */
  readonly settingsSchema: z.ZodType;
  open(settings: unknown, io: ProviderIo): Provider<unknown>;
  readonly callbacks: CallbackDeclaration;
}

/** Declares how callbacks are read: the settings that verify them, and the reader over these. */
export const callbacksWith = <Settings>(
  settings: z.ZodType<Settings>,
  open: (settings: Settings, io: ProviderIo) => CallbackReader,
): CallbackDeclaration => ({ settings, open: (given, io) => open(settings.parse(given), io) });

/** Erases a provider's content and settings types, so that the registry can hold all of them. */
export const register = <Content, Settings>(
  declaration: ProviderDeclaration<Content, Settings>,
  settingsSchema: z.ZodType<Settings>,
): RegisteredProvider => ({
  channel: declaration.channel,
  name: declaration.name,
  settings: declaration.settings,
  settingsSchema,
  open: (settings, io) => declaration.create(declaration.settings.parse(settings), io),
  callbacks: declaration.callbacks,
});
