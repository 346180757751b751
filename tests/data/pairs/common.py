"""What the programs share: the loop's clock, and the variants' names. With TRACE=FILE in the
environment torch.profiler records ten steps to FILE."""
import os
import sys
import time

import torch

variant = set(sys.argv[1].split(",")) if len(sys.argv) > 1 else set()
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 60
torch.manual_seed(0)
dev = "cuda"
if "tf32" in variant:
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
else:
    torch.backends.cudnn.allow_tf32 = False


class Clock:
    """Prints the mean time of a step after the first third of them."""

    def __init__(self):
        self.n = 0
        self.skip = max(5, steps // 3)
        self.trace = os.environ.get("TRACE") and torch.profiler.profile(
            schedule=torch.profiler.schedule(wait=self.skip, warmup=3, active=10, repeat=1), record_shapes=True,
            on_trace_ready=lambda p: p.export_chrome_trace(os.environ["TRACE"]))
        if self.trace:
            self.trace.start()

    def step(self):
        self.n += 1
        if self.trace:
            self.trace.step()
        if self.n == self.skip:
            torch.cuda.synchronize()
            self.t = time.perf_counter()
        if self.n == steps:
            torch.cuda.synchronize()
            ms = (time.perf_counter() - self.t) * 1e3 / (steps - self.skip)
            print("%s %s %.3f ms" % (sys.argv[0].split("/")[-1], ",".join(sorted(variant)) or "base", ms), flush=True)
        return self.n < steps
