import type * as z from 'zod';
import type { Channel, Provider, ProviderDeclaration, ProviderIo } from '../domain/messages/provider.ts';

/** A provider as the registry holds it: opens its adapter over the operator's settings, which it parses. */
export interface RegisteredProvider {
  readonly channel: Channel;
  readonly name: string;
  readonly settings: { parse(input: unknown): unknown };
  /** The same settings as a schema, each with its description and default: what the operator's tools and the documentation show. */
  readonly settingsSchema: z.ZodType;
  open(settings: unknown, io: ProviderIo): Provider<unknown>;
}

/** Takes a declaration into a channel's registry, where providers of every content and of all settings stand side by side. */
export const register = <Content, Settings>(
  declaration: ProviderDeclaration<Content, Settings>,
  settingsSchema: z.ZodType<Settings>,
): RegisteredProvider => ({
  channel: declaration.channel,
  name: declaration.name,
  settings: declaration.settings,
  settingsSchema,
  open: (settings, io) => declaration.create(declaration.settings.parse(settings), io),
});
