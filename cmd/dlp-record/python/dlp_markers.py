"""Markers for PyTorch programs that have none, by the hooks that PyTorch offers.

dlp-record --markers has Python load this module when a program imports torch;
python3 -m dlp_markers PROGRAM does the same by hand. The program is not
changed. These NVTX ranges are pushed:

    iteration N                from one step of the optimizer to the next (a
                               start/end range; the first begins with the first
                               forward pass, the last one never ends); without
                               an optimizer, a forward pass
    forward, backward, optimizer, dataload, setup (moving a module to the GPU)
    GPT2LMHeadModel, transformer, h.0, attn    the path of modules; a name is
                               relative to the module that called it
    aten::addmm, seq = 12, ... ops with their shapes, by emit_nvtx

Ranges of ops make a step that waits for its CPU up to three times as long. With
DLP_MARKERS=alternate only some steps have them: the first ones, and then
DLP_MARKERS_STEPS of them now and again. =ops marks all steps, =layers none.
With DLP_MARKERS_ARM nothing is marked until dlp-record --trigger asks for it.
Code that is compiled is left alone.
"""
import atexit
import contextlib
import ctypes
import functools
import importlib
import importlib.abc
import importlib.util
import os
import sys
import threading
import time
import types
import warnings
import weakref

_WRAPPERS = {'DistributedDataParallel', 'DataParallel', 'OptimizedModule',
             'FullyShardedDataParallel'}
_WRAPPER_PARTS = {'module', '_orig_mod', '_fsdp_wrapped_module',
                  '_checkpoint_wrapped_module', '_forward_module'}


def _strip(name):
    """A module's name without the parts that wrappers add."""
    parts = name.split('.')
    for i, part in enumerate(parts):
        if part in _WRAPPER_PARTS and (i == 0 or part != 'module'):
            parts[i] = ''
    return '.'.join(p for p in parts if p)


def _class(module):
    while type(module).__name__ in _WRAPPERS:
        inner = getattr(module, '_orig_mod', None)
        if inner is None:
            inner = getattr(module, 'module', None)
        if inner is None:
            break
        module = inner
    cls = type(module)
    # fully_shard() gives a module a class of its own
    if any(c.__name__ == 'FSDPModule' for c in cls.__mro__):
        for c in cls.__mro__[1:]:
            if c.__name__ != 'FSDPModule':
                return c.__name__
    return cls.__name__


class _Thread(threading.local):
    def __init__(self):
        self.stack = []  # of modules: (full name, pushes, text, modules in it)
        self.phase = []  # names of phases that are open
        self.in_step = False  # in a step of an optimizer
        self.tail = False  # forward is open, for the loss after the modules
        self.setup = False  # in Module._apply()
        self.depth = 0  # ranges of record_function that are open


class _With:
    """An object with other attributes in the place of some of its own."""

    def __init__(self, of, **others):
        self._of = of
        vars(self).update(others)

    def __getattr__(self, name):
        return getattr(self._of, name)


def _without_sync(function, torch):
    """emit_nvtx() waits for the GPU where it begins and ends; nothing that we
    do needs that, and it would change the steps that it is between."""
    cuda = _With(torch.cuda, synchronize=lambda *args, **kwargs: None)
    names = dict(function.__globals__, torch=_With(torch, cuda=cuda))
    return types.FunctionType(function.__code__, names, function.__name__,
                              function.__defaults__, function.__closure__)


class _Plan:
    """Which steps have ranges of ops: n of them at first, when the program
    warms up, and later n after pauses of growing and changing length, so that
    what a program does every k-th step is in some of them."""

    def __init__(self, mode, n):
        self.mode, self.n = mode, n
        self.begin, self.end, self.turn = 0, n, 0

    def window(self, first, steps):
        """Of steps that are asked for, the last have ops."""
        self.end = first + steps
        self.begin = self.end - min(self.n, steps // 2)

    def marks(self, step):
        if self.mode != 'alternate':
            return self.mode == 'ops'
        if step >= self.end:
            k = 3 + self.turn
            self.begin = self.end + (self.n * k if k < 20 else
                                     self.n * 20 + k % 7)
            self.end = self.begin + self.n
            self.turn += 1
        return step >= self.begin


class _Arm:
    """What the library in this process knows of dlp-record --trigger."""

    def __init__(self):
        lib = ctypes.CDLL(os.environ['NVTX_INJECTION64_PATH'])
        self.wanted = ctypes.c_int.in_dll(lib, 'dlp_record_wanted')
        self.no = ctypes.c_int.in_dll(lib, 'dlp_record_no')
        self.asked = 0  # the number of the trigger that this process has seen
        self.asked_at = 0.0  # s
        ctypes.c_int.in_dll(lib, 'dlp_record_steps_known').value = 1


class _Markers:
    def __init__(self, torch, mode, op_steps, armed):
        self.torch = torch
        self.nvtx = torch.cuda.nvtx
        # what range_push() calls; each module of each step needs both
        direct = getattr(self.nvtx, '_nvtx', None)
        self.range_push = getattr(direct, 'rangePushA', self.nvtx.range_push)
        self.range_pop = getattr(direct, 'rangePop', self.nvtx.range_pop)
        self.compiling = getattr(getattr(torch, 'compiler', None),
                                 'is_compiling', lambda: False)
        self.names = weakref.WeakKeyDictionary()
        # by the full name of a module: those called by it, by id(), as
        # (weak reference, entry for the stack)
        self.callees = {}
        self.here = _Thread()
        self.main = threading.get_ident()
        self.lock = threading.Lock()
        self.steps = 0
        self.step = None  # the range of the iteration that is open
        self.started = False  # more than data loading has happened in it
        self.optimizer = None  # the one that ends iterations
        self.plan = _Plan(mode, op_steps)
        self.ops = mode != 'layers'
        self.emit = None
        self.leaving = False  # it ends as soon as it can
        emit = torch.autograd.profiler.emit_nvtx
        self.emit_begin = _without_sync(emit.__enter__, torch)
        self.emit_end = _without_sync(emit.__exit__, torch)
        self.others = 0  # profilers of the program's own that are active
        self.arm = _Arm() if armed else None
        self.idle = armed  # nothing is marked
        self.fresh = False  # marks have begun, maybe inside of a module
        self.hooks = []  # of modules, while something is marked

    # Iterations.

    def begin_step(self, started=True):
        with self.lock:
            if self.step is None:
                self.started = False
                self.switch()
                self.step = self.nvtx.range_start(
                    'iteration %d' % self.steps)
                self.steps += 1
            self.started = self.started or started

    def end_step(self):
        with self.lock:
            step, self.step = self.step, None
        if step is not None:
            self.nvtx.range_end(step)
        if self.arm is not None and not self.arm.wanted.value:
            self.rest()

    def switch(self):
        """Between two steps: the next one has ops, or not."""
        if threading.get_ident() != self.main:
            return
        self.ops = self.plan.marks(self.steps)
        if self.ops:
            self.leaving = False
            self.enter_ops()
        elif self.emit is not None and not self.capturing():
            if self.leaving:
                self.leave_ops()
            else:
                self.leave_when_free()

    # dlp-record --arm: hooks of modules are there while they are needed.

    def wake(self):
        """Between two steps, if there is an optimizer; else at any time."""
        with self.lock:
            if not self.idle or not self.arm.wanted.value:
                return
            self.plan.window(self.steps, self.arm.wanted.value)
            self.fresh = True
            self.idle = False
            self.hook_modules()

    def together(self):
        """Whether to begin with the next step. Ranks see a trigger some steps
        apart: the last one to see it names a step that all will come to."""
        dist = getattr(self.torch, 'distributed', None)
        n = (dist.get_world_size() if dist is not None and
             dist.is_available() and dist.is_initialized() else 1)
        n = min(n, int(os.environ.get('LOCAL_WORLD_SIZE', n)))
        if n == 1:
            return True
        arm = self.arm
        now = time.monotonic()
        folder = '%s/t%d/' % (os.environ['DLP_RECORD'], arm.no.value)
        if arm.asked != arm.no.value:
            arm.asked, arm.asked_at = arm.no.value, now
            open('%sready.%d' % (folder, os.getpid()), 'w').close()
        try:
            with open(folder + 'first') as f:
                return self.steps >= int(f.read())
        except FileNotFoundError:
            pass
        # ranks that do not come are not waited for
        ready = sum(x.startswith('ready.') for x in os.listdir(folder))
        if ready >= n or now > arm.asked_at + 2:
            name = '%sfirst.%d' % (folder, os.getpid())
            with open(name, 'w') as f:
                f.write('%d' % (self.steps // 8 * 8 + 16))
            with contextlib.suppress(FileExistsError):
                os.link(name, folder + 'first')
        return False

    def ranks_begin(self):
        try:
            return self.together()
        # the trigger has ended, its folder is full, or the environment is odd:
        # never the program's trouble
        except (OSError, ValueError, KeyError):
            return True

    def rest(self):
        with self.lock:
            if self.idle:
                return
            self.idle = True
            for hook in self.hooks:
                hook.remove()
            self.hooks = []
        self.leave_when_free()
        self.here.stack.clear()

    def watch(self):
        """A thread: programs that have no optimizer, or use none for 20 s, are
        woken from here."""
        last, still = -1, 0
        while True:
            time.sleep(0.2)
            still = still + 1 if last == self.steps else 0
            last = self.steps
            if (self.idle and self.arm.wanted.value and
                    (self.optimizer is None or still > 100)):
                self.wake()

    def inside(self):
        """Whether a module is called by another one, by the frames."""
        code = self.torch.nn.Module.__call__.__code__
        frame, n = sys._getframe(1), 0
        while frame is not None and n < 2:
            n += frame.f_code is code
            frame = frame.f_back
        return n > 1

    # Phases.

    def push(self, phase):
        self.close_tail()
        self.here.phase.append(phase)
        self.range_push(phase)

    def pop(self, phase):
        if self.here.phase and self.here.phase[-1] == phase:
            self.here.phase.pop()
            self.range_pop()

    def close_tail(self):
        """Forward ends where the program does something else; a range of the
        program's own must not be nested in it by chance."""
        if self.here.tail:
            self.here.tail = False
            self.pop('forward')

    # Modules.

    def name_modules(self, root):
        for name, module in root.named_modules():
            if not self.names.get(module):
                self.names[module] = _strip(name)

    def before_forward(self, module, args):
        if self.compiling():
            return
        here = self.here
        stack = here.stack
        if stack:
            known = stack[-1][3].get(id(module))
            if known is None or known[0]() is not module:
                known = self.enter(module, stack[-1])
            entry = known[1]
            if entry[1]:
                self.range_push(entry[2])
            stack.append(entry)
            return
        if self.fresh:
            if self.inside():
                return
            self.fresh = False
        known = self.names.get(module)
        if known and ('backward' in here.phase or
                      threading.get_ident() != self.main):
            # computed again by a checkpoint
            self.range_push(known)
            stack.append(self.entry(known, 1, known))
            return
        if known is None:
            self.name_modules(module)
        if here.tail and not self.torch.is_grad_enabled():
            self.close_tail()
        self.pop('optimizer')  # a closure of its step
        if (self.started and self.optimizer is None and
                not self.torch.is_grad_enabled()):
            self.end_step()
        self.begin_step()
        if here.tail and self.torch.is_grad_enabled():
            here.tail = False
        else:
            self.push('forward')
        self.enter_ops()
        text = _class(module)
        self.range_push(text)
        stack.append(self.entry(known or '', 2, text))

    def entry(self, name, pushes, text):
        return name, pushes, text, self.callees.setdefault(name, {})

    def enter(self, module, caller):
        """The entry of a module that another one calls, for the first time."""
        name = self.names.get(module)
        if name is None:
            self.name_modules(module)
            self.names[module] = name = type(module).__name__
        above = caller[0]
        if above and name.startswith(above + '.'):
            text = name[len(above) + 1:]
        else:
            text = name
        known = (weakref.ref(module),
                 self.entry(name, int(bool(text) and name != above), text))
        if name:  # it can get one
            caller[3][id(module)] = known
        return known

    def after_forward(self, module, args, output):
        if self.compiling():
            return
        here = self.here
        if not here.stack:
            return
        pushes = here.stack.pop()[1]
        if pushes:
            self.range_pop()
            if pushes == 1:
                return
        if pushes == 2 and self.torch.is_grad_enabled():
            here.tail = True
        elif pushes == 2:
            self.pop('forward')
            if self.optimizer is None:
                self.end_step()

    # Ops. emit_nvtx() is not for captures.

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()

    def enter_ops(self):
        cuda = self.torch.cuda
        if (not self.ops or self.emit is not None or self.others or
                self.idle or threading.get_ident() != self.main or
                not cuda.is_initialized() or self.capturing()):
            return
        emit = self.torch.autograd.profiler.emit_nvtx(record_shapes=True)
        try:
            self.emit_begin(emit)
            self.emit = emit
        except Exception:
            self.ops = False
            self.plan.mode = 'layers'

    def leave_when_free(self):
        """torch complains at the end of a range of record_function that has
        begun as an op: the optimizer's step, or one of the program's own."""
        self.leaving = self.emit is not None
        if self.here.depth == 0:
            self.leave_ops()

    def leave_ops(self):
        self.leaving = False
        emit, self.emit = self.emit, None
        if emit is not None:
            self.emit_end(emit, None, None, None)

    def around_profiler(self, cls, begin, end):
        """A profiler of the program's own takes the place of ours."""
        old_begin, old_end = getattr(cls, begin), getattr(cls, end)

        @functools.wraps(old_begin)
        def new_begin(this, *args, **kwargs):
            if not getattr(this, '_dlp_seen', False):
                self.leave_ops()
                self.others += 1
                this._dlp_seen = True
            return old_begin(this, *args, **kwargs)

        @functools.wraps(old_end)
        def new_end(this, *args, **kwargs):
            try:
                return old_end(this, *args, **kwargs)
            finally:
                if getattr(this, '_dlp_seen', False):
                    this._dlp_seen = False
                    self.others -= 1

        setattr(cls, begin, new_begin)
        setattr(cls, end, new_end)

    # What is around the model.

    def around(self, owner, name, phase):
        old = getattr(owner, name)

        @functools.wraps(old)
        def new(*args, **kwargs):
            if self.idle or self.compiling():
                return old(*args, **kwargs)
            self.begin_step(phase != 'dataload')
            self.push(phase)
            try:
                return old(*args, **kwargs)
            finally:
                self.pop(phase)
                if self.here.in_step and 'optimizer' not in self.here.phase:
                    self.push('optimizer')

        setattr(owner, name, new)

    def around_setup(self, module):
        old = module._apply

        @functools.wraps(old)
        def new(this, *args, **kwargs):
            here = self.here
            if self.idle or here.setup or here.stack or self.compiling():
                return old(this, *args, **kwargs)
            here.setup = True
            self.enter_ops()
            self.push('setup')
            try:
                return old(this, *args, **kwargs)
            finally:
                self.pop('setup')
                here.setup = False

        module._apply = new

    def before(self, owner, name):
        """The forward phase is over before the program's own ranges."""
        old = getattr(owner, name)

        @functools.wraps(old)
        def new(*args, **kwargs):
            if not self.idle and not self.compiling():
                self.close_tail()
            return old(*args, **kwargs)

        setattr(owner, name, new)

    def around_range(self, cls):
        """Ranges of record_function end the forward phase, too, and are
        counted."""
        old_enter, old_exit = cls.__enter__, cls.__exit__

        @functools.wraps(old_enter)
        def enter(*args, **kwargs):
            if not self.compiling():
                if not self.idle:
                    self.close_tail()
                self.here.depth += 1
            return old_enter(*args, **kwargs)

        @functools.wraps(old_exit)
        def leave(*args, **kwargs):
            if self.compiling():
                return old_exit(*args, **kwargs)
            if not self.idle:
                self.close_tail()
            try:
                return old_exit(*args, **kwargs)
            finally:
                self.here.depth = max(0, self.here.depth - 1)
                if self.leaving and self.here.depth == 0 and (
                        threading.get_ident() == self.main):
                    self.leave_ops()

        cls.__enter__, cls.__exit__ = enter, leave

    def before_step(self, optimizer, args, kwargs):
        if self.compiling():
            return
        if self.optimizer is None or self.optimizer() is None:
            self.optimizer = weakref.ref(optimizer)
        if self.idle:
            return
        self.begin_step()
        self.here.in_step = True
        self.push('optimizer')

    def after_step(self, optimizer, args, kwargs):
        if self.compiling():
            return
        ends = self.optimizer is not None and self.optimizer() is optimizer
        if self.idle:
            self.steps += ends
            if ends and self.arm.wanted.value and self.ranks_begin():
                self.wake()
                self.fresh = False
            return
        self.here.in_step = False
        self.pop('optimizer')
        if ends:
            self.end_step()
            # what comes next, as a copy of its data, is of the next step
            if not self.idle:
                self.begin_step()

    def hook_modules(self):
        module = importlib.import_module('torch.nn.modules.module')
        before = module.register_module_forward_pre_hook(self.before_forward)
        try:
            after = module.register_module_forward_hook(self.after_forward,
                                                        always_call=True)
        except TypeError:  # before torch 2.1
            after = module.register_module_forward_hook(self.after_forward)
        self.hooks = [before, after]

    def attach_modules(self):
        if self.arm is None:
            self.hook_modules()
        else:
            threading.Thread(target=self.watch, daemon=True,
                             name='dlp_markers').start()
        module = importlib.import_module('torch.nn.modules.module')
        self.around_setup(module.Module)

    def attach_ranges(self):
        self.before(self.nvtx, 'range_push')
        self.before(self.nvtx, 'range_pop')
        profiler = importlib.import_module('torch.autograd.profiler')
        self.around_range(profiler.record_function)

    def attach_optimizers(self):
        # no attribute of torch.optim
        optimizer = importlib.import_module('torch.optim.optimizer')
        optimizer.register_optimizer_step_pre_hook(self.before_step)
        optimizer.register_optimizer_step_post_hook(self.after_step)

    def attach_backward(self):
        self.around(self.torch.autograd, 'backward', 'backward')
        self.around(self.torch.autograd, 'grad', 'backward')

    def attach_loaders(self):
        loader = importlib.import_module('torch.utils.data.dataloader')
        self.around(loader._BaseDataLoaderIter, '__next__', 'dataload')

    def attach_profilers(self):
        profiler = importlib.import_module('torch.autograd.profiler')
        self.around_profiler(profiler.emit_nvtx, '__enter__', '__exit__')
        self.around_profiler(profiler.profile, '__enter__', '__exit__')
        profiler = importlib.import_module('torch.profiler')
        self.around_profiler(profiler.profile, 'start', 'stop')

    def attach(self):
        # that hooks fire for the OptimizedModule, too: ours know it
        warnings.filterwarnings(
            'ignore', 'Using `torch.compile.module.` when there are global hooks')
        for part in ('modules', 'optimizers', 'backward', 'loaders',
                     'profilers', 'ranges'):
            try:
                getattr(self, 'attach_' + part)()
            except Exception as e:
                print('dlp_markers: no markers of %s with this version of '
                      'torch: %r' % (part, e), file=sys.stderr)
        atexit.register(self.at_exit)

    def at_exit(self):
        """torch warns of an emit_nvtx() that is still entered at its end."""
        try:
            self.leave_ops()
        except Exception:  # the GPU has failed
            pass


_markers = None


def attach(torch):
    """Marks what the program does with this torch. Never raises."""
    global _markers
    if _markers is not None:
        return
    try:
        _markers = _Markers(torch, os.environ.get('DLP_MARKERS', 'alternate'),
                            int(os.environ.get('DLP_MARKERS_STEPS', 3)),
                            'DLP_MARKERS_ARM' in os.environ)
        _markers.attach()
    except Exception as e:
        print('dlp_markers: no markers with this version of torch: %r' % e,
              file=sys.stderr)


class _Loader(importlib.abc.Loader):
    """torch's own loader, and attach() after it."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        attach(module)

    def __getattr__(self, name):
        return getattr(self.loader, name)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != 'torch':
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def install():
    """Attaches when torch is imported, or now if it has been."""
    if 'torch' in sys.modules:
        attach(sys.modules['torch'])
    elif not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def main():
    if len(sys.argv) < 2:
        print('usage: python3 -m dlp_markers PROGRAM [ARGUMENTS]',
              file=sys.stderr)
        sys.exit(2)
    import runpy
    import dlp_markers  # not this module, whose name is __main__
    dlp_markers.install()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name='__main__')


if __name__ == '__main__':
    main()
