"""A convolutional network whose loop reads loss, hits and each layer's gradient back, to log them.
Variants: noitem (they stay on the GPU)."""
import torch
import torchvision
from common import Clock, dev, variant

model = torchvision.models.mobilenet_v3_small(num_classes=100).to(dev)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
x, y = torch.randn(128, 3, 128, 128, device=dev), torch.randint(0, 100, (128,), device=dev)
read = torch.Tensor.detach if "noitem" in variant else torch.Tensor.item
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16):
        out = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
    log = {"loss": read(loss), "hits": read((out.argmax(1) == y).float().mean())}
    opt.zero_grad()
    loss.backward()
    for name, p in model.named_parameters():
        if p.ndim == 4:
            log[name] = read(p.grad.abs().max())
    opt.step()
