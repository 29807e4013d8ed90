import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Messaging } from '../support/api.ts';
import { PATIENCE } from './support.ts';

/** The tokens of the links that the service's log shows, oldest first. */
const loggedTokens = async (dataDir: string): Promise<string[]> => {
  const log = await readFile(join(dataDir, 'functions.log'), 'utf8');
  return [...log.matchAll(/\/sign-in[^"#]*#(svc_link_\w+)/g)].map(([, token = '']) => token);
};

/** The token of the one link that an action mails: the log may hold links of earlier actions, also of other files that used the service. */
export const mailedToken = async (
  { dataDir }: Pick<Messaging, 'dataDir'>,
  action: () => Promise<unknown>,
): Promise<string> => {
  const earlier = await loggedTokens(dataDir);
  await action();
  return vi.waitFor(async () => {
    const tokens = await loggedTokens(dataDir);
    expect(tokens).toHaveLength(earlier.length + 1);
    return tokens.at(-1) ?? '';
  }, PATIENCE);
};
