import type { Page } from 'playwright-core';
import { RARE_NAME } from './audience-base.ts';
import { CARDS, LIST_NAME, LISTS, MEMBERS, STEPS, type World } from './console-base.ts';
import { figure } from './report.ts';

export const ROWS = '.data-table tbody tr';
const TIMELINE = '.mantine-Timeline-item';
const CARD = '[data-card]';
const NODE = '.react-flow__node';
const PERSON = `${ROWS} a[href*="/contacts/"]`;

const inNavigation = (name: string) => (page: Page) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
const firstRow = (page: Page) => page.locator(ROWS).first().getByRole('link').first().click();
const linkTo = (path: string) => (page: Page) => page.locator(`a[href="/console${path}"]`).first().click();

/** A page that is opened by a link. */
export interface Opening {
  readonly what: string;
  /** Where one comes from. */
  readonly from: string;
  readonly press: (page: Page) => Promise<void>;
  /** What shows that it is there. */
  readonly shown: string;
}
export const openingsOf = ({ list, segment, contact, board, journey }: World): readonly Opening[] => {
  const fromMenu = (what: string, name: string, shown = ROWS): Opening => ({
    what,
    from: '/settings',
    press: inNavigation(name),
    shown,
  });
  return [
    fromMenu('the overview', 'Visão geral', '[data-chart] path[data-channel]'),
    fromMenu('messages', 'Mensagens'),
    fromMenu('contacts', 'Contatos'),
    fromMenu(`${figure(LISTS)} lists`, 'Listas'),
    fromMenu('segments', 'Segmentos'),
    fromMenu('the composer', 'Nova mensagem', 'textarea'),
    { what: `a list of ${figure(MEMBERS)}`, from: `/lists?q=${LIST_NAME}`, press: linkTo(list), shown: PERSON },
    { what: 'a segment of all', from: '/segments', press: linkTo(segment), shown: PERSON },
    { what: 'a conversation', from: '/contacts', press: linkTo(contact), shown: TIMELINE },
    { what: 'a message', from: '/messages', press: firstRow, shown: TIMELINE },
    { what: `a board of ${figure(CARDS)} cards`, from: '/pipelines', press: linkTo(board), shown: CARD },
    { what: `a journey of ${figure(STEPS)} steps`, from: '/journeys', press: linkTo(journey), shown: NODE },
  ];
};

/** What a person does on a page. */
export interface Interaction {
  readonly what: string;
  readonly at: string;
  readonly act: (page: Page) => Promise<void>;
  /** What is there before; rows of a table unless it is given. */
  readonly ready?: string;
}
const PAUSE_MS = 60;
const type = (field: (page: Page) => ReturnType<Page['locator']>, text: string) => async (page: Page) => {
  await field(page).click();
  await page.keyboard.type(text, { delay: PAUSE_MS });
};
const search = (text: string) => type((page) => page.getByRole('searchbox'), text);
const nextPage = (page: Page) => page.getByRole('button', { name: 'Próxima página' }).click();

/** A card is lifted, taken to the next stage and back, and let go where it was. */
const liftCard = async (page: Page) => {
  await page.locator(CARD).first().focus();
  for (const key of ['Space', 'ArrowRight', 'ArrowLeft', 'Escape']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(3 * PAUSE_MS);
  }
};

const ofJourney = (journey: string): readonly Interaction[] => [
  {
    what: `a journey of ${figure(STEPS)} steps: choosing one`,
    at: journey,
    act: (page) => page.locator('[data-outline] button').nth(2).click(),
    ready: NODE,
  },
  {
    what: `a journey of ${figure(STEPS)} steps: typing a text`,
    at: journey,
    act: async (page) => {
      await page.locator('[data-outline] button').first().click();
      await type((on) => on.getByLabel('Texto da mensagem'), 'Olá de novo')(page);
    },
    ready: NODE,
  },
];

export const interactionsOf = ({ contact, board, journey }: World): readonly Interaction[] => [
  { what: 'messages: the next page', at: '/messages', act: nextPage },
  {
    what: 'messages: typing in a filter',
    at: '/messages',
    act: type((page) => page.getByLabel('Campanha'), 'spring'),
  },
  { what: 'messages: opening a row', at: '/messages', act: firstRow },
  { what: 'contacts: typing a search', at: '/contacts', act: search(RARE_NAME) },
  { what: 'contacts: the next page', at: '/contacts', act: nextPage },
  { what: 'contacts: opening a row', at: '/contacts', act: firstRow },
  { what: `${figure(LISTS)} lists: typing a name`, at: '/lists', act: search('loja 09') },
  { what: 'lists: opening a row', at: '/lists', act: firstRow },
  { what: 'segments: typing a search', at: '/segments', act: search('todos') },
  {
    what: "a segment's builder: typing a value",
    at: '/segments/new',
    act: type((page) => page.getByLabel('Valor'), 'loja-sul'),
    ready: 'fieldset',
  },
  {
    what: 'a conversation: another part',
    at: contact,
    act: (page) => page.getByRole('tab', { name: 'Consentimento' }).click(),
    ready: TIMELINE,
  },
  {
    what: 'the composer: typing a text, with its preview',
    at: '/composer?to=%2B5511999990005',
    act: type((page) => page.locator('textarea').first(), 'Seu pedido chegou'),
    ready: 'textarea',
  },
  { what: `a board of ${figure(CARDS)} cards: lifting one by the keyboard`, at: board, act: liftCard, ready: CARD },
  ...ofJourney(journey),
];
