// Gaps: when the GPU idles, and why.
const gapMeanings = {
	queued: 'the work had been launched before: the GPU was about to start it, or waited for an event',
	startup: 'one long API call, such as the first one, which loads code or makes a context',
	'launch-bound': 'ops and calls of the thread take the time: the GPU is faster than its launches',
	sync: 'the thread waited for the GPU',
	'after-sync': 'the thread had waited for the GPU, so nothing could be launched ahead',
	'host-only': 'no call for more than half of the time: the program\'s own code',
	dataloader: 'the thread waited for data',
	'comm-wait': 'the thread waited for communication',
	allocation: 'the thread allocated or freed memory',
	'module-load': 'the thread loaded code for the GPU',
	'graph-update': 'the thread built or changed a CUDA graph',
	'os-wait': 'the thread waited in the operating system',
	profiler: 'the profiler itself',
	unknown: 'several of these, or no call launched the work',
	end: 'no work follows',
};

// The columns that dlp gaps prints.
const gapColumns = ['dur_ns', 'class', 'iter', 'did', 'what', 'what_ns', 'before', 'after', 'dev', 'phase', 'layer', 'op', 'start_ns', 'launch_ns', 'pid', 'tid', 'what_tid', 'whole_ns', 'range', 'code'];

views.gaps = {
	label: 'Gaps',
	missing: () => meta.tables.gap.rows === 0 && !meta.cut ? 'no idle time between GPU work is known' : null,
	ofWork: true,
	ofTimes: true,
	detail: 'all',
	async show(draft) {
		const f = parseFilter(state.f || ''), t = await table('gap', ['dur_ns', 'class', ...(range === null ? [] : ['iter'])]), all = rowsInRange(t);
		const sums = groupBy(t, all, ['class'], t.dur_ns), total = sums.reduce((s, g) => s + g.sum, 0);
		const cols = [{ label: 'reason', name: 'class', get: g => g.key[0], show: idleWord }, ...sumColumns([], total, range === null ? 0 : stepsInRange().length),
			{ label: 'meaning', wrap: true, get: g => gapMeanings[g.key[0]] }];
		cols[2] = { ...cols[2], label: '% of idle time' };
		const top = [el('p', null, 'Times in which nothing runs on a GPU, ' + ns(total) + ' in all, by what the thread did that launched the next work.'),
			dataTable(cols, sums, { caption: 'Idle time by class', onRow: g => go({ f: 'class=' + g.key[0] }) }), report(['gaps', '-s'])];
		if (t.n > 1e5)
			await draft(top);
		await table('gap', ['iter', 'whole_ns', 'what', 'what_ns', 'before', 'after', 'op', 'start_ns', 'code', ...(f.words.length > 0 ? ['range'] : []), ...f.where.map(w => w[0])]);
		const unknown = f.where.map(w => w[0]).filter(c => !gapColumns.includes(c));
		let list = filterRows(t, all, f);
		const named = ['what', 'range', 'before', 'after', 'op'];
		if (f.more > 0)
			list = list.filter(i => t.dur_ns[i] >= f.more);
		if (f.words.length > 0)
			list = list.filter(i => f.words.every(w => named.some(c => (text(t[c], i) || minus).toLowerCase().includes(w))));
		const col = (label, c, show, unit) => {
			const v = t[c];
			return { label, name: c, none: !(c in meta.tables.gap.cols), num: !v.d, unit, show, of: v.d ? null : v, get: v.d ? i => text(v, i) : i => Number.isNaN(v[i]) ? null : v[i] };
		};
		// columns of CSV alone are unpacked when it is copied
		const late = (label, c) => ({ label, name: c, csv: true, get: i => text(t[c], i) }), more = () => table('gap', ['range', 'phase']);
		// letters of a name, so that all columns are in sight at 1280 pixels
		const few = 'code' in meta.tables.gap.cols ? 15 : 20, dur = t.dur_ns, long = t.whole_ns, pieces = list.some(i => long[i] > dur[i]);
		const rowCols = [col('time', 'dur_ns', ns, 'ns'), { ...col('reason', 'class', idleWord), room: 26 }, ...(steps.length > 0 ? [{ ...col('step', 'iter', plain), csv: true }] : []), col('start', 'start_ns', (v, i) => clock(v, t.iter[i]), 'ns'), { ...col('what the thread did', 'what'), room: few + 3 },
			col('for', 'what_ns', ns, 'ns'), ...(pieces ? [{ ...col('of the whole gap', 'whole_ns', ns, 'ns'), label: 'whole gap', title: 'as long as it was before it was cut where a step begins; "for" is a part of this' }] : []), late('in range', 'range'), { ...col('before', 'before'), room: few }, { ...col('after', 'after'), room: few },
			late('phase', 'phase'), { ...col('op', 'op'), room: few }, { ...col('line', 'code'), room: 22 }];
		return [...top, el('h3', null, 'Each gap'),
			pieces ? el('p', { class: 'quiet' }, 'A gap that crosses the beginning of a step is a row for each of its pieces. What the thread did is of the whole gap, which stands beside it.') : null,
			filterField('words, or class=launch-bound, phase=forward, >1ms'),
			dataTable(rowCols, list, { caption: 'Gaps', more, sort: 0, room: 32, onRow: views.timeline ? i => go({ v: 'timeline', at: String(t.start_ns[i]) }) : null }),
			...(unknown.length > 0 ? [el('p', null, 'The command does not filter by ' + unknown.join(', ') + '.')] : []),
			report(['gaps', '-n', '0'], awkFilter({ ...f, where: f.where.filter(w => gapColumns.includes(w[0])) }, named, 'dur_ns'))];
	}
};
