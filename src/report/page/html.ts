/** HTML whose every value is escaped: what a template puts in is text, unless it was made by a template itself. */

import { withoutControls } from '../../spec/controls.ts';

/** A piece of HTML. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | false | undefined | readonly Value[];

/** Text in, escaped for an element's content and for an attribute in double quotes; nothing for false and undefined. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const lines = dense(parts);
  return new Html(lines.map((part, i) => part + (i < values.length ? textOf(values[i]) : '')).join(''));
}

const known = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Templates are laid out for who reads the source: a page has no use for what they are indented by. */
function dense(parts: TemplateStringsArray): readonly string[] {
  const made = known.get(parts) ?? parts.map((part) => part.replaceAll(/\n\s*/g, '\n'));
  known.set(parts, made);
  return made;
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(textOf).join('') : escapeHtml(String(value));
}

/** Controls and halves of surrogate pairs have no place in a page. */
export function escapeHtml(text: string): string {
  return withoutControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Data for the page's script: JSON in which nothing can end the element or open a comment. */
export const jsonScript = (id: string, data: unknown): Html =>
  new Html(
    `<script type="application/json" id="${escapeHtml(id)}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`,
  );
