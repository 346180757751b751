// The viewer is packed. This unpacks it and adds it as a script, which the browser runs
// because the page names its hash.
(async () => {
	const packed = Uint8Array.from(atob(document.getElementById('dlp-code').textContent), c => c.charCodeAt(0));
	const code = document.createElement('script');
	code.textContent = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
	document.body.append(code);
	code.remove();	// it has run; a page that a browser saves must not run it twice
})().catch(e => {
	document.getElementById('main').textContent = typeof DecompressionStream === 'undefined' ?
		'This browser is too old: Chromium 80, Firefox 113 and Safari 16.4 can unpack the page.' :
		'The page cannot be unpacked: it was cut off or changed on its way (' + e.message + '). Copy the file again, or make it again.';
});
