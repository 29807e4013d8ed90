import type { AuditEntry } from '../audit/entry.ts';
import type { SmsRoute } from '../channels/sms/content.ts';
import type { Tenant } from '../core/actor.ts';
import { type Id, randomBase62 } from '../core/ids.ts';

/** The routes that have a list price. */
export const SMPP_ROUTES = ['premium', 'otp'] as const satisfies readonly SmsRoute[];
/** The format of dates in a receipt's text: `YYMMDDhhmm` as specified, or with seconds. */
export const DLR_FORMATS = ['minutes', 'seconds'] as const;

/** Concurrent binds, and requests without a response: the default and the maximum of each. */
export const BINDS = { standard: 4, maximum: 50 } as const;
export const WINDOW = { standard: 32, maximum: 256 } as const;

/** The settings of an account. */
export interface SmppSettings {
  readonly name: string;
  readonly route: (typeof SMPP_ROUTES)[number];
  /** The sender of messages without a source address. */
  readonly senderId?: string | undefined;
  /** The addresses and CIDR blocks from which it may bind; absent means any. */
  readonly allowedIps?: readonly string[] | undefined;
  readonly maxBinds: number;
  readonly window: number;
  readonly dlrFormat: (typeof DLR_FORMATS)[number];
}

/** An account that binds over SMPP and sends for its organization, in one environment. Times in ms. */
export interface SmppAccount extends SmppSettings, Pick<Tenant, 'organizationId'> {
  readonly id: Id<'smppAccount'>;
  /** Unique in the stage. */
  readonly systemId: string;
  /** The stored form of the password (password.ts). */
  readonly passwordHash: string;
  /** The person or the key that created it; absent if the operator did. */
  readonly createdBy?: Id<'account'> | Id<'apiKey'> | undefined;
  readonly passwordChangedAt: number;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An account as its binds see it: without its password. */
export type BoundAccount = Pick<SmppAccount, 'dlrFormat' | 'id' | 'organizationId' | 'route' | 'senderId' | 'window'>;

/** Stores accounts. Each change commits atomically with its entry of the audit log. */
export interface SmppAccountStore {
  /** `taken`: another account has the system_id. */
  create(account: SmppAccount, entry: AuditEntry): Promise<'saved' | 'taken' | 'limit_reached'>;
  read(organizationId: Id<'organization'>, id: Id<'smppAccount'>): Promise<SmppAccount | undefined>;
  /** All accounts of an organization, newest first. One query. */
  list(organizationId: Id<'organization'>): Promise<readonly SmppAccount[]>;
  /** The account of a system_id. Two reads. */
  find(systemId: string): Promise<SmppAccount | undefined>;
  /** Replaces an account that is still `before`; false when it is not. */
  change(before: SmppAccount, after: SmppAccount, entry: AuditEntry): Promise<boolean>;
  /** Deletes an account that is still `before`, and frees its system_id; false when it is not. */
  remove(before: SmppAccount, entry: AuditEntry): Promise<boolean>;
}

/** Characters of a system_id after its environment: 59 bits. */
const NAME_LENGTH = 10;

/** A new system_id of at most 15 characters; it starts with the environment, as API keys do. */
export const newSystemId = (env: Tenant['env']): string => `${env}_${randomBase62(NAME_LENGTH)}`;
