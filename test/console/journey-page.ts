import type { Page } from 'playwright-core';

/** The steps of a journey's drawing that are rendered. */
export const nodes = (page: Page) => page.locator('.react-flow__node');
/** A step of the drawing, by its key; in the list; and its settings. */
export const node = (page: Page, key: string) => page.locator(`.react-flow__node[data-id="${key}"]`);
export const outline = (page: Page, key: string) => page.locator(`[data-outline="${key}"]`);
export const panel = (page: Page, key: string) => page.locator(`[data-panel="${key}"]`);
