import * as z from 'zod';
import { MAX_ARCHIVE_DAYS, MIN_ARCHIVE_DAYS } from '../../domain/archive/days.ts';
import { WEB_PUSH_HOST } from '../../domain/channels/push/web-push-hosts.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';

const url = z.url({ protocol: /^https?$/ });

const pushServices = z.strictObject({
  timeoutMs: z.int().min(1).max(20_000).optional(),
  fcmUrl: url.optional(),
  googleTokenUrl: url.optional(),
  apnsUrls: z.strictObject({ production: url, development: url }).optional(),
  apnsCa: z.string().optional(),
});

/** A JSON object of addresses by the names of queues. */
const queueAddresses = z
  .string()
  .default('{}')
  .transform((text, context) => {
    try {
      return z.record(z.string(), url).parse(JSON.parse(text));
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON object of queue addresses' });
      return z.NEVER;
    }
  });

/** A function's environment, the only reader of `process.env`. A missing or invalid value fails the cold start and is named. */
const environment = z.object({
  STAGE: z.enum(ENVIRONMENTS),
  TABLE_NAME: z.string().min(3),
  /** The live stage's table, of which the test stage reads the volume counters only. */
  LIVE_TABLE_NAME: z.string().min(3),
  /** JSON: queue name to queue address. Absent on functions that publish nothing. */
  QUEUE_URLS: queueAddresses,
  /** The same of their dead-letter queues. Only on functions of the operator. */
  DEAD_LETTER_URLS: queueAddresses,
  /** The deployment's public URL, for short links and provider callbacks. Trailing slashes are removed. */
  PUBLIC_URL: url.transform((text) => text.replace(/\/+$/, '')),
  /**
   * The component in front of the stage: nothing (`none`, local stack), an edge that authenticates by a secret (`secret`), or one with
   * exclusive access to the stage's network (`network`).
   */
  EDGE: z.enum(['none', 'secret', 'network']).default('none'),
  DYNAMODB_ENDPOINT: url.optional(),
  SQS_ENDPOINT: url.optional(),
  /** The bucket for media uploads, and its endpoint where it is not AWS's (local stack). */
  UPLOAD_BUCKET: z.string().min(3).optional(),
  S3_ENDPOINT: url.optional(),
  /** The KMS key that wraps the stage's root key, or the file of a local master key (local stack). One of the two. */
  KMS_KEY_ID: z.string().optional(),
  LOCAL_KEY_FILE: z.string().optional(),
  /**
   * The number of days after which rows move from the table to the archive; absent: never. The archive's bucket, or its folder (local
   * stack).
   */
  ARCHIVE_AFTER_DAYS: z.coerce.number().int().min(MIN_ARCHIVE_DAYS).max(MAX_ARCHIVE_DAYS).optional(),
  /** Whether rows are archived, or were given their expiry while the archive was not paused. */
  ROWS_EXPIRE: z.stringbool().default(false),
  ARCHIVE_BUCKET: z.string().min(3).optional(),
  ARCHIVE_FOLDER: z.string().min(1).optional(),
  /** How long a sender may take before recovery may claim its message. Above every provider's timeout. */
  SEND_DEADLINE_SECONDS: z.coerce.number().int().min(15).max(300).default(30),
  /** How long a call to the table may take before it is repeated, in ms: far above DynamoDB's usual latency, far below a Lambda's timeout. */
  TABLE_TIMEOUT_MS: z.coerce.number().int().min(500).max(60_000).default(2_000),
  /** Allows webhooks to loopback addresses and plain http. Local stack only; never set on a deployed stage. */
  WEBHOOK_LOOPBACK: z.stringbool().default(false),
  /** Comma-separated additional hosts of browsers' push services; `*.` before a domain matches all hosts in it. */
  WEB_PUSH_HOSTS: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((host) => (host.trim() === '' ? [] : [host.trim().toLowerCase()])))
    .refine((hosts) => hosts.every((host) => WEB_PUSH_HOST.test(host)), 'must be hosts, separated by commas'),
  /** Writes sign-in links to the log instead of mailing them. Local stack only; never set on a deployed stage. */
  LOG_SIGN_IN_LINKS: z.stringbool().default(false),
  /** JSON: addresses of push services for stand-ins, and their time-out (ms); the real addresses when absent. */
  PUSH_SERVICES: z
    .string()
    .default('{}')
    .transform((text, context) => {
      try {
        return pushServices.parse(JSON.parse(text));
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON object of push services' });
        return z.NEVER;
      }
    }),
  LOG_LEVEL: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO'),
});

/** Settings that are allowed only if the root key is in a local file, which no deployed stage has. */
const LOCAL_ONLY = ['WEBHOOK_LOOPBACK', 'LOG_SIGN_IN_LINKS'] as const;
const checkedEnvironment = environment.superRefine((env, context) => {
  for (const name of LOCAL_ONLY)
    if (env[name] && env.LOCAL_KEY_FILE === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'must not be set on a deployed stage' });
});

/** A parsed environment. */
export type Config = Readonly<z.output<typeof environment>>;

/** Parses an environment. Throws an Error that names each invalid variable, never its value. */
export const parseConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  // Parsed once: code made for it, as zod makes for a schema's first object, takes longer than the parse.
  const parsed = checkedEnvironment.safeParse(env, { jitless: true });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment is not usable: ${faults.join('; ')}`);
};

let current: Config | undefined;
/** This process's configuration, parsed on first use. */
export const config = (): Config => {
  current ??= parseConfig(process.env);
  return current;
};
