// A table that people sort, read and copy. cols: { label, get, of, show, num, title, wrap,
// indent, part, like }; get is the exact value, which stands in the tooltip and in CSV; of: an
// array of these by row, where rows are numbers; show its text, part what a bar behind it
// shows of 100. Of many rows the first are drawn, and a button draws more. Columns without
// a value in any row are not drawn but named; CSV has them.
const drawnAtFirst = 25, narrow = matchMedia('(max-width: 600px)');

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

function cell(c, r, onRow, room) {
	const v = c.get(r), s = c.show ? c.show(v, r) : plain(v);
	const full = isSet(v) && String(v) !== s ? (c.unit ? v + ' ' + c.unit : String(v)) : null;
	const text = c.num ? s : c.wrap ? bare(s) : shortName(bare(s), c.room || room);
	const inside = onRow ? el('button', { type: 'button', class: 'row',
		onclick: () => onRow(r) }, text) : text;
	const td = el('td', { class: c.num ? 'num' : c.wrap ? 'wrap' : text.length > 22 ? 'text long' : 'text', title: full || (c.num ? null : s) }, inside);
	if (c.indent)
		td.style.paddingLeft = c.indent(r) * (narrow.matches ? 0.5 : 1.2) + 'em';
	const part = typeof c.part === 'function' ? c.part(r) : v;
	if (c.part && part > 0)
		td.style.backgroundSize = Math.min(100, part) + '% 1.3em';
	td.classList.toggle('part', Boolean(c.part));
	td.classList.toggle('indent', Boolean(c.indent));
	return td;
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
	if (!col.num || list.length <= 20 * n)
		return Array.from(list).sort(order).slice(0, n);
	let best = [], edge = -Infinity;	// the n-th best so far
	for (let j = 0; j < list.length; j++) {
		const r = list[j], v = col.of ? col.of[r] : col.get(r), key = isSet(v) ? (up ? -v : v) : up ? Infinity : -Infinity;
		if (best.length >= n && key <= edge)
			continue;
		best.push({ r, key });
		if (best.length >= 4 * n || best.length === n) {
			best = best.sort((a, b) => a.key < b.key ? 1 : a.key > b.key ? -1 : 0).slice(0, n);
			edge = best[n - 1].key;
		}
	}
	return best.map(b => b.r).sort(order).slice(0, n);
}

// Times, sizes and shares have their unit in the heading: that of the greatest value.
const unitsOf = new Map([[ns, [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']]], [bytes, [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'bytes']]], [percent, [[1, '%']]]]);

function withUnit(c, list) {
	if (c.label === 'direction')
		return { ...c, show: d => plain(dirWord(d)) };
	if (!unitsOf.has(c.show))
		return c;
	const like = c.like || c, of = r => like.of ? like.of[r] : like.get(r);
	let most = 0;
	// of very many rows some tell the unit
	for (let j = 0, every = Math.ceil(list.length / 20000); j < list.length; j += every) {
		const v = of(list[j]);
		if (Math.abs(v) > most)
			most = Math.abs(v);
	}
	// a smaller unit where most of the values are small
	const units = unitsOf.get(c.show), fits = units.findIndex(u => most >= u[0]), mid = median(Array.from(list.slice(0, 200), r => Math.abs(of(r))));
	const small = fits >= 0 && fits + 1 < units.length && mid > 0 && mid < 0.05 * units[fits][0] && most < 100 * units[fits][0];
	const [size, name] = units[fits < 0 ? Math.min(1, units.length - 1) : fits + small];
	const places = c.show === percent || most / size >= 100 ? 1 : size === 1 ? 0 : most / size >= 10 ? 2 : 3, least = 0.5 * 10 ** -places;
	const shown = v => !isSet(v) ? minus : v === 0 ? '0' : Math.abs(v) / size < least ? '<' + 10 ** -places : (v / size).toFixed(places);
	return { ...c, show: c.sign ? v => (v > 0 && v / size >= least ? '+' : '') + shown(v) : shown, label: name !== '%' ? c.label + ', ' + name : c.label.includes('%') ? c.label : c.label + ', %' };
}

// o: caption, onRow, sort (a column's number), up (smallest first), room (letters of a name),
// few (so many columns are drawn; CSV has all, also those with csv), look (the class of a row),
// more (unpacks what CSV alone has)
function dataTable(all, list, o) {
	const some = all.filter((c, i) => i === 0 || c.csv || list.length === 0 || !c.none && list.some(r => isSet(c.get(r)))), dark = all.filter(c => !some.includes(c));
	const shown = some.filter(c => !c.csv).slice(0, o.few), cols = shown.map(c => withUnit(c, list));
	let sorted = isSet(o.sort) ? shown.indexOf(all[o.sort]) : -1, up = Boolean(o.up), drawn = drawnAtFirst;
	const room = narrow.matches ? 44 : o.room || 60;
	const head = el('tr'), body = el('tbody');
	const more = el('button', { type: 'button', onclick: () => { drawn *= 10; draw(); } });
	const csv = el('button', { type: 'button', onclick: async e => { await (o.more && o.more()); copy(toCsv(all, rowsFrom(list.length)), e.target); } },
	    'copy as CSV');
	const size = el('span');

	function order(i) {
		up = i === sorted ? !up : !cols[i].num;
		sorted = i;
		drawn = drawnAtFirst;
		draw();
		say('sorted by ' + cols[i].label + (up ? ', smallest first' : ', largest first'));
	}

	const rowsFrom = n => sorted < 0 ? Array.from(list.slice(0, n)) : firstRows(shown[sorted], list, up, n);

	function draw() {
		redraw(head, ...cols.map((c, i) => el('th', { scope: 'col',
			class: c.num ? 'num' : 'text', title: c.title,
			'aria-sort': i === sorted ? (up ? 'ascending' : 'descending') : null },
		    el('button', { type: 'button', onclick: () => order(i) }, c.label))));
		redraw(body, ...rowsFrom(drawn).map(r =>
		    el('tr', { class: o.look ? o.look(r) : null }, ...cols.map((c, i) => cell(c, r, i === 0 ? o.onRow : null, room)))));
		more.hidden = list.length <= drawn;
		more.textContent = 'show more';
		size.textContent = (list.length > drawn ? count(drawn) + ' of ' : '') + count(list.length) + (list.length === 1 ? ' row ' : ' rows ');
	}

	draw();
	return el('div', { class: 'table' },
	    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': o.caption },
		el('table', null, el('caption', { class: 'hidden' }, o.caption), el('thead', null, head), body)),
	    el('p', { class: 'under' }, size, csv, more, dark.length > 0 ? el('span', null, 'no value in any row: ' + dark.map(c => c.label).join(', ')) : null));
}

// A label, its value, and what else is to be said of it.
const tile = (label, value, title, missing) => el('div', { class: 'tile', title }, el('span', null, label),
    el('strong', null, value), value === minus && missing ? el('span', null, missing) : null);
