import * as z from 'zod';
import type { Environment } from '../../../shared/domain/core/actor.ts';
import type { Id } from '../../../shared/domain/core/ids.ts';
import { assignSender, rejectPending } from '../../../shared/domain/senders/assign.ts';
import {
  SENDER_CHANNELS,
  type Sender,
  type SenderChannel,
  senderValue,
} from '../../../shared/domain/senders/sender.ts';
import { senderView } from '../../../shared/domain/senders/views.ts';
import { releaseValue, senderStore } from '../../../shared/storage/senders/senders.ts';
import { defineCommand, OperatorError, requireOrganization } from '../command.ts';
import { env, organization, shortText } from '../options.ts';
import type { Target } from '../target.ts';

const channel = z.enum(SENDER_CHANNELS).meta({ description: 'email, sms or rcs' });
const value = shortText('an e-mail address or domain; a number, short code or name of SMS; an agent of RCS');

interface Assignment {
  readonly organization: Id<'organization'>;
  readonly env: Environment;
  readonly channel: SenderChannel;
  readonly value: string;
}

/** Assigns a sender as verified: the operator vouches that it may be sent from. */
export const assign = async (
  tables: Target['tables'],
  { organization: organizationId, env: stage, channel: on, value: given }: Assignment,
): Promise<Sender> => {
  const wanted = senderValue(on, given);
  if (wanted === undefined) throw new OperatorError(`value is not a valid sender on ${on}`);
  await requireOrganization(tables[stage], organizationId);
  const ports = { clock: Date.now, senders: senderStore(tables[stage]) };
  await rejectPending(ports, { organizationId }, on, wanted);
  const sender = await assignSender(ports, { organizationId }, on, wanted);
  if (!sender)
    throw new OperatorError(
      'Another organization has it, its domain or something below it, or this one has 100 senders. `sender release` releases the former sender of another organization.',
    );
  return sender;
};

const senderAssign = defineCommand({
  name: 'sender assign',
  summary:
    'Assign a sender to an organization: its live sends may name it at once; pending ones of others are rejected',
  options: z.object({ organization, env, channel, value }),
  run: async ({ tables }, options) => ({ data: senderView(await assign(tables, options)) }),
});

const senderList = defineCommand({
  name: 'sender list',
  summary: "List an organization's senders",
  options: z.object({ organization, env }),
  run: async ({ tables }, { organization: of, env: stage }) => ({
    data: { items: (await senderStore(tables[stage]).list(of)).map(senderView) },
  }),
});

const senderRelease = defineCommand({
  name: 'sender release',
  summary: 'Let another organization register a sender whose former organization deleted it',
  options: z.object({ env, channel, value }),
  run: async ({ tables }, { env: stage, channel: on, value: given }) => {
    const wanted = senderValue(on, given);
    if (wanted === undefined) throw new OperatorError(`value is not a valid sender on ${on}`);
    const [holder] = await senderStore(tables[stage]).holders(on, [wanted]);
    if (holder) throw new OperatorError('An organization still has it: it must delete it first.');
    return {
      data: {
        env: stage,
        channel: on,
        value: wanted,
        released: await releaseValue(tables[stage], on, wanted, Date.now()),
      },
    };
  },
});

export const SENDER_COMMANDS = [senderAssign, senderList, senderRelease];
