/** An e-mail from the service itself, as plain text. */
export interface SignInMail {
  readonly subject: string;
  readonly text: string;
}

/**
 * An organization's name made safe for an e-mail to a stranger: without addresses that a mail program would turn into
 * links.
 */
const plainName = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{M}\p{N} &'()-]+/gu, ' ')
    .trim()
    .slice(0, 60);

/** The e-mail with a sign-in link, in Portuguese. It names no person, because an invitation may reach a stranger. */
export const signInMail = ({
  invited,
  organization,
  url,
}: {
  readonly invited: boolean;
  readonly organization: string;
  readonly url: string;
}): SignInMail => {
  const name = plainName(organization);
  const lines = invited
    ? [`Você foi convidado para a organização ${name}.`, 'Para aceitar o convite, abra este link em até 7 dias:']
    : [`Você pediu para entrar na organização ${name}.`, 'Para entrar, abra este link em até 15 minutos:'];
  return {
    subject: invited ? 'Convite para uma organização' : 'Seu link para entrar',
    text: [
      ...lines,
      '',
      url,
      '',
      'O link funciona uma única vez. Se você não esperava esta mensagem, ignore-a: nada acontece.',
    ].join('\n'),
  };
};
