// A table that people sort, read and copy. cols: { label, get, show, num, title,
// exact }; get is the exact value, which stands in the tooltip and in CSV, show its
// text. Of many rows the first are drawn, and a button draws more.
const drawnAtFirst = 100;

function csvText(v) {
	if (!isSet(v))
		return minus;
	let s = String(v);
	if (typeof v === 'string' && s !== minus && /^[=+\-@\t\r]/.test(s))
		s = "'" + s;	// a spreadsheet would take it for a formula
	return /[",\r\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
}

function toCsv(cols, list) {
	return [cols.map(c => csvText(c.name || c.label)).join(','),
		...list.map(r => cols.map(c => csvText(c.get(r))).join(','))].join('\n') + '\n';
}

function cell(c, r, onRow) {
	const v = c.get(r), s = c.show ? c.show(v, r) : plain(v);
	const full = isSet(v) && String(v) !== s ? (c.unit ? v + ' ' + c.unit : String(v)) : null;
	const inside = onRow ? el('button', { type: 'button', class: 'row',
		onclick: () => onRow(r) }, s) : s;
	return el('td', { class: c.num ? 'num' : c.wrap ? 'wrap' : 'text', title: full || (c.num ? null : s) }, inside);
}

function compare(c) {
	return (a, b) => {
		const x = c.get(a), y = c.get(b);
		if (!isSet(x) || !isSet(y))
			return isSet(x) - isSet(y);
		return x < y ? -1 : x > y ? 1 : 0;
	};
}

// The first n rows in the order of a column; of many rows only these are sorted.
function firstRows(col, list, up, n) {
	const by = compare(col), order = up ? by : (a, b) => by(b, a);
	let few = list;
	if (col.num && list.length > 20 * n) {
		const keys = Float64Array.from(list, r => isSet(col.get(r)) ? col.get(r) : -Infinity);
		const sorted = keys.slice().sort(), edge = up ? sorted[n - 1] : sorted[list.length - n];
		few = list.filter((r, i) => up ? keys[i] <= edge : keys[i] >= edge);
	}
	return few.slice().sort(order).slice(0, n);
}

// o: caption, onRow, sort (a column's number), up (smallest first)
function dataTable(cols, list, o) {
	let sorted = isSet(o.sort) ? o.sort : -1, up = Boolean(o.up), drawn = drawnAtFirst;
	const head = el('tr'), body = el('tbody');
	const more = el('button', { type: 'button', onclick: () => { drawn *= 10; draw(); } });
	const csv = el('button', { type: 'button', onclick: e => copy(toCsv(cols, rowsFrom(list.length)), e.target) },
	    'copy as CSV');
	const size = el('span');

	function order(i) {
		up = i === sorted ? !up : !cols[i].num;
		sorted = i;
		drawn = drawnAtFirst;
		draw();
		say('sorted by ' + cols[i].label + (up ? ', smallest first' : ', largest first'));
	}

	const rowsFrom = n => sorted < 0 ? list.slice(0, n) : firstRows(cols[sorted], list, up, n);

	function draw() {
		redraw(head, ...cols.map((c, i) => el('th', { scope: 'col',
			class: c.num ? 'num' : 'text', title: c.title,
			'aria-sort': i === sorted ? (up ? 'ascending' : 'descending') : null },
		    el('button', { type: 'button', onclick: () => order(i) }, c.label))));
		redraw(body, ...rowsFrom(drawn).map(r =>
		    el('tr', null, ...cols.map((c, i) => cell(c, r, i === 0 ? o.onRow : null)))));
		more.hidden = list.length <= drawn;
		more.textContent = 'show more of the other ' + count(list.length - drawn);
		size.textContent = count(list.length) + (list.length === 1 ? ' row ' : ' rows ');
	}

	draw();
	return el('div', { class: 'table' },
	    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': o.caption },
		el('table', null, el('caption', { class: 'hidden' }, o.caption), el('thead', null, head), body)),
	    el('p', { class: 'under' }, size, csv, more));
}

// A label, its value, and what else is to be said of it.
const tile = (label, value, title) => el('div', { class: 'tile', title }, el('span', null, label),
    el('strong', null, value));
