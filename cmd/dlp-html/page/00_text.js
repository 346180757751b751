// Elements, numbers and commands as text. Text becomes a text node, never markup,
// so that no name in a profile can do anything.
function el(tag, attrs, ...children) {
	const e = document.createElement(tag);
	for (const k in attrs || {}) {
		if (k.startsWith('on'))
			e.addEventListener(k.slice(2), attrs[k]);
		else if (attrs[k] !== null && attrs[k] !== undefined && attrs[k] !== false)
			e.setAttribute(k, attrs[k] === true ? '' : attrs[k]);
	}
	for (const c of children.flat())
		if (c !== null && c !== undefined)
			e.append(c);
	return e;
}

const byId = id => document.getElementById(id);
const isSet = v => v !== null && v !== undefined && !Number.isNaN(v);
const minus = '-';	// what an unknown value is shown as

function digits(v, unit) {
	const a = Math.abs(v);
	return v.toFixed(a >= 100 ? 0 : a >= 10 ? 1 : 2) + ' ' + unit;
}

function ns(v) {
	if (!isSet(v) || v === 0)
		return v === 0 ? '0' : minus;
	const a = Math.abs(v);
	if (a >= 1e9)
		return (v / 1e9).toFixed(2) + ' s';
	if (a >= 1e6)
		return (v / 1e6).toFixed(2) + ' ms';
	return a >= 1e3 ? (v / 1e3).toFixed(1) + ' us' : v.toFixed(0) + ' ns';
}

// A round time: 5 ms.
function shortTime(v) {
	const a = Math.abs(v), [size, unit] = a >= 1e9 ? [1e9, ' s'] : a >= 1e6 ? [1e6, ' ms'] : a >= 1e3 ? [1e3, ' us'] : [1, ' ns'];
	return Number((v / size).toPrecision(3)) + unit;
}

function bytes(v) {
	if (!isSet(v))
		return minus;
	for (const [size, unit] of [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']])
		if (Math.abs(v) >= size)
			return digits(v / size, unit);
	return v + ' B';
}

const percent = v => !isSet(v) ? minus : v > 0 && v < 0.05 ? '<0.1 %' : v.toFixed(1) + ' %';
const share = (part, whole) => whole > 0 ? 100 * part / whole : null;
const count = v => isSet(v) ? String(v).replace(/\B(?=(\d{3})+(?!\d))/g, ',') : minus;
const plain = v => isSet(v) ? String(v) : minus;
const number = v => !isSet(v) ? minus : v === 0 ? '0' : Math.abs(v) < 0.001 ? v.toExponential(1) : Math.abs(v) < 0.01 ? v.toPrecision(2) : Math.abs(v) >= 100 ? v.toFixed(0) :
    v.toFixed(Math.abs(v) >= 10 ? 1 : 2);

function engineering(v) {
	if (!isSet(v))
		return minus;
	for (const [size, unit] of [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M']])
		if (v >= size)
			return digits(v / size, unit);
	return count(v);
}

// Of a path the end, because paths of a profile begin alike; of another long name both ends.
function shortName(s, n) {
	if (s.length <= n)
		return s;
	const at = s.indexOf('/', s.length - n);
	if (at >= 0 && at < s.length - n / 2)
		return '…' + s.slice(at);
	return s.slice(0, s.includes('/') ? 0 : n >> 1) + '…' + s.slice(s.length - (s.includes('/') ? n : n >> 1) + 1);
}

// Modules of PyTorch without what all of them begin with.
const bare = s => s === null ? null : s.replace(/(^|\/)nn\.Module: /g, '$1');

// Both ends of a long text.
const middle = (s, n) => s.length <= n ? s : s.slice(0, n >> 1) + '…' + s.slice(s.length - (n >> 1) + 1);

// Columns of dlp-records(5) in words.
const columnWords = { what: 'what the thread did', what_ns: 'for', op: 'op', dir: 'direction', iter: 'step', api: 'call', regs: 'registers', flop: 'FLOPs',
	tc_why: 'why not, or slowly', dtype: 'type', used_bytes: 'memory in use', gpu_ns: 'GPU', overhead_ns: 'overhead', idle_ns: 'GPU idle',
	tid: 'thread', res: 'resource', n_seg: 'segments', code: 'line of code', line: 'line' };
// A direction as the terminal has it; filters take both.
const directionWords = { fprop: 'forward', bprop: 'backward' };
const dirWord = d => directionWords[d] || d;
const inWords = name => name === 'tc' ? tensorCores('Tensor Cores') : columnWords[name] || name;

// A word of a shell command.
function word(s) {
	return /^[A-Za-z0-9_.,=:\/@%+-]+$/.test(s) ? s : "'" + s.replace(/'/g, "'\\''") + "'";
}

// Puts new children in place of the old. The focus stays on the one at the same place,
// so that the next key still means what it meant.
function redraw(box, ...children) {
	const all = () => [...box.querySelectorAll('a, button, input, select, summary, canvas, [tabindex]')];
	const at = all().indexOf(document.activeElement);
	box.replaceChildren(...children);
	if (at >= 0 && all()[at])
		all()[at].focus({ preventScroll: true });
}

function say(text) {
	byId('live').textContent = text;
}

async function copy(text, button) {
	try {
		await navigator.clipboard.writeText(text);
	} catch (e) {
		const area = el('textarea', { 'aria-label': 'text to copy' });
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
	const was = button.textContent;
	button.textContent = 'copied';
	say('copied');
	setTimeout(() => { button.textContent = was; }, 1200);
}

// The command that prints what a view shows; null if none does.
function command(words, after = '') {
	if (!hasReport(words))
		return null;
	const text = words.filter(w => w !== null).map(word).join(' ') + after;
	return el('p', { class: 'command' }, el('code', null, '$ ' + text),
	    el('button', { type: 'button', onclick: e => copy(text, e.target) }, 'copy'));
}

// What the pointer is on, beside it; at: an event of the pointer, null hides it. The first
// line is the name.
function tip(at, lines = []) {
	const box = byId('tip'), said = lines.filter(isSet);
	box.hidden = at === null || said.length === 0;
	if (box.hidden)
		return;
	box.replaceChildren(el('strong', null, said[0]), ...said.slice(1).map(s => el('div', null, s)));
	const { offsetWidth: w, offsetHeight: h } = box, right = document.documentElement.clientWidth, low = window.innerHeight;
	box.style.left = Math.max(4, at.clientX + 14 + w < right ? at.clientX + 14 : at.clientX - 14 - w) + 'px';
	box.style.top = Math.max(4, at.clientY + 16 + h < low ? at.clientY + 16 : at.clientY - 12 - h) + 'px';
}
