from ...cuda.nvtx import range_pop as _pop, range_push as _push  # as C++

_before, _after = [], []


class _Handle:
    def __init__(self, hooks, hook):
        self.hooks, self.hook = hooks, hook
        hooks.append(hook)

    def remove(self):
        self.hooks.remove(self.hook)


def register_module_forward_pre_hook(hook):
    return _Handle(_before, hook)


def register_module_forward_hook(hook, *, always_call=False):
    return _Handle(_after, hook)


class Module:
    def _apply(self, fn):
        for child in vars(self).values():
            if isinstance(child, Module):
                child._apply(fn)
        _push('aten::to')
        _pop()
        return self

    def cuda(self):
        return self._apply(None)

    def named_modules(self, prefix=''):
        yield prefix, self
        for name, child in vars(self).items():
            if isinstance(child, Module):
                yield from child.named_modules(
                    prefix + '.' + name if prefix else name)

    def __call__(self, *args):
        for hook in _before:
            hook(self, args)
        out = None
        try:
            out = self.forward(*args)
        finally:
            for hook in _after:
                hook(self, args, out)
        return out


class ModuleList(Module):
    def __init__(self, children):
        for i, child in enumerate(children):
            setattr(self, str(i), child)

    def __iter__(self):
        return iter(vars(self).values())
