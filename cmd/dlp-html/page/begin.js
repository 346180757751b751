// The viewer is packed. This unpacks it and adds it as a script, which the browser runs
// because the page names its hash.
(async () => {
	const packed = Uint8Array.from(atob(document.getElementById('dlp-code').textContent), c => c.charCodeAt(0));
	const code = document.createElement('script');
	code.textContent = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
	document.body.append(code);
})().catch(() => {
	document.getElementById('main').textContent = 'This browser is too old: Chromium 80, Firefox 113 and Safari 16.4 can unpack the page.';
});
