// Sums by group, as dlp-agg makes them.
//	groupBy(t, rows, [columns], value)
// A row of the result: key (the texts of the columns), n, sum, max, min, first (the
// number of a row of the group). groups.at(j) is the group of the j-th of the rows,
// groups.made[groups.of[j]].

// A column as small numbers, from 0 for unknown.
function codes(col, n) {
	if (col.d)
		return { v: col.v, k: col.d.length + 1, of: v => v < 0 ? null : col.d[v] };
	const seen = new Map(), list = [], v = new Int32Array(n);
	let was = NaN, code = -1;
	for (let i = 0; i < n; i++) {
		const x = col[i];
		if (x !== was) {
			was = x;
			code = Number.isNaN(x) ? -1 : seen.get(x);
			if (code === undefined)
				seen.set(x, code = list.push(x) - 1);
		}
		v[i] = code;
	}
	return { v, k: list.length + 1, of: j => j < 0 ? null : list[j] };
}

// For each row of the list the number of its key, in the order in which they come.
function numbersOf(list, by) {
	const keys = new Float64Array(list.length), of = new Int32Array(list.length);
	let room = 1, n = 0;
	for (const c of by) {
		mix(keys, list, c.v, c.k);
		room *= c.k;
	}
	const few = room <= 1 << 21 ? new Int32Array(room) : null, many = new Map();
	let was = -1, is = -1;
	for (let j = 0; j < of.length; j++) {
		const key = keys[j];
		if (key !== was) {
			was = key;
			is = (few ? few[key] : many.get(key) || 0) - 1;
			if (is < 0) {
				is = n++;
				if (few)
					few[key] = n;
				else
					many.set(key, n);
			}
		}
		of[j] = is;
	}
	return { of, n };
}

function mix(keys, list, v, k) {
	for (let j = 0; j < list.length; j++)
		keys[j] = keys[j] * k + v[list[j]] + 1;
}

// The sum of a column for each of n groups; NaN where no row has a value.
function sumsBy(list, of, n, col) {
	const sum = new Float64Array(n).fill(NaN), known = col !== unknowns.get(col.length);
	for (let j = 0; known && j < list.length; j++) {
		const v = col[list[j]], at = of[j];
		if (v === v)	// not NaN
			sum[at] = sum[at] === sum[at] ? sum[at] + v : v;
	}
	return sum;
}

function edgesBy(list, of, n, longest, value) {
	const max = new Float64Array(n).fill(-Infinity), min = new Float64Array(n).fill(Infinity);
	for (let j = 0; j < list.length; j++) {
		const i = list[j], at = of[j];
		if (longest[i] > max[at])
			max[at] = longest[i];
		if (value[i] < min[at])
			min[at] = value[i];
	}
	return { max, min };
}

// Columns are added up one by one: a loop over few arrays is what browsers are fast at.
function groupBy(t, list, cols, value) {
	const by = cols.map(c => codes(t[c], t.n)), { of, n } = numbersOf(list, by), first = new Int32Array(n).fill(-1), rows = new Int32Array(n);
	const sum = sumsBy(list, of, n, value), { max, min } = edgesBy(list, of, n, t.sums ? t.max_ns : value, value);
	for (let j = 0; j < list.length; j++)
		if (rows[of[j]]++ === 0)
			first[of[j]] = list[j];
	const pieces = t.sums ? sumsBy(list, of, n, t.pieces) : rows, made = [];
	for (let g = 0; g < n; g++)
		made.push({ key: by.map(c => c.of(c.v[first[g]])), n: pieces[g], sum: sum[g] || 0, max: max[g], min: min[g], first: first[g] });
	const groups = made.slice().sort((a, b) => b.sum - a.sum || b.n - a.n);
	groups.of = of;
	groups.made = made;
	groups.at = j => made[of[j]];
	groups.add = (c, col) => sumsBy(list, of, n, col).forEach((v, g) => { made[g][c] = isSet(v) ? v : null; });
	return groups;
}

// The rows of the list with this value.
function rowsWith(list, v, want) {
	const out = new Int32Array(list.length);
	let n = 0;
	for (let j = 0; j < out.length; j++)
		if (v[list[j]] === want)
			out[n++] = list[j];
	return out.subarray(0, n);
}

// A column of op records for the rows of work.
async function ofOp(t, name) {
	const op = await table('op', ['op_id', name]), at = new Map(), col = op[name], from = op.op_id, ids = t.op_id;
	for (let i = 0; i < op.n; i++)
		at.set(from[i], col.v[i]);
	const v = new Int32Array(t.n);
	let was = NaN, is = -1;
	for (let i = 0; i < t.n; i++) {
		if (ids[i] !== was) {
			was = ids[i];
			is = at.has(was) ? at.get(was) : -1;
		}
		v[i] = is;
	}
	return { d: col.d, v };
}

// A filter: blank-separated terms. column=value or column:value looks at rows of
// work; >1ms at times of a group; other words at its names.
const filterNames = { why: 'tc_why', kernel: 'short', type: 'op' };

function parseFilter(s) {
	const f = { where: [], words: [], more: 0 };
	for (const term of s.toLowerCase().split(/\s+/).filter(x => x)) {
		const m = term.match(/^([a-z_]+)[=:](.+)$/), t = term.match(/^>([\d.]+)(ns|us|ms|s)$/);
		if (t)
			f.more = t[1] * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[t[2]];
		else if (m)
			f.where.push([filterNames[m[1]] || m[1], m[1] === 'dir' ? m[2].replace('forward', 'fprop').replace('backward', 'bprop') : m[2]]);
		else
			f.words.push(term);
	}
	return f;
}

function filterRows(t, list, f) {
	for (const [name, want] of f.where) {
		const c = t[name], known = c.d ? c.d.map(s => s.toLowerCase() === want) : null;
		if (known)	// - is unknown
			list = list.filter(i => c.v[i] < 0 ? want === minus : known[c.v[i]]);
		else
			list = list.filter(i => want === minus ? Number.isNaN(c[i]) : String(c[i]) === want);
	}
	return list;
}

const filterGroups = (groups, f) => groups.filter(g => g.sum >= f.more &&
    f.words.every(w => g.key.map(plain).join(' ').toLowerCase().includes(w)));

// The filter behind a report: awk on its rows. names: the columns in which words are
// looked for; time: that of a least time.
function awkFilter(f, names, time) {
	const quoted = s => '"' + s.replace(/[\\"]/g, '\\$&') + '"', column = c => '$c[' + quoted(c) + ']';
	const all = [...f.where.map(([c, want]) => 'tolower(' + column(c) + ') == ' + quoted(want)),
		...f.words.map(w => 'index(tolower(' + names.map(column).join(' " " ') + '), ' + quoted(w) + ')'),
		...(f.more > 0 ? [column(time) + ' >= ' + f.more] : [])];
	return all.length === 0 ? '' : ' | awk -F \'\\t\' ' +
	    word('NR == 1 { while (++i <= NF) c[$i] = i } NR == 1 || ' + all.join(' && '));
}

// Columns of a grouping as -g of a report names them, and its rows.
const columnNames = cols => cols.map(c => c === 'op.shapes' ? 'shapes' : c);

// The report of a grouping with a filter. Rows of one value of a column are those of a
// grouping by that column, too. time: the name of the report's column of times.
function filteredReport(name, by, f, time) {
	const cols = columnNames(groupings[by].cols), more = f.where.map(w => w[0]).filter(c => !cols.includes(c) && c !== 'dtype');
	if (more.length > 0 && by === 'kernel' && name === 'top')	// of kernels alone
		return [el('p', null, 'The command does not filter by ' + more.join(', ') + '.'), report([name, '-g', by, '-n', '0'])];
	const g = more.length > 0 ? [...cols, ...more].join(',') : by;
	return [report([name, ...(g === 'op' ? [] : ['-g', g]), '-n', '0'], awkFilter(f, name === 'roofline' ? [...cols, 'dtype'] : cols, time))];
}
