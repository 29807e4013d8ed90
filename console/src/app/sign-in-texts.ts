import { defineTexts } from './texts.ts';

export const signInTexts = defineTexts(
  {
    title: 'Entrar',
    hint: 'Enviamos um link ao seu e-mail. Não há senha.',
    email: 'E-mail',
    ask: 'Enviar link',
    sent: 'Link a caminho',
    sentHint: (email: string) =>
      `Se ${email} tem uma conta, o link chega em instantes. Ele funciona uma única vez, por 15 minutos.`,
    testHint:
      'O ambiente de teste não envia e-mails. O link vem de quem opera o serviço; numa instalação local, está no log das funções.',
    another: 'Usar outro e-mail',
    withLink: 'O link funciona uma única vez. Ele abre a sessão de quem o recebeu: continue apenas se o pediu.',
    environment: (name: string) => `Ambiente: ${name}`,
    enter: 'Entrar com este link',
    refused: 'O link não funciona mais',
    refusedHint: 'Ele já foi usado ou expirou. Peça outro.',
  },
  {
    title: 'Sign in',
    hint: 'We mail you a link. There is no password.',
    email: 'E-mail',
    ask: 'Send link',
    sent: 'Link on its way',
    sentHint: (email: string) =>
      `If ${email} has an account, the link arrives in a moment. It works once, for 15 minutes.`,
    testHint:
      'The test environment mails nobody. The link comes from whoever operates the service; on a local machine it is in the log of the functions.',
    another: 'Use another e-mail',
    withLink: 'The link works once. It opens the session of whoever it was sent to: go on only if you asked for it.',
    environment: (name: string) => `Environment: ${name}`,
    enter: 'Sign in with this link',
    refused: 'The link does not work any more',
    refusedHint: 'It was used already, or has expired. Ask for another.',
  },
);
