/* See frame.h. */
#include "frame.h"
#include "esc.h"
#include "utf8_fix.h"

/* ; separates frames, a line feed stacks; no terminal needs the others. */
static char
safe(char c)
{
	if (c == ';')
		return ':';
	if (c == '\t' || c == '\n' || c == '\r')
		return ' ';
	return (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
}

static void
put_one(struct buf *stack, const char *s, size_t n)
{
	size_t i;

	if (n == 0)
		return;
	if (stack->len > 0)
		buf_putc(stack, ';');
	for (i = 0; i < n; i++)
		buf_putc(stack, safe(s[i]));
}

void
frame_put(struct buf *stack, const char *raw, size_t n, bool path)
{
	static struct buf text, fixed;
	size_t i, from = 0;

	buf_clear(&text);
	buf_clear(&fixed);
	esc_undo(&text, raw, n);
	utf8_fix(&fixed, text.s, text.len);
	for (i = 0; path && i < fixed.len; i++)
		if (fixed.s[i] == '/') {
			put_one(stack, fixed.s + from, i - from);
			from = i + 1;
		}
	put_one(stack, fixed.s + from, fixed.len - from);
}

static bool
of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.';
}

void
frame_finish(struct buf *stack)
{
	size_t i = stack->len;

	while (i > 0 && stack->s[i - 1] == ' ')
		stack->s[--i] = '_';
	while (i > 0 && of_number(stack->s[i - 1]))
		i--;
	while (i > 0 && i < stack->len && stack->s[i - 1] == ' ')
		stack->s[--i] = '_';
}
