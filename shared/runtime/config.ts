import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';

const url = z.url({ protocol: /^https?$/ });

const pushServices = z.strictObject({
  timeoutMs: z.int().min(1).max(20_000).optional(),
  fcmUrl: url.optional(),
  googleTokenUrl: url.optional(),
  apnsUrls: z.strictObject({ production: url, development: url }).optional(),
  apnsCa: z.string().optional(),
});

/** A function's environment. The only reader of `process.env`; a missing or bad value stops the cold start with its name. */
const environment = z.object({
  STAGE: z.enum(ENVIRONMENTS),
  TABLE_NAME: z.string().min(3),
  /** The live stage's table: the test stage reads its volume counters, and nothing else. */
  LIVE_TABLE_NAME: z.string().min(3),
  /** JSON: queue name to queue address. Absent on functions that publish nothing. */
  QUEUE_URLS: z
    .string()
    .default('{}')
    .transform((text, context) => {
      try {
        return z.record(z.string(), url).parse(JSON.parse(text));
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON object of queue addresses' });
        return z.NEVER;
      }
    }),
  /** The public address of the deployment: short links and provider callbacks are made from it. No trailing slash. */
  PUBLIC_URL: url.transform((text) => text.replace(/\/+$/, '')),
  DYNAMODB_ENDPOINT: url.optional(),
  SQS_ENDPOINT: url.optional(),
  /** The bucket that media uploads pass through, and its address where it is not AWS's: on one machine. */
  UPLOAD_BUCKET: z.string().min(3).optional(),
  S3_ENDPOINT: url.optional(),
  /** The KMS key that wraps the stage's root key; or, on one machine, the file of a local master key. One of both. */
  KMS_KEY_ID: z.string().optional(),
  LOCAL_KEY_FILE: z.string().optional(),
  /** How long the sender of a message may take before its hold is resolved by others. Above every provider's time-out. */
  SEND_DEADLINE_SECONDS: z.coerce.number().int().min(15).max(300).default(30),
  /** Lets webhooks go to loopback and plain http: for one machine; a deployed stage does not carry it. */
  WEBHOOK_LOOPBACK: z.stringbool().default(false),
  /** JSON: where push services are, for stand-ins, and how long one may take (ms); each its own address when absent. */
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

export type Config = Readonly<z.output<typeof environment>>;

/** Parses an environment. Throws an Error that names each bad variable, never its value. */
export const parseConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const parsed = environment.safeParse(env);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment is not usable: ${faults.join('; ')}`);
};

let current: Config | undefined;
/** This process's configuration, parsed once at the first use. */
export const config = (): Config => {
  current ??= parseConfig(process.env);
  return current;
};
