// The state is the address: #v=ops&i=0-1&g=shape&f=words. So a link restores a view,
// and the browser's back button works.
const order = ['overview', 'steps', 'ops', 'kernels', 'layers', 'timeline', 'gaps', 'memory', 'roofline', 'communication', 'compare', 'about']
    .filter(v => views[v]);

function hashOf(s) {
	const p = new URLSearchParams();
	for (const k of ['v', 'i', 'g', 'f', 'r', 't', 'at', 'w', 's'])
		if (s[k])
			p.set(k, s[k]);
	return '#' + p;
}

function rangeName(r) {
	return r === null ? 'all' : r.from + '-' + r.to;
}

// A step is kept from view to view, the rest belongs to one.
function linkTo(change, label) {
	return el('a', { href: hashOf({ v: state.v, i: state.i, s: state.s, ...change }) }, label);
}

function go(change) {
	const next = change.v && change.v !== state.v ? { i: state.i, s: state.s, ...change } : { ...state, ...change };
	location.hash = hashOf(next);
}

// The timeline goes to the new range, too.
function changed(change) {
	go({ i: rangeName(change.range), w: '', t: '', at: '' });
}

const firstRange = () => detailSteps || evenSteps() || { from: steps[0].iter, to: steps[steps.length - 1].iter };

// The part of the range that has steps.
function within(from, to) {
	const own = steps.filter(s => s.iter >= from && s.iter <= to);
	return own.length > 0 ? { from: own[0].iter, to: own[own.length - 1].iter } : null;
}

function readHash() {
	const p = new URLSearchParams(location.hash.slice(1));
	const s = {};
	for (const [k, v] of p)
		s[k] = v;
	if (!order.includes(s.v))
		s.v = hasWork() || meta.memdev.rows === 0 ? 'overview' : 'memory';
	if (sources.length > 1)
		chooseSource(sources[Number(s.s)] || sources[0]);
	const m = /^(\d+)-(\d+)$/.exec(s.i || '');
	if (steps.length === 0 || s.i === 'all')
		range = null;
	else {
		const asked = m ? within(Math.min(m[1], m[2]), Math.max(m[1], m[2])) : null;
		range = asked || firstRange();
		s.noSteps = isSet(s.i) && asked === null;
	}
	return s;
}

let state = readHash(), turn = 0;

// What a view does with a key, wherever the focus is: true if it does anything.
let keysOfView = null;

// An address with steps that the profile does not have.
const rangeNotice = () => !state.noSteps ? [] : [el('p', { class: 'bad' }, 'The address asks for steps ' + state.i +
    ', which the profile does not have: this is ' + stepsInWords(range) + '.')];

const formatSaid = { kineto: 'torch.profiler', nsys: 'Nsight Systems', nvprof: 'nvprof', rocpd: 'rocprofv3', dldb: 'DLProf', 'pyprof-dict': 'PyProf', 'torch-memory': 'snapshot of PyTorch\'s memory' };

// Why a view has nothing to show, or null.
const missing = v => views[v].ofTimes && !timed() ? 'the profile has durations of kernels, and no times' :
    views[v].ofWork && !hasWork() ? 'the profile has no GPU work' : views[v].missing ? views[v].missing() : null;

function showNav() {
	redraw(byId('nav'), ...order.map(v => {
		const why = missing(v);
		// whole addresses: axe takes a # alone, scrolled out of sight, for a link to skip with
		return el('a', { href: location.href.replace(/#.*/, '') + hashOf({ v, i: state.i, s: state.s }), 'aria-current': v === state.v ? 'page' : null,
			'aria-disabled': why !== null ? 'true' : null, title: why && 'nothing to show: ' + why }, views[v].label);
	}));
	const nav = byId('nav'), at = nav.querySelector('[aria-current]');	// in sight where the views do not fit
	nav.scrollLeft += at.getBoundingClientRect().left - nav.getBoundingClientRect().left - (nav.clientWidth - at.offsetWidth) / 2;
}

// The sheet of keys and colors.
function showHelp() {
	const keyLine = ([k, what]) => el('tr', null, el('td', null, ...k.split(' ').flatMap(x => [el('kbd', null, x), ' '])), el('td', { class: 'wrap' }, what));
	const section = (name, list) => el('div', null, el('h3', null, name), el('table', null, el('caption', { class: 'hidden' }, name), el('tbody', null, ...list.map(keyLine))));
	const box = el('dialog', { 'aria-label': 'Keys and colors' }, el('p', { class: 'bar' }, el('h2', null, 'Keys and colors'), el('button', { type: 'button', onclick: () => box.close() }, 'close')),
		el('div', { class: 'columns' }, section('Everywhere', [['[ ]', 'the view before and after'], ['/', 'to the filter or the search'], ['?', 'this sheet'], ['Esc', 'ends a selection, closes this sheet']]),
		    section('Timeline', timelineKeys)),
		el('h3', null, 'Colors'), el('p', null, 'Work has a color; idle time is gray, the darker the more of it can be gained. What is chosen, or to be done, is pink.'), stripKey(),
		el('h3', null, 'Idle time by reason'), el('table', null, el('caption', { class: 'hidden' }, 'Idle time by reason'), el('tbody', null, ...Object.entries(gapMeanings).map(([c, what]) => el('tr', null, el('th', { scope: 'row' }, c), el('td', { class: 'wrap' }, what))))));
	if (document.querySelector('dialog[open]'))
		return;
	box.addEventListener('close', () => box.remove());
	document.body.append(box);
	box.showModal();
}

function drawAll(box) {
	for (const f of box.querySelectorAll('canvas'))
		if (f.draw)
			f.draw();
}

async function showView() {
	const mine = ++turn, main = byId('main'), view = views[state.v];
	main.setAttribute('aria-busy', 'true');
	keysOfView = null;
	tip(null);
	const fill = list => {
		redraw(main, el('h2', { id: 'view', tabindex: -1 }, view.label), ...rangeNotice(), ...cutNotice(view), ...list.filter(p => p !== null));
		drawAll(main);
	};
	// what a view can show before its tables are unpacked; the browser gets time to paint it
	const draft = async list => {
		if (mine === turn)
			fill(list);
		await new Promise(done => setTimeout(done));
	};
	let parts;
	try {
		const drawn = hasDetail() || view.detail === undefined || view.detail === 'part' || (view.detail === 'sums' && hasSums());
		parts = view.ofTimes && !timed() ? [el('p', null, 'The profile has durations of kernels, and no times: ' + view.label + ' needs them.')] :
		    view.ofWork && !hasWork() ? [el('p', null, noWork)] :
		    drawn ? await view.show(draft) : [];
	} catch (e) {
		parts = [el('p', { class: 'bad' }, 'This view failed: ' + e.message)];
		console.error(e);
	}
	if (mine !== turn)
		return;		// another view was asked for meanwhile
	const left = main.dataset.ready !== state.v && main.contains(document.activeElement);
	fill(parts);
	if (left)
		byId('view').focus();
	main.removeAttribute('aria-busy');
	main.dataset.ready = state.v;
	const detail = byId('detail');
	if (detail)
		detail.querySelector('h2').focus();
}

const shownNow = () => source + ' ' + rangeName(range);

// The strip and the facts change with the range and the rank alone.
function showAll(before = null) {
	if (before !== shownNow()) {
		showFacts();
		showStrip();
	}
	showNav();
	showView();
}

function showFacts() {
	const dev = rows('dev')[0], info = about().info, facts = [dev && dev.name, info.driver && 'driver ' + info.driver,
		info.cuda && 'CUDA ' + info.cuda, info.dialect && [formatSaid[info.dialect] || info.dialect, info.recorder].filter(isSet).join(' ')];
	byId('facts').textContent = byId('facts').title = facts.filter(isSet).join(' · ');
}

function showHead() {
	byId('title').textContent = byId('title').title = meta.title;
	byId('help').onclick = showHelp;
	const bad = [];
	if (!meta.complete)
		bad.push('The profile is incomplete: its end is missing.');
	if (meta.left_out > 0)
		bad.push('Only the first of several profiles is shown; ' + count(meta.left_out) + ' records of the others are left out.');
	const unread = [meta, ...(meta.other ? [meta.other] : [])].reduce((n, m) => n + (m.notes.bad_rows || 0), 0);
	if (unread > 0)
		bad.push(count(unread) + (unread === 1 ? ' row' : ' rows') + ' of the file cannot be read, so work is missing here: sums are too small, and idle time is too long.');
	if (isSet(meta.info.times))
		bad.push('This profile has durations of kernels, and no times: when the GPU idles, what the CPU did and what waited is not known.');
	for (const p of document.querySelectorAll('header .bad'))
		p.remove();	// of a page that was saved while it was open
	const sayBad = b => byId('strip').after(el('p', { class: 'bad' }, b));
	bad.forEach(sayBad);
	allRead.then(() => {
		const all = Object.keys(meta.tables).flatMap(t => Object.keys(meta.tables[t].cols).map(c => t + '.' + c));
		const has = new Set([...document.querySelectorAll('script.dlp-col')].map(e => e.dataset.c)), n = all.filter(c => !has.has(c)).length;
		if (n > 0 || !byId('dlp-end'))
			sayBad('This copy of the page is not complete' + (n > 0 ? ': ' + n + ' of ' + all.length + ' columns of data are missing' : '') +
			    '. It was cut off, or a browser saved it while it was open: copy the file itself, or make it again.');
	});
}

window.addEventListener('hashchange', () => {
	const before = shownNow();
	state = readHash();
	showAll(before);
});
let resized = null;
window.addEventListener('resize', () => {
	clearTimeout(resized);
	resized = setTimeout(() => showAll(), 150);
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
	colorsRead.clear();
	showAll();
});

// Paper has its own width and is white, and nobody can open there what is folded.
function print(on) {
	if (paper.on === on)
		return;
	paper.on = on;
	document.documentElement.classList.toggle('paper', on);
	for (const d of document.querySelectorAll(on ? 'details:not([open])' : 'details.unfolded')) {
		d.open = on;
		d.classList.toggle('unfolded', on);
	}
	colorsRead.clear();
	drawAll(document);
}
window.addEventListener('beforeprint', () => print(true));
window.addEventListener('afterprint', () => print(false));
matchMedia('print').addEventListener('change', e => print(e.matches));
window.addEventListener('keydown', e => {
	if (e.target.matches('input, select, textarea') || e.ctrlKey || e.metaKey || e.altKey)
		return;
	const at = order.indexOf(state.v), field = byId('filter');
	if (document.querySelector('dialog[open]'))
		return;
	if (e.key === '?')
		showHelp();
	else if (keysOfView && keysOfView(e))
		e.preventDefault();
	else if (e.key === '[' || e.key === ']')
		go({ v: order[(at + (e.key === ']' ? 1 : order.length - 1)) % order.length] });
	else if (e.key === '/' && field) {
		e.preventDefault();
		field.focus();
	}
});
showHead();
showAll();
