// SPDX-License-Identifier: Apache-2.0
// A table that a reader can sort by its columns and download as CSV.
import {breakable, download, h} from "./dom";
import {inOrder, integer, missing, plural} from "./format";

export interface Column<Row> {
  label: string;
  unit?: string;
  /** Where cells show their own: that of the value. */
  unitInCsv?: string;
  title?: string;
  numeric?: boolean;
  /** For long texts. */
  wraps?: boolean;
  /** What is sorted and written to CSV. */
  value: (row: Row) => number | string | undefined;
  /** What is sorted, where that differs. */
  order?: (row: Row) => number | string | undefined;
  /** What is shown, where that differs. */
  show?: (row: Row) => string | Node;
  /** What must be said of the value: shown below it, and a column of its own in CSV. */
  remark?: (row: Row) => string | undefined;
  /** What stands behind it in CSV, where a cell shows more than its value. */
  inCsv?: Column<Row>[];
}

function compare(a: number | string | undefined, b: number | string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  return typeof a === "number" && typeof b === "number" ? a - b : inOrder(String(a), String(b));
}

/** A column of what is assumed; none where that is the same for all rows. */
export function assuming<Row>(rows: Row[], assumed: (row: Row) => string): Column<Row>[] {
  return rows.some((row) => assumed(row) !== "") ? [{
    label: "Assuming", value: (row) => assumed(row) || undefined, show: (row) => h("span", {class: "broken"}, assumed(row) || missing),
  }] : [];
}

/** Of rows that a reader cannot tell apart, the first: runs with several seeds may have the same answer. */
export function distinct<Row>(columns: Column<Row>[], rows: Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const cells = JSON.stringify(columns.map((column) => column.value(row) ?? null));
    return !seen.has(cells) && seen.add(cells);
  });
}

/** Widths, in characters, below which no column of texts as long falls: they would be broken into too many lines. */
const narrowest = {numeric: 10, text: 16, wraps: 32};
const ofCharacter = {plain: 0.8, bold: 0.95};  // widths of "0" in a bold heading

/** In widths of "0" of the heading; names of rows, in the first column, are bold as well. */
function leastWidth<Row>({label, unit, numeric, wraps, value, show}: Column<Row>, rows: Row[], namesRows: boolean): number {
  const most = narrowest[numeric ? "numeric" : wraps ? "wraps" : "text"];
  const heading = Math.max(label.length, unit?.length ?? 0);
  const longest = numeric || heading >= most ? heading : rows.reduce((length, row) => Math.max(length, String(value(row) ?? "").length), heading);
  const ofSample = namesRows && show !== undefined ? 7 : 0;  // a design's line and mark, before its name
  return ofCharacter[namesRows ? "bold" : "plain"] * Math.min(longest, most) + ofSample;
}

const count = (shown: HTMLTableElement, counts: (row: HTMLTableRowElement) => boolean) =>
    [...shown.tBodies].reduce((sum, body) => sum + [...body.rows].filter(counts).length, 0);

/** A frame in which what is wider than the page, or very long, scrolls, and says so. */
function scrolling(caption: string, content: HTMLTableElement, headers: HTMLElement[]): HTMLElement {
  const told = h("p", {class: "note", hidden: true});
  const update = () => {
    const [left, right] = [frame.scrollLeft, frame.scrollLeft + frame.clientWidth];
    const first = headers[0], stays = first !== undefined && first.offsetLeft >= left;
    const seenFrom = stays ? first.offsetLeft + first.offsetWidth : left;
    const before = headers.filter((header) => header.offsetLeft < seenFrom - 1 && !(stays && header === first)).length;
    const after = headers.filter((header) => header.offsetLeft + header.offsetWidth > right + 1).length;
    const [top, bottom] = [frame.scrollTop + (content.tHead?.offsetHeight ?? 0), frame.scrollTop + frame.clientHeight];
    const above = count(content, (row) => row.offsetTop < top - 1);
    const below = count(content, (row) => row.offsetTop + row.offsetHeight > bottom + 1);
    frame.classList.toggle("more-left", before > 0);
    frame.classList.toggle("more-right", after > 0);
    told.hidden = before + after + above + below === 0;
    told.textContent = [
      before > 0 && `← ${plural(before, "more column")}`, after > 0 && `${plural(after, "more column")} →`,
      above > 0 && `↑ ${plural(above, "more row")}`, below > 0 && `↓ ${plural(below, "more row")}`,
    ].filter((part) => part !== false).join(" · ");
  };
  const frame = h("div", {class: "table-frame", tabindex: 0, role: "region", "aria-label": caption, scroll: update}, content);
  new ResizeObserver(update).observe(frame);
  return h("div", {class: "table"}, frame, told);
}

const mostRows = 5000;  // shown at once: browsers take seconds for more

export function table<Row>(caption: string, columns: Column<Row>[], rows: Row[]): HTMLElement {
  const body = h("tbody");
  const headers: HTMLTableCellElement[] = [];
  let sorted = -1;
  let descending = false;

  const rowOf = (row: Row) => h("tr", {}, ...columns.map((column, i) => {
    const content = column.show?.(row) ?? plainCell(column.value(row)), remark = column.remark?.(row);
    return h(i === 0 ? "th" : "td", {class: column.numeric ? "numeric" : "", scope: i === 0 ? "row" : undefined},
             ...(typeof content === "string" && !column.numeric ? breakable(content) : [content]),
             remark !== undefined && h("small", {class: "remark"}, remark));
  }));
  const fill = (ordered: Row[]) => {
    const shown = document.createDocumentFragment();
    for (const row of ordered.slice(0, mostRows)) shown.append(rowOf(row));
    body.replaceChildren(shown);
  };

  const sortBy = (index: number) => {
    descending = sorted === index && !descending;
    sorted = index;
    headers.forEach((header, i) =>
        header.setAttribute("aria-sort", i !== index ? "none" : descending ? "descending" : "ascending"));
    const value = columns[index]?.order ?? columns[index]?.value ?? (() => undefined);
    const known = rows.filter((row) => value(row) !== undefined);
    known.sort((a, b) => compare(value(a), value(b)) * (descending ? -1 : 1));
    fill([...known, ...rows.filter((row) => value(row) === undefined)]);
  };

  columns.forEach((column, i) => headers.push(
      h("th", {scope: "col", class: column.numeric ? "numeric" : "", "aria-sort": "none", title: column.title},
        h("button", {type: "button", class: "sort", style: `--least: ${leastWidth(column, rows, i === 0)}ch`, click: () => sortBy(i)},
          h("span", {}, column.label), column.unit !== undefined && h("small", {}, ...breakable(column.unit))))));
  fill(rows);
  const framed = scrolling(caption, h("table", {}, h("caption", {class: "unseen"}, caption), h("thead", {}, h("tr", {}, ...headers)), body), headers);
  if (rows.length > mostRows) framed.append(h("p", {class: "settings"}, `The first ${integer(mostRows)} of ${integer(rows.length)} rows; the CSV holds all.`));
  return framed;
}

const plainCell = (value: number | string | undefined) => (value === undefined ? missing : String(value));

export function csv<Row>(shown: Column<Row>[], rows: Row[]): string {
  const columns = shown.flatMap((column): Column<Row>[] => {
    const remark = column.remark ?? (() => undefined);
    const remarks = rows.some((row) => remark(row) !== undefined) ? [{label: `${column.label}: remark`, value: remark}] : [];
    return [column, ...remarks, ...(column.inCsv ?? [])];
  });
  const quote = (cell: number | string | undefined) =>
      cell === undefined ? "" : /[",\n\r]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
  const heading = columns.map(({label, unit, unitInCsv}) => {
    const ofValue = unitInCsv ?? unit;
    return quote(ofValue === undefined ? label : `${label} [${ofValue}]`);
  });
  return [heading, ...rows.map((row) => columns.map((column) => quote(column.value(row))))]
      .map((cells) => cells.join(",")).join("\r\n") + "\r\n";
}

export function csvButton<Row>(name: string, columns: () => Column<Row>[], rows: () => Row[]): HTMLElement {
  const file = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.csv`;
  return h("button", {
    type: "button", class: "quiet", title: `Download the figures as ${file}`,
    click: () => download(file, "text/csv;charset=utf-8", csv(columns(), rows())),
  }, "CSV");
}
