"""ResNet-50, images already on the GPU. Variants: tf32, amp, channels_last, fused."""
import torch
import torchvision
from common import Clock, dev, variant

model = torchvision.models.resnet50().to(dev)
x = torch.randn(32, 3, 224, 224, device=dev)
y = torch.randint(0, 1000, (32,), device=dev)
if "channels_last" in variant:
    model = model.to(memory_format=torch.channels_last)
    x = x.to(memory_format=torch.channels_last)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused="fused" in variant or None)
loss_fn = torch.nn.CrossEntropyLoss()
clock = Clock()
while clock.step():
    opt.zero_grad(set_to_none=True)
    with torch.autocast("cuda", torch.bfloat16, enabled="amp" in variant):
        loss = loss_fn(model(x), y)
    loss.backward()
    opt.step()
