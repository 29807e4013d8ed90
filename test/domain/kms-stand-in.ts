import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening } from '../support/loopback.ts';

/** A request as KMS receives it: AWS JSON 1.1. */
interface KmsRequest {
  readonly KeyId?: string;
  readonly KeySpec?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A stand-in of KMS: one key, the two operations that wrap data keys, and scripted faults. */
export interface KmsStandIn {
  readonly endpoint: string;
  readonly calls: { readonly operation: string; readonly request: KmsRequest }[];
  /** The answers to the next calls, in their order: an error, or none at all. */
  readonly faults: (Answer | 'silence')[];
  close(): Promise<void>;
}

/** An error as KMS writes it. */
export const kmsError = (status: number, type: string): Answer => ({
  status,
  body: { __type: type, message: `${type} on purpose` },
});

const contextOf = ({ EncryptionContext = {} }: KmsRequest): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(EncryptionContext).sort(([a], [b]) => (a < b ? -1 : 1))));

const operationsOf = (keyId: string, master: Buffer) => ({
  GenerateDataKey: (request: KmsRequest): Answer => {
    if (request.KeyId !== keyId) return kmsError(400, 'NotFoundException');
    if (request.KeySpec !== 'AES_256') return kmsError(400, 'ValidationException');
    const plaintext = randomBytes(32);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', master, nonce).setAAD(contextOf(request));
    const blob = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    return {
      status: 200,
      body: { KeyId: keyId, Plaintext: plaintext.toString('base64'), CiphertextBlob: blob.toString('base64') },
    };
  },
  Decrypt: (request: KmsRequest): Answer => {
    if (request.KeyId !== keyId) return kmsError(400, 'IncorrectKeyException');
    const blob = Buffer.from(request.CiphertextBlob ?? '', 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', master, blob.subarray(0, 12));
      decipher.setAAD(contextOf(request)).setAuthTag(blob.subarray(-16));
      const plaintext = Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
      return { status: 200, body: { KeyId: keyId, Plaintext: plaintext.toString('base64') } };
    } catch {
      return kmsError(400, 'InvalidCiphertextException');
    }
  },
});

/** Starts the stand-in on a free port of this machine. */
export const startKms = async (keyId: string): Promise<KmsStandIn> => {
  const operations: Readonly<Record<string, (request: KmsRequest) => Answer>> = operationsOf(keyId, randomBytes(32));
  const calls: KmsStandIn['calls'] = [];
  const faults: KmsStandIn['faults'] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    const body = (await json(request)) as KmsRequest;
    calls.push({ operation, request: body });
    const answer = faults.shift() ?? operations[operation]?.(body) ?? kmsError(400, 'UnknownOperationException');
    if (answer === 'silence') return;
    response
      .writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify(answer.body));
  };
  const server = createServer((request, response) => void serve(request, response));
  const { url, close } = await listening(server);
  return { endpoint: url, calls, faults, close };
};
