import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Message } from '../../sdk.ts';
import { texts } from './texts.ts';

/** The other party of a message, in the form that the composer accepts. A masked address cannot be used. */
const recipientOf = ({ channel, direction, from, to, contactId }: Message): Readonly<Record<string, string>> => {
  const person = direction === 'inbound' ? from : to;
  return {
    ...(channel ? { channel } : {}),
    ...(person && !person.includes('*') ? { to: person } : {}),
    ...(contactId ? { contactId } : {}),
  };
};

/** Leads to the composer: for a new message, or for another to the person of this one. */
export const ComposeLink = ({ message }: { readonly message?: Message }) => {
  const t = useTexts(texts);
  const may = useMay();
  if (!may('messages:send')) return null;
  const again = message?.direction === 'inbound' ? t.reply : t.writeAgain;
  return (
    <Button
      component={Link}
      to="/composer"
      search={(message ? recipientOf(message) : {}) as never}
      variant={message ? 'default' : 'filled'}
    >
      {message ? again : t.compose}
    </Button>
  );
};
