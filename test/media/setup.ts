import { startMessaging } from '../support/api.ts';
import { connectedNumber, useMetaAt } from '../support/media.ts';
import { startMetaMedia } from '../support/providers/meta-media-stand-in.ts';
import { use } from '../support/use.ts';

/** The service with a stand-in of Meta's media API, and an organization with a number in live and one in the sandbox. */
export const useMediaNumbers = async () => {
  const messaging = await use(startMessaging());
  const meta = await use(startMetaMedia());
  await useMetaAt(messaging, meta.baseUrl);
  const owner = await messaging.tenant();
  const live = await connectedNumber(messaging, owner, 'live', meta.accessToken);
  const sandbox = await connectedNumber(messaging, owner, 'test');
  return { messaging, meta, owner, live, sandbox };
};
